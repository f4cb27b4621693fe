import { beforeEach, describe, expect, it } from 'vitest';
import { callsOn, changesetBody, commit, expectFailure, type InnerCall, sendBatch } from '../support/batch-requests.ts';
import { expectRefusal, type Refusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { beyondRange, noPermission } from '../support/shared-access-refusals.ts';
import { holderOf, tableToken } from '../support/shared-access-tokens.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const matching = { 'If-Match': '*' };
const changed = '{"n":2}';

describe('A range of keys', () => {
  const partitions = ['a', 'b', 'c'];
  const rows = ['1', '2', '3'];

  beforeEach(async () => {
    await service.send({ method: 'DELETE', path: "/Tables('ranges')" });
    await service.createTable('ranges');
    for (const PartitionKey of partitions) {
      for (const RowKey of rows) await service.insert('ranges', { PartitionKey, RowKey, n: 1 });
    }
  });

  async function keysIn(token: string, options = ''): Promise<string> {
    const { send } = holderOf(service, token);
    const answer = await send({ method: 'GET', path: `/ranges()${options}`, headers: accepting('nometadata') });
    expect(answer.status, answer.body).toBe(200);
    const { value } = JSON.parse(answer.body) as { value: { PartitionKey: string; RowKey: string }[] };
    return value.map(({ PartitionKey, RowKey }) => PartitionKey + RowKey).join(' ');
  }

  it.each([
    [{ spk: 'b' }, 'b1 b2 b3 c1 c2 c3'],
    [{ epk: 'b' }, 'a1 a2 a3 b1 b2 b3'],
    [{ spk: 'b', epk: 'b' }, 'b1 b2 b3'],
    [{ spk: 'b', srk: '2' }, 'b2 b3 c1 c2 c3'],
    [{ epk: 'b', erk: '2' }, 'a1 a2 a3 b1 b2'],
    [{ spk: 'a', srk: '3', epk: 'c', erk: '1' }, 'a3 b1 b2 b3 c1'],
    [{ spk: 'b', srk: '2', epk: 'b', erk: '2' }, 'b2'],
    [{ spk: 'c', epk: 'a' }, ''],
    [{ spk: 'B', epk: 'Z' }, ''],
    [{ spk: 'bb' }, 'c1 c2 c3'],
  ])('%j returns the entities inside, including both ends', async (range, expected) => {
    expect(await keysIn(tableToken('ranges', { sp: 'r', ...range }))).toBe(expected);
  });

  it.each([
    ["?$filter=PartitionKey%20eq%20'c'", ''],
    ["?$filter=PartitionKey%20ge%20'a'%20and%20n%20eq%201", 'b2 b3'],
    ["?$filter=PartitionKey%20eq%20'a'%20or%20RowKey%20eq%20'2'", 'b2'],
    ["?$filter=not%20(PartitionKey%20eq%20'b')", ''],
    ['?$top=1', 'b2'],
    ['?NextPartitionKey=1!4!YQ--&NextRowKey=1!4!MQ--', 'b2 b3'],
    ['?NextPartitionKey=1!4!Yw--&NextRowKey=1!4!MQ--', ''],
  ])('applies with %s', async (options, expected) => {
    const token = tableToken('ranges', { sp: 'r', spk: 'b', srk: '2', epk: 'b' });
    expect(await keysIn(token, options)).toBe(expected);
  });

  it('limits the continuation tokens of its pages', async () => {
    const { send } = holderOf(service, tableToken('ranges', { sp: 'r', spk: 'a', srk: '2', epk: 'c', erk: '1' }));
    const seen: string[] = [];
    let next = '';
    do {
      const path = `/ranges()?$top=2${next}`;
      const answer = await send({ method: 'GET', path, headers: accepting('nometadata') });
      expect(answer.status).toBe(200);
      const { value } = JSON.parse(answer.body) as { value: { PartitionKey: string; RowKey: string }[] };
      seen.push(value.map(({ PartitionKey, RowKey }) => PartitionKey + RowKey).join(' '));
      const [pk, rk] = ['PartitionKey', 'RowKey'].map((name) => answer.header(`x-ms-continuation-Next${name}`));
      next =
        pk === undefined
          ? ''
          : `&NextPartitionKey=${encodeURIComponent(pk)}&NextRowKey=${encodeURIComponent(rk ?? '')}`;
    } while (next !== '' && seen.length < 9);
    expect(seen.filter((page) => page !== '')).toEqual(['a2 a3', 'b1 b2', 'b3 c1']);
  });

  it('hides entities outside: 404 ResourceNotFound', async () => {
    const { send } = holderOf(service, tableToken('ranges', { sp: 'r', spk: 'b', epk: 'b' }));
    const notFound: Refusal = {
      status: 404,
      code: 'ResourceNotFound',
      message: 'The specified resource does not exist.',
      stage: 'executing',
    };
    for (const path of [entityPath('ranges', 'a', '1'), entityPath('ranges', 'z', '1')]) {
      expectRefusal(await send({ method: 'GET', path }), notFound);
    }
    expect((await send({ method: 'GET', path: entityPath('ranges', 'b', '1') })).status).toBe(200);
  });

  it.each([
    ['PUT', {}, changed],
    ['PUT', matching, changed],
    ['MERGE', {}, changed],
    ['MERGE', matching, changed],
    ['PATCH', {}, changed],
    ['DELETE', matching, undefined],
  ])(
    'forbids a write outside by %s %j: 403 AuthorizationFailure, whether the entity exists or not',
    async (method, headers, body) => {
      const { send } = holderOf(service, tableToken('ranges', { sp: 'raud', spk: 'b', epk: 'b' }));
      for (const [partitionKey, rowKey] of [
        ['a', '1'],
        ['z', '1'],
      ] as const) {
        expectRefusal(
          await send({ method, path: entityPath('ranges', partitionKey, rowKey), headers, body }),
          beyondRange,
        );
      }
      expect((await service.get(entityPath('ranges', 'z', '1'))).status).toBe(404);
      expect((await service.get(entityPath('ranges', 'a', '1'), accepting('nometadata'))).body).toContain('"n":1');
    },
  );

  it('forbids a write outside by a verb that is tunnelled in POST', async () => {
    const { send } = holderOf(service, tableToken('ranges', { sp: 'raud', spk: 'b', epk: 'b' }));
    const headers = { 'X-HTTP-Method': 'MERGE', ...matching };
    expectRefusal(
      await send({ method: 'POST', path: entityPath('ranges', 'a', '1'), headers, body: changed }),
      beyondRange,
    );
  });

  it('forbids an insert outside', async () => {
    const { send } = holderOf(service, tableToken('ranges', { sp: 'a', spk: 'b', srk: '2', epk: 'b' }));
    const insert = (PartitionKey: string, RowKey: string): Promise<WireAnswer> =>
      send({ method: 'POST', path: '/ranges', body: JSON.stringify({ PartitionKey, RowKey }) });
    for (const [partitionKey, rowKey] of [
      ['z', '1'],
      ['b', '1a'],
      ['b', ''],
      ['a', '1'],
    ] as const) {
      expectRefusal(await insert(partitionKey, rowKey), beyondRange);
    }
    expect((await insert('b', '2a')).status).toBe(201);
  });

  it('refuses a changeset with a write outside, with the index of that write', async () => {
    const holder = holderOf(service, tableToken('ranges', { sp: 'raud', spk: 'b', srk: '2', epk: 'b' }));
    const url = `${service.base}/ranges`;
    const insert = (RowKey: string): InnerCall => ({
      method: 'POST',
      url,
      body: `{"PartitionKey":"b","RowKey":"${RowKey}"}`,
    });
    const answer = await sendBatch(holder, changesetBody([insert('7'), insert('1z'), insert('8')]));
    expectFailure(answer, beyondRange, { prefix: '1:' });
    expect(await keysIn(tableToken('ranges', { sp: 'r' }))).toBe('a1 a2 a3 b1 b2 b3 c1 c2 c3');

    const statuses = (await commit(holder, [insert('7'), insert('8')])).map(({ status }) => status);
    expect(statuses).toEqual([201, 201]);
  });

  it('refuses a changeset in the same way for a missing permission, with the index', async () => {
    const rowKey = '7';
    const holder = holderOf(service, tableToken('ranges', { sp: 'ra' }));
    const calls = callsOn(service.base, 'ranges');
    const answer = await sendBatch(holder, changesetBody([calls.insert(rowKey), calls.remove('1')]));
    expectFailure(answer, noPermission, { prefix: '1:' });
    expect((await service.get(entityPath('ranges', 'p', rowKey))).status).toBe(404);
  });
});
