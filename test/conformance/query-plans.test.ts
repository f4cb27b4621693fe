import { describe, expect, it } from 'vitest';
import { accepting } from '../support/expect-success.ts';
import { continuationOf, filterOption, queryEntities } from '../support/queries.ts';
import { entityPath, startService } from '../support/service.ts';

// If a request has `x-emulator-explain: true`, the emulator reports in the Server-Timing header how many entities the
// query visits. The service does not report this number.

const service = await startService();
await service.createTable('plans');
for (const PartitionKey of ['a', 'b']) {
  for (let n = 0; n < 10; n++) await service.insert('plans', { PartitionKey, RowKey: `r${n}`, n });
}

async function explained(options: string): Promise<string | undefined> {
  const headers = { ...accepting('nometadata'), 'x-emulator-explain': 'true' };
  const answer = await service.get(`/plans()?${options}`, headers);
  expect(answer.status, answer.body).toBe(200);
  return answer.header('Server-Timing');
}

interface Effort {
  readonly plan: string;
  readonly visited: number;
  readonly returned: number;
  readonly end?: string;
}

const figures = ({ plan, visited, returned, end = 'range' }: Effort): string =>
  `plan;desc="${plan}", visited;desc="${visited}", returned;desc="${returned}", end;desc="${end}", units;desc="${Math.max(1, visited)}", `;

describe('Server-Timing', () => {
  it('contains plan, figures and reason for each kind of plan', async () => {
    const one = '1 entity visited for 1 returned';
    expect(await explained(filterOption("PartitionKey eq 'a' and RowKey eq 'r3'"))).toBe(
      `${figures({ plan: 'point', visited: 1, returned: 1 })}explanation;desc="point: PartitionKey and RowKey are pinned; ${one}"`,
    );
    expect(await explained(filterOption("PartitionKey eq 'a' and RowKey ge 'r3' and RowKey lt 'r7' and n eq 5"))).toBe(
      `${figures({ plan: 'range', visited: 4, returned: 1 })}explanation;desc="range: PartitionKey is pinned and RowKey is bounded; 4 entities visited for 1 returned"`,
    );
    expect(await explained(filterOption("PartitionKey eq 'a' and n eq 5"))).toBe(
      `${figures({ plan: 'partition scan', visited: 10, returned: 1 })}explanation;desc="partition scan: PartitionKey is pinned, but no condition bounds RowKey; 10 entities visited for 1 returned"`,
    );
    expect(await explained(filterOption('n eq 5'))).toBe(
      `${figures({ plan: 'table scan', visited: 20, returned: 2 })}explanation;desc="table scan: no condition pins PartitionKey; 20 entities visited for 2 returned"`,
    );
  });

  it('names a probable mistake in the filter, in ASCII whatever the filter contains', async () => {
    const hostile = await explained(filterOption(`n eq '", plan;desc="x" 100% \\ ä\u{1f600}'`));
    const [, remark = ''] = /, remark;desc="([ !#-$&-[\]-~%]*)"$/.exec(hostile ?? '') ?? [];
    expect(decodeURIComponent(remark)).toBe(
      `n is Edm.Int32 in all 20 visited entities; '", plan;desc="x" 100% \\ ä\u{1f600}' is a string, so the comparison is never true`,
    );
  });

  const shapes: [string, Effort][] = [
    ["PartitionKey eq 'a' and RowKey eq 'none'", { plan: 'point', visited: 0, returned: 0 }],
    ["'r3' eq RowKey and (n eq 3 and ('a' eq PartitionKey))", { plan: 'point', visited: 1, returned: 1 }],
    ["PartitionKey eq 'a' and RowKey gt 'r7'", { plan: 'range', visited: 2, returned: 2 }],
    // Conditions below or, not or ne do not limit the range of keys.
    [
      "PartitionKey eq 'a' and (RowKey eq 'r1' or RowKey eq 'r2')",
      { plan: 'partition scan', visited: 10, returned: 2 },
    ],
    ["PartitionKey eq 'a' and not (RowKey eq 'r1')", { plan: 'partition scan', visited: 10, returned: 9 }],
    ["PartitionKey eq 'a' and RowKey ne 'r1'", { plan: 'partition scan', visited: 10, returned: 9 }],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", { plan: 'table scan', visited: 20, returned: 20 }],
    [
      "(PartitionKey eq 'a' and RowKey eq 'r1') or (PartitionKey eq 'b' and RowKey eq 'r1')",
      { plan: 'table scan', visited: 20, returned: 2 },
    ],
    ["RowKey eq 'r1'", { plan: 'table scan', visited: 20, returned: 2 }],
    ["not (PartitionKey ne 'a')", { plan: 'table scan', visited: 20, returned: 10 }],
    ["PartitionKey gt 'a'", { plan: 'table scan', visited: 10, returned: 10 }],
    ["PartitionKey eq 'a' and PartitionKey eq 'b'", { plan: 'partition scan', visited: 0, returned: 0 }],
    ['', { plan: 'table scan', visited: 20, returned: 20 }],
  ];

  it.each(shapes)('counts the entities in the bounds of the filter: %s', async (filter, effort) => {
    expect(await explained(filterOption(filter))).toContain(figures(effort));
  });

  it('does not count the search for the entity that the continuation names', async () => {
    const filter = filterOption('n eq 5');
    expect(await explained(`${filter}&$top=1`)).toContain(
      figures({ plan: 'table scan', visited: 6, returned: 1, end: 'limit' }),
    );
    const next = continuationOf(await queryEntities(service, 'plans', `${filter}&$top=1`));
    expect(await explained(`${filter}&$top=1&${next}`)).toContain(
      figures({ plan: 'table scan', visited: 1, returned: 1 }),
    );
    expect(await explained('$top=3')).toContain(figures({ plan: 'table scan', visited: 3, returned: 3, end: 'limit' }));
    expect(await explained(`$top=20`)).toContain(figures({ plan: 'table scan', visited: 20, returned: 20 }));
  });

  it('counts the same if the query is repeated', async () => {
    await service.createTable('again');
    const rows = Array.from({ length: 300 }, (_, n) => service.insert('again', { RowKey: `r${1000 + n}`, n: n % 100 }));
    await Promise.all(rows);
    const headers = { ...accepting('nometadata'), 'x-emulator-explain': 'true' };
    const path = `/again()?${filterOption('n eq 50')}&$top=2`;
    const answers = [
      await service.get(path, headers),
      await service.get(path, headers),
      await service.get(path, headers),
    ];
    const timings = answers.map((answer) => answer.header('Server-Timing'));
    expect(new Set(timings).size).toBe(1);
    expect(timings[0]).toContain(figures({ plan: 'table scan', visited: 151, returned: 2, end: 'limit' }));
  });

  it('counts nothing for $top=0', async () => {
    expect(await explained(`${filterOption('n eq 5')}&$top=0`)).toContain('visited;desc="0", returned;desc="0"');
  });

  it('is absent unless it was requested', async () => {
    for (const value of [undefined, 'false', '1', 'TRUE', '']) {
      const answer = await service.get('/plans()', { 'x-emulator-explain': value });
      expect([answer.status, answer.header('Server-Timing')], value).toEqual([200, undefined]);
    }
  });

  it('is absent for other requests, and for a refused query', async () => {
    const headers = { 'x-emulator-explain': 'true' };
    for (const path of [entityPath('plans', 'a', 'r1'), '/Tables', '/plans()?$filter=(', '/absent()']) {
      expect((await service.get(path, headers)).header('Server-Timing'), path).toBeUndefined();
    }
  });

  it('is the only change in the response', async () => {
    const plain = await queryEntities(service, 'plans', filterOption('n eq 5'));
    const headers = { ...accepting('nometadata'), 'x-emulator-explain': 'true' };
    const answer = await service.get(`/plans()?${filterOption('n eq 5')}`, headers);
    expect(answer.body).toBe(plain.body);
    const names = answer.headers.map(([name]) => name).filter((name) => name !== 'Server-Timing');
    expect(names).toEqual(plain.headers.map(([name]) => name));
  });
});
