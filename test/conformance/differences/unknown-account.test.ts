// On the service, an account that does not exist has no host name. The client fails to resolve the name, so the service
// never sees the request. With an emulator, the account name is usually part of the path, so the request reaches
// Tanzanite, and Tanzanite has to answer it.

import { describe, expect, it } from 'vitest';
import { startService } from '../../support/service.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService();

describe('An unknown account is 404', () => {
  it('answers 404 ResourceNotFound in path style, with any signature', async () => {
    const stranger = service.with({ prefix: '/nobody', account: 'nobody' });
    expect(outcomeOf(await stranger.send({ method: 'GET', path: '/Tables' }))).toBe('404 ResourceNotFound');
    const known = service.with({ prefix: '/nobody' });
    expect(outcomeOf(await known.send({ method: 'GET', path: '/Tables' }))).toBe('404 ResourceNotFound');
  });

  it('answers 404 ResourceNotFound in host style', async () => {
    const stranger = service.with({ prefix: '', account: 'nobody' });
    const headers = { Host: 'nobody.table.core.windows.net' };
    expect(outcomeOf(await stranger.send({ method: 'GET', path: '/Tables', headers }))).toBe('404 ResourceNotFound');
  });

  it('answers 404 without a signature too', async () => {
    const stranger = service.with({ prefix: '/nobody' });
    const request = { method: 'GET', path: '/Tables', headers: { Authorization: undefined } };
    expect(outcomeOf(await stranger.send(request))).toBe('404 ResourceNotFound');
  });
});
