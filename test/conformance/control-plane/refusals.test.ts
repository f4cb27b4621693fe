import { describe, expect, it } from 'vitest';
import { ask, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const service = await startService({ accounts: 'any' });
const account = 'devstoreaccount1';

interface Refusals {
  readonly count: number;
  readonly dropped: number;
  readonly requests: readonly {
    readonly operation: string;
    readonly code?: string;
    readonly message?: string;
    readonly why?: readonly string[];
    readonly batch?: { readonly refused?: { readonly code: string } };
  }[];
}

const refusalsOf = async (query: string): Promise<Refusals> => {
  const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/refusals?${query}` });
  expect(answer.status).toBe(200);
  return answer.json as Refusals;
};
const refuse = (table: string): Promise<{ status: number }> =>
  service.send({ method: 'GET', path: `/${table}(PartitionKey='a',RowKey='b')` });

describe('Refusals', () => {
  it('keeps nothing before the first call', async () => {
    await refuse('early');
    expect(await refusalsOf(`account=${account}`)).toEqual({ count: 0, dropped: 0, requests: [] });
  });

  it('lists requests that were refused since, with the reason, and leaves out successful ones', async () => {
    await service.createTable('pets');
    await refuse('absent');
    await service.send({ method: 'GET', path: '/pets()?$filter=age%20eq%20' });
    const { count, dropped, requests } = await refusalsOf(`account=${account}`);
    expect([count, dropped]).toEqual([2, 0]);
    expect(requests.map(({ operation, code }) => `${operation} ${code}`)).toEqual([
      'GetEntity TableNotFound',
      'QueryEntities InvalidInput',
    ]);
    expect(requests[0]?.message).toMatch(/^The table specified does not exist/);
    expect(requests[1]?.why?.join(' ')).toContain('age eq');
  });

  it('leaves out the requests that an earlier answer counted', async () => {
    const { count } = await refusalsOf(`account=${account}`);
    await refuse('later');
    const { requests } = await refusalsOf(`account=${account}&after=${count}`);
    expect(requests).toMatchObject([{ operation: 'GetEntity', table: 'later' }]);
    expect((await refusalsOf(`account=${account}&after=999999999999999`)).requests).toEqual([]);
  });

  it('keeps the last 20 requests, and counts the others', async () => {
    const { count } = await refusalsOf(`account=${account}`);
    for (let at = 0; at < 25; at++) await refuse(`burst${at}`);
    const { dropped, requests } = await refusalsOf(`account=${account}&after=${count}`);
    expect([dropped, requests.length]).toEqual([5, 20]);
    expect(requests.at(-1)).toMatchObject({ table: 'burst24' });
  });

  it('does not list requests of other accounts', async () => {
    expect(await refusalsOf('account=other1')).toEqual({ count: 0, dropped: 0, requests: [] });
  });

  it.each([
    ['', 400, 'InvalidRequest'],
    ['account=a&after=-1', 400, 'InvalidRequest'],
    ['account=a&before=1', 400, 'InvalidRequest'],
    ['account=A%0A', 404, 'AccountNotFound'],
  ])('answers %j with %i %s', async (query, status, code) => {
    const answer = await ask(service.origin, { method: 'GET', path: `/_emulator/refusals?${query}` });
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  });
});
