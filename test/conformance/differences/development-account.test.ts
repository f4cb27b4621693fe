// On the service, the keys of an account are secret. Unless you configure accounts (`AZURITE_ACCOUNTS`, or `accounts`
// in the library), Tanzanite has one account, `devstoreaccount1`. Its key is the one that every Azure SDK uses for
// development storage. This key is public and protects nothing, so let Tanzanite listen only on addresses where
// everyone may have access.

import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService();
const ownKey = Buffer.from('a key of our own').toString('base64');
const owned = await startService({ accounts: [{ name: 'ourown', keys: [ownKey] }] });

describe('The development account has a well-known key', () => {
  it('accepts requests that are signed with the well-known key', async () => {
    expect((await service.get('/Tables')).status).toBe(200);
  });

  it('refuses requests that are signed with another key, and unsigned ones', async () => {
    const other = service.with({ key: ownKey });
    expect(outcomeOf(await other.send({ method: 'GET', path: '/Tables' }))).toBe('403 AuthenticationFailed');
    const anonymous = await service.get('/Tables', { Authorization: undefined });
    expect(outcomeOf(anonymous)).toBe('403 AuthenticationFailed');
  });

  it('is in the connection string of the library', async () => {
    const emulator = await startEmulator();
    await emulator.close();
    expect(emulator.connectionString).toContain(`AccountName=devstoreaccount1;AccountKey=${developmentKey};`);
  });

  it('does not exist when other accounts are configured', async () => {
    expect(outcomeOf(await owned.get('/Tables'))).toBe('404 ResourceNotFound');
    const ours = owned.with({ prefix: '/ourown', account: 'ourown', key: ownKey });
    expect((await ours.send({ method: 'GET', path: '/Tables' })).status).toBe(200);
  });
});
