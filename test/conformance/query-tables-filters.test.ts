import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { filterOption } from '../support/queries.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
for (const name of ['beta', 'alpha', 'gamma', 'alpha2', 'alpine', 'ZEBRAS']) await service.createTable(name);
const all = ['alpha', 'alpha2', 'alpine', 'beta', 'gamma', 'ZEBRAS'];

const nextTable = 'x-ms-continuation-NextTableName';

function ask(filter: string, options = ''): Promise<WireAnswer> {
  return service.get(`/Tables?${filterOption(filter)}${options}`, accepting('nometadata'));
}

function namesIn(answer: WireAnswer): string[] {
  expect(answer.status, answer.body).toBe(200);
  const { value } = JSON.parse(answer.body) as { value: { TableName: string }[] };
  return value.map(({ TableName }) => TableName);
}

describe('Query Tables with $filter', () => {
  it.each([
    ["TableName eq 'beta'", ['beta']],
    ["'beta' eq TableName", ['beta']],
    ["TableName eq 'absent'", []],
    ["TableName ne 'beta'", ['alpha', 'alpha2', 'alpine', 'gamma', 'ZEBRAS']],
    // SDKs query for a prefix in this form.
    ["TableName ge 'alp' and TableName lt 'alp{'", ['alpha', 'alpha2', 'alpine']],
    ["(TableName gt 'alpha') and (TableName le 'beta')", ['alpha2', 'alpine', 'beta']],
    ["TableName eq 'gamma' or TableName eq 'alpha'", ['alpha', 'gamma']],
    ["not (TableName lt 'b')", ['beta', 'gamma', 'ZEBRAS']],
    // Names of tables are compared without regard to case. Evidence: sdk (azure-storage-net,
    // ListTablesWithPrefixExtended) for ranges; assumed for eq and ne.
    ["TableName ge 'zeb' and TableName lt 'zeb{'", ['ZEBRAS']],
    ["TableName ge 'ALP' and TableName lt 'ALP{'", ['alpha', 'alpha2', 'alpine']],
    ["TableName eq 'zebras' or 'BETA' eq TableName", ['beta', 'ZEBRAS']],
    ["not (TableName ne 'Zebras')", ['ZEBRAS']],
    ['', all],
  ])('%s', async (filter, names) => {
    const answer = await ask(filter);
    expect(namesIn(answer)).toEqual(names);
    expect(answer.header(nextTable)).toBeUndefined();
  });

  it('returns $top tables and a token, and no token if no table follows', async () => {
    const filter = "TableName ne 'alpha2'";
    const names = ['alpha', 'alpine', 'beta', 'gamma', 'ZEBRAS'];
    for (const top of [1, 2, 3, 4, 5]) {
      const seen: string[][] = [];
      let next = '';
      do {
        const page = await ask(filter, `&$top=${top}${next}`);
        seen.push(namesIn(page));
        expect(seen.length).toBeLessThan(10);
        const token = page.header(nextTable);
        next = token === undefined ? '' : `&NextTableName=${encodeURIComponent(token)}`;
      } while (next !== '');
      expect(seen.flat()).toEqual(names);
      expect(seen).toHaveLength(Math.ceil(names.length / top));
    }
    expect((await ask("TableName lt 'alpha2'", '&$top=1')).header(nextTable)).toBeUndefined();
  });

  it('returns a token for the next table that the filter selects', async () => {
    const token = (await ask("TableName eq 'alpha' or TableName eq 'gamma'", '&$top=1')).header(nextTable) ?? '';
    const encoded = token.split('!')[2] ?? '';
    const text = Buffer.from(encoded.replaceAll('-', '='), 'base64').toString();
    const [name, fileTime] = text.split('\u0001');
    expect([name, fileTime]).toEqual(['gamma', expect.stringMatching(/^[0-9a-f]{16}$/)]);
  });

  it('returns nothing and no token for $top=0', async () => {
    const answer = await ask("TableName ne 'x'", '&$top=0');
    expect([namesIn(answer), answer.header(nextTable)]).toEqual([[], undefined]);
  });
});

describe('Query Tables with $filter refuses', () => {
  const headers = accepting('minimalmetadata');
  const refused = (filter: string, options = ''): Promise<WireAnswer> =>
    service.get(`/Tables?${filterOption(filter)}${options}`, headers);

  // Evidence: recorded by others against the service.
  it.each([
    "Foo eq 'tb'",
    "PartitionKey eq 'p'",
    "tablename eq 'beta'",
    "TableName eq 'beta' and n gt 5",
    'not (n eq 1)',
  ])('a property other than TableName, %s: 500 InternalError', async (filter) => {
    expectRefusal(await refused(filter), refusal('InternalError'));
  });

  it.each([
    'filter eq not valid',
    'aaa bbb ccc',
    "TableName eq 'beta",
    'TableName eq 5',
    'TableName eq null',
    "startswith(TableName,'a')",
    '1 eq 2',
    'nonsense (',
  ])('any other error, %s: 501 NotImplemented', async (filter) => {
    expectRefusal(await refused(filter), refusal('NotImplemented'));
  });

  it.each(['-1', '1001', 'ten'])('$top=%s before the filter: 400 InvalidInput', async (top) => {
    for (const filter of ['filter eq not valid', "Foo eq 'tb'"]) {
      expectRefusal(await refused(filter, `&$top=${top}`), refusal('InvalidInput'));
    }
  });
});
