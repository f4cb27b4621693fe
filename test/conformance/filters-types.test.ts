import { describe, expect, it } from 'vitest';
import { rowsWhere } from '../support/queries.ts';
import { startService } from '../support/service.ts';

// Which property values a filter selects, for each type of literal. Evidence: recorded by others against the service
// (the matrix of Azurite#2342).

const service = await startService();
await service.createTable('types');
const rows = (filter: string): Promise<string[]> => rowsWhere(service, 'types', filter);

interface Case {
  readonly type: string;
  readonly literal: string;
  /**
   * Three values as JSON: one is less than the literal, one is equal to it, and one is greater. Each may be missing.
   */
  readonly values: readonly [less?: string, equal?: string, greater?: string];
}

const guid = (first: string): string => `"${first}455c695-df98-5678-aaaa-81d3367e5a34"`;
const moment = (tick: number): string => `2020-01-02T03:04:05.000000${tick}Z`;

const cases: readonly Case[] = [
  { type: 'String', literal: "'b'", values: ['"B"', '"b"', '"ba"'] },
  { type: 'Boolean', literal: 'true', values: ['false', 'true'] },
  { type: 'Int32', literal: '3', values: ['2', '3', '4'] },
  { type: 'Int64', literal: '3L', values: ['"2"', '"3"', '"4"'] },
  { type: 'Double', literal: '3.0', values: ['2.5', '3.0', '3.5'] },
  {
    type: 'DateTime',
    literal: `datetime'${moment(2)}'`,
    values: [`"${moment(1)}"`, `"${moment(2)}"`, `"${moment(3)}"`],
  },
  { type: 'Guid', literal: `guid${guid('b').replaceAll('"', "'")}`, values: [guid('a'), guid('b'), guid('c')] },
  { type: 'Binary', literal: "X'0102'", values: ['"AQ=="', '"AQI="', '"Ag=="'] },
];

const rowNames = ['less', 'equal', 'greater'] as const;
for (const [index, RowKey] of rowNames.entries()) {
  const members = cases.flatMap(({ type, values }) =>
    values[index] === undefined ? [] : [`"p${type}@odata.type":"Edm.${type}","p${type}":${values[index]}`],
  );
  await service.insert('types', `{"PartitionKey":"p","RowKey":"${RowKey}",${members.join(',')}}`);
}
// An entity without these properties, which no comparison should select.
await service.insert('types', { RowKey: 'none' });

/** For each property type, the literal types that it accepts: its own type, and the types that can be widened to it. */
const taken: Readonly<Record<string, readonly string[]>> = {
  Int64: ['Int32', 'Int64'],
  Double: ['Int32', 'Int64', 'Double'],
};

const selections = {
  eq: ['equal'],
  ne: ['less', 'greater'],
  lt: ['less'],
  le: ['less', 'equal'],
  gt: ['greater'],
  ge: ['equal', 'greater'],
} as const;
const always = new Set(['ne', 'lt', 'le']);

async function selected(property: string, literal: string): Promise<Record<string, string[]>> {
  const answers: [string, string[]][] = [];
  for (const operator of Object.keys(selections)) {
    answers.push([operator, (await rows(`${property} ${operator} ${literal}`)).sort()]);
  }
  return Object.fromEntries(answers);
}

const pairs = cases.flatMap((property) => cases.map((literal) => ({ property, literal })));
const isTaken = (property: Case, literal: Case): boolean =>
  (taken[property.type] ?? [property.type]).includes(literal.type);

describe("A literal of the property's type, or one that can be widened to it", () => {
  it.each(
    pairs
      .filter(({ property, literal }) => isTaken(property, literal))
      .map(({ property, literal }) => [property.type, literal.type, property, literal] as const),
  )('compares by value: %s with %s', async (_, __, property, literal) => {
    const there = rowNames.filter((_name, index) => property.values[index] !== undefined);
    const expected = Object.entries(selections).map(([operator, names]) => [
      operator,
      there.filter((name) => (names as readonly string[]).includes(name)).sort(),
    ]);
    expect(await selected(`p${property.type}`, literal.literal)).toEqual(Object.fromEntries(expected));
  });
});

describe('A literal of any other type', () => {
  it.each(
    pairs
      .filter(({ property, literal }) => !isTaken(property, literal))
      .map(({ property, literal }) => [property.type, literal.type, property, literal] as const),
  )('is greater than every value of the property, and not an error: %s with %s', async (_, __, property, literal) => {
    const all = rowNames.filter((_name, index) => property.values[index] !== undefined).sort();
    const expected = Object.keys(selections).map((operator) => [operator, always.has(operator) ? all : []]);
    expect(await selected(`p${property.type}`, literal.literal)).toEqual(Object.fromEntries(expected));
  });
});

describe('A literal on the left', () => {
  const mirrored = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' } as const;

  it.each(Object.entries(mirrored))('reverses the operator: %s as %s', async (operator, other) => {
    for (const { type, literal } of cases) {
      const turned = await rows(`${literal} ${operator} p${type}`);
      expect(turned, type).toEqual(await rows(`p${type} ${other} ${literal}`));
    }
  });

  it('is widened in the same way as on the right', async () => {
    expect(await rows('3 eq pInt64')).toEqual(['equal']);
    expect(await rows('3L gt pInt32')).toHaveLength(3);
    expect(await rows('3L lt pInt32')).toEqual([]);
  });
});

describe('Int64 beyond 2^53', () => {
  it('is compared exactly', async () => {
    await service.createTable('big');
    for (const n of ['-9223372036854775808', '9007199254740992', '9007199254740993', '9223372036854775807']) {
      const RowKey = n.slice(-3);
      await service.insert('big', `{"PartitionKey":"p","RowKey":"${RowKey}","n@odata.type":"Edm.Int64","n":"${n}"}`);
    }
    const big = (filter: string): Promise<string[]> => rowsWhere(service, 'big', filter);
    expect(await big('n eq 9007199254740993L')).toEqual(['993']);
    expect(await big('n gt 9007199254740992L')).toEqual(['807', '993']);
    expect(await big('n lt 9007199254740993l')).toEqual(['808', '992']);
    expect(await big('n ge 9223372036854775807L')).toEqual(['807']);
    expect(await big('n le -9223372036854775808L')).toEqual(['808']);
    expect(await big('n lt -1')).toEqual(['808']);
  });
});

describe('Double', () => {
  it('has NaN, which equals nothing and has no order, and infinities, which have one', async () => {
    await service.createTable('doubles');
    for (const d of ['NaN', 'Infinity', '-Infinity', '5.5']) {
      await service.insert('doubles', `{"PartitionKey":"p","RowKey":"${d}","d@odata.type":"Edm.Double","d":"${d}"}`);
    }
    await service.insert('doubles', { RowKey: 'none' });
    const doubles = (filter: string): Promise<string[]> => rowsWhere(service, 'doubles', filter);
    const all = ['-Infinity', '5.5', 'Infinity', 'NaN'];
    expect(await doubles('d ne NaN')).toEqual(all);
    for (const operator of ['eq', 'lt', 'le', 'gt', 'ge']) expect(await doubles(`d ${operator} NaN`)).toEqual([]);
    expect(await doubles('d eq INF')).toEqual(['Infinity']);
    expect(await doubles('d eq -INF')).toEqual(['-Infinity']);
    expect(await doubles('d lt 6')).toEqual(['-Infinity', '5.5']);
    expect(await doubles('d gt -INF')).toEqual(['5.5', 'Infinity']);
    expect(await doubles('d ne 5.5')).toEqual(['-Infinity', 'Infinity', 'NaN']);
    // Compared with another type, NaN is smaller, as every value is.
    expect(await doubles("d lt 'x'")).toEqual(all);
  });
});
