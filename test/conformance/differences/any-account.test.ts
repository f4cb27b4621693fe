// On the service, an account must be created before its first use, and has its own keys. With `--accounts any`, every
// account name that the service allows can be used immediately, and the key of each account is the well-known key of
// the SDKs. Each of several parallel tests can then use its own account.

import { describe, expect, it } from 'vitest';
import { accepting } from '../../support/expect-success.ts';
import { startService } from '../../support/service.ts';
import { accountToken, holderOf } from '../../support/shared-access-tokens.ts';
import { outcomeOf } from './outcome.ts';

const service = await startService({ accounts: 'any' });
const of = (account: string) => service.with({ account, prefix: `/${account}` });
const tablesOf = async (account: string): Promise<string> =>
  (await of(account).send({ method: 'GET', path: '/Tables', headers: accepting('nometadata') })).body;

describe('Accounts of any name', () => {
  it('exist without being created, and are separate from each other', async () => {
    const body = '{"TableName":"mine"}';
    expect((await of('worker1').send({ method: 'POST', path: '/Tables', body })).status).toBe(201);
    expect([await tablesOf('worker1'), await tablesOf('worker2')]).toEqual([
      '{"value":[{"TableName":"mine"}]}',
      '{"value":[]}',
    ]);
    expect((await of('worker2').send({ method: 'POST', path: '/Tables', body })).status).toBe(201);
    expect((await of('worker2').send({ method: 'DELETE', path: "/Tables('mine')" })).status).toBe(204);
    expect(await tablesOf('worker1')).toBe('{"value":[{"TableName":"mine"}]}');
  });

  it('require a signature made for their name: a signature for another account is refused', async () => {
    const other = service.with({ account: 'worker1', prefix: '/worker2' });
    expect(outcomeOf(await other.send({ method: 'GET', path: '/Tables' }))).toBe('403 AuthenticationFailed');
    const token = accountToken({ sp: 'l' }, { account: 'worker1' });
    const ask = async (account: string): Promise<string> =>
      outcomeOf(await holderOf(of(account), token).send({ method: 'GET', path: '/Tables' }));
    expect([await ask('worker1'), await ask('worker2')]).toEqual(['200', '403 AuthenticationFailed']);
  });

  it('exist in host style too', async () => {
    const client = service.with({ account: 'worker3', prefix: '' });
    const headers = { Host: 'worker3.table.localhost' };
    expect((await client.send({ method: 'GET', path: '/Tables', headers })).status).toBe(200);
  });

  it('have names that the service allows: any other name is 404 ResourceNotFound', async () => {
    for (const account of ['ab', 'a'.repeat(25), 'with-hyphen', 'Upper', 'under_score']) {
      const answer = await of(account).send({ method: 'GET', path: '/Tables' });
      expect(outcomeOf(answer), account).toBe('404 ResourceNotFound');
    }
  });
});
