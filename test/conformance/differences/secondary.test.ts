// On the service, an account has a secondary endpoint only if its replica can be read (RA-GRS, RA-GZRS). The replica is
// sometimes minutes behind. In Tanzanite every account has a secondary endpoint, which reads the data of the primary.

import { describe, expect, it } from 'vitest';
import { entityPath, startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService();
await service.createTable('pets');
const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });

describe('Every account has a secondary, without delay', () => {
  it('reads what the primary has just written', async () => {
    for (let row = 0; row < 20; row++) {
      await service.insert('pets', { RowKey: String(row) });
      const path = entityPath('pets', 'p', String(row));
      expect((await secondary.send({ method: 'GET', path })).status).toBe(200);
    }
  });

  it('no longer reads what the primary has just deleted', async () => {
    await service.insert('pets', { RowKey: 'brief' });
    const path = entityPath('pets', 'p', 'brief');
    expect((await service.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } })).status).toBe(204);
    expect(outcomeOf(await secondary.send({ method: 'GET', path }))).toBe('404 ResourceNotFound');
  });

  it('refuses to write, as the service does: 403 InsufficientAccountPermissions', async () => {
    const body = '{"PartitionKey":"p","RowKey":"written"}';
    const answer = await secondary.send({ method: 'POST', path: '/pets', body });
    expect(outcomeOf(answer)).toBe('403 InsufficientAccountPermissions');
  });
});
