// Get Entity with `$filter`: if the filter does not select the entity, the entity counts as missing. Evidence: sdk
// (fast-azure-storage: its suite reads with a filter as a condition); the refusals of a filter are assumed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchBody, codeOf, requestPart, sendBatch, singleIn } from '../support/batch-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { filterOption, queryEntities, rowKeysIn } from '../support/queries.ts';
import { entityPath, startService } from '../support/service.ts';
import { holderOf, tableToken } from '../support/shared-access-tokens.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
const members = ['"n":5', '"s":"x","flag":true', '"n":-1.5,"s":"y","flag":false', '"n@odata.type":"Edm.Int64","n":"7"'];
const rows = members.map((_, index) => `r${index}`);
for (const [index, own] of members.entries()) {
  await service.insert('pets', `{"PartitionKey":"p","RowKey":"r${index}",${own}}`);
}

const pathOf = (row: string, filter: string): string => `${entityPath('pets', 'p', row)}?${filterOption(filter)}`;
const read = (row: string, filter: string): Promise<WireAnswer> => service.get(pathOf(row, filter));
const missing = refusal('ResourceNotFound');

describe('Get Entity with $filter', () => {
  it.each([
    ['n eq 5', true],
    ['n eq 6', false],
    ['n lt 6 and n gt 4', true],
    ['flag', false],
    ['not flag', true],
    ['absent eq 1', false],
    ['not (absent eq 1)', true],
    ["n eq 'five'", false],
    ["PartitionKey eq 'p' and RowKey eq 'r0'", true],
    ["PartitionKey eq 'q'", false],
    ["RowKey gt 'r0'", false],
    ["Timestamp gt datetime'2020-01-01'", true],
    ["Timestamp lt datetime'2020-01-01'", false],
    ['', true],
    ['  ', true],
  ])('%j: answers the entity, or 404 if it is not selected', async (filter, isSelected) => {
    const answer = await read('r0', filter);
    if (isSelected) expect([answer.status, answer.header('ETag') !== undefined]).toEqual([200, true]);
    else expectRefusal(answer, missing);
  });

  it('is 404 for an entity that does not exist, whatever the filter', async () => {
    expectRefusal(await read('none', 'true'), missing);
    expectRefusal(await service.get(`${entityPath('absent')}?${filterOption('true')}`), refusal('TableNotFound'));
  });

  it.each(['garbage((', 'n eq', "n eq 'open", 'PartitionKey eq 5', 'n eq null', "startswith(s,'x')", 'n eq s'])(
    'refuses %j as a query does, before it looks for the table or the entity',
    async (filter) => {
      const expected = await service.get(`/pets()?${filterOption(filter)}`);
      expect(expected.status).toBeGreaterThanOrEqual(400);
      for (const path of [
        pathOf('r0', filter),
        pathOf('none', filter),
        pathOf('r0', filter).replace('pets', 'absent'),
      ]) {
        const answer = await service.get(path);
        expect([answer.status, withoutIds(answer)]).toEqual([expected.status, withoutIds(expected)]);
      }
    },
  );

  it('reads properties that $select leaves out', async () => {
    const select = (row: string) => service.get(`${pathOf(row, "s eq 'x'")}&$select=flag`, accepting('nometadata'));
    expect((await select('r1')).body).toBe('{"flag":true}');
    expectRefusal(await select('r2'), missing, {
      contentType: 'application/json;odata=nometadata;streaming=true;charset=utf-8',
    });
  });

  it('says in Server-Timing that it read one entity, and in x-emulator-why why it returned none', async () => {
    const found = await service.get(pathOf('r0', 'n eq 5'), { 'x-emulator-explain': 'true' });
    expect(found.header('Server-Timing')).toMatch(
      /^plan;desc="point", visited;desc="1", returned;desc="1", end;desc="range"/,
    );
    const plain = await service.get(entityPath('pets', 'p', 'r0'), { 'x-emulator-explain': 'true' });
    expect(plain.header('Server-Timing')).toBeUndefined();
    const why = (await read('r0', 'n eq 6')).header('x-emulator-why');
    expect(why && JSON.parse(why)).toEqual(['The entity exists, but the filter does not select it: "n eq 6".']);
  });

  it('applies on the secondary, and in Atom', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const headers = { 'x-ms-version': '2012-02-12', Accept: 'application/atom+xml' };
    for (const [filter, status] of [
      ['n eq 5', 200],
      ['n eq 6', 404],
    ] as const) {
      const path = pathOf('r0', filter);
      expect((await secondary.send({ method: 'GET', path })).status).toBe(status);
      expect((await service.get(path, headers)).status).toBe(status);
    }
  });

  it('applies to the query of a batch', async () => {
    const ask = async (filter: string) => {
      const call = { method: 'GET', url: `${service.base}${pathOf('r0', filter)}` };
      return singleIn(await sendBatch(service, batchBody([requestPart(call)])));
    };
    expect((await ask('n eq 5')).statusLine).toBe('HTTP/1.1 200 OK');
    for (const [filter, code] of [
      ['n eq 6', 'ResourceNotFound'],
      ['garbage((', 'InvalidInput'],
      ["startswith(s,'x')", 'NotImplemented'],
    ] as const) {
      expect(codeOf(await ask(filter))).toBe(code);
    }
  });

  it('reveals nothing outside the key range of a signature', async () => {
    const holder = holderOf(service, tableToken('pets', { sp: 'r', spk: 'p', srk: 'r1' }));
    for (const filter of ['n eq 5', 'n eq 6']) {
      const answer = await holder.send({ method: 'GET', path: pathOf('r0', filter) });
      expect([answer.status, answer.header('x-emulator-why')]).toEqual([
        404,
        '["The key is outside the range of the signature."]',
      ]);
    }
    expect((await holder.send({ method: 'GET', path: pathOf('r1', 'flag') })).status).toBe(200);
  });

  it('answers as a query for the same key and filter, for random filters', async () => {
    const property = fc.asyncProperty(anyFilter, fc.constantFrom(...rows), async (filter, row) => {
      const point = await read(row, filter);
      const both = filterOption(`PartitionKey eq 'p' and RowKey eq '${row}' and (${filter})`);
      const query = await queryEntities(service, 'pets', both);
      if (query.status === 200) expect(point.status).toBe(rowKeysIn(query).length === 1 ? 200 : 404);
      else expect(point.status).toBe(query.status);
    });
    await fc.assert(property, { numRuns: 120 });
  });
});

const leaf = fc.oneof(
  fc
    .record({
      name: fc.constantFrom('n', 's', 'flag', 'absent', 'PartitionKey', 'RowKey', 'Timestamp'),
      operator: fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
      literal: fc.constantFrom('5', '7L', '-1.5', "'x'", "'r1'", 'true', "datetime'2020-01-01'", 'null'),
    })
    .map(({ name, operator, literal }) => `${name} ${operator} ${literal}`),
  fc.constantFrom('flag', 's', 'absent', 'true', 'false'),
);

const { filter: anyFilter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('filter').map((term) => `not (${term})`),
    fc
      .tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter'))
      .map(([a, connector, b]) => `(${a}) ${connector} (${b})`),
  ),
}));

function withoutIds({ body }: WireAnswer): string {
  return body.replace(/RequestId:[0-9a-f-]+|Time:[0-9TZ:.-]+/g, '');
}
