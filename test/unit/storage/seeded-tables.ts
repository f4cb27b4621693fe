// Makes tables and filters from a seed, so that they can be made again. The tables are larger than the arrays that
// fast-check makes in the same time.

import type { EdmValue } from '../../../src/model/edm.ts';
import type { Entity, EntityKey } from '../../../src/model/entity.ts';
import type { ComparisonOperator, Filter } from '../../../src/query/filter.ts';
import { comparison, flattened, not } from '../query/filters.ts';
import type { ValueOf } from '../query/naive-filter.ts';

/** Random numbers from a seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number that is at least 0 and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number that is at least 0 and less than `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('nothing to pick from');
    return choices[this.below(choices.length)] as T;
  }
}

const typed = <T extends EdmValue['type']>(type: T, values: readonly unknown[]): EdmValue[] =>
  values.map((value) => ({ type, value }) as EdmValue);

/** Only few values of each type, so that entities and literals match. Some are hard to store or to compare. */
export const hardValues: readonly EdmValue[] = [
  ...typed('Edm.String', [
    '',
    'a',
    'A',
    'b',
    '"',
    '\\',
    '\\"',
    ',',
    "it's",
    '"a":1',
    '","a":1,"b":"',
    'a@odata.type',
    '"a@odata.type":"Edm.Int64","a":"5"',
    '\\","a":true',
    'é',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
    '\ud800',
    '\u0000',
    '5',
    'true',
  ]),
  ...typed('Edm.Boolean', [true, false]),
  ...typed('Edm.Int32', [0, 1, -1, 5, 2 ** 31 - 1, -(2 ** 31)]),
  ...typed('Edm.Int64', [
    0n,
    1n,
    -1n,
    5n,
    2n ** 53n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    2n ** 32n,
    2n ** 32n - 1n,
    -(2n ** 32n),
    -(2n ** 32n) - 1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ]),
  ...typed('Edm.Double', [0, -0, 1, -1, 5, 0.1, 2 ** 53, 1e300, -1e-300, NaN, Infinity, -Infinity]),
  ...typed('Edm.DateTime', [
    504_911_232_000_000_000n,
    638_501_400_000_000_000n,
    638_501_400_000_000_001n,
    638_501_400_010_000_000n,
    3_155_378_975_999_999_999n,
  ]),
  ...typed('Edm.Guid', ['00000000-0000-0000-0000-000000000000', 'c9da6455-213d-42c9-9a79-3e9149a57833']),
  ...typed('Edm.Binary', [Buffer.from([]), Buffer.from([0]), Buffer.from([0x7f]), Buffer.from([0x80, 0xff])]),
];

/** Names that are prefixes or suffixes of one another, and names of object members. */
export const hardNames = ['a', 'aa', 'ba', 'A', 'a_', 'é', 'aé', '__proto__', 'type', 'Edm'] as const;

const keyTexts = ['', 'a', 'ab', 'b', "o'b", '"', ' ', '10', '9', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}'];
const keyTails = ['', '\u{10ffff}', '\ue000', '\u{10ffff}\uffff', 'z'];

/** Entities with unique keys, in no order. */
export function entitiesFrom(random: SeededRandom, count: number): Entity[] {
  const partitions = Array.from(
    { length: random.between(1, 6) },
    () => random.pick(keyTexts) + (random.chance(0.3) ? random.pick(keyTails) : ''),
  );
  const names = hardNames.slice(0, random.between(1, hardNames.length));
  const values = Array.from({ length: random.between(2, 20) }, () => random.pick(hardValues));
  const paddingChars = random.chance(0.1) ? Math.floor(2_000_000 / count) : 0;
  return Array.from({ length: count }, (_, at) => {
    const properties = new Map<string, EdmValue>();
    for (const name of names) if (random.chance(0.6)) properties.set(name, random.pick(values));
    if (paddingChars > 0) properties.set('padding', { type: 'Edm.String', value: 'p'.repeat(paddingChars) });
    const rowKey = `${random.pick(keyTexts)}.${at}${random.chance(0.2) ? random.pick(keyTails) : ''}`;
    return { partitionKey: random.pick(partitions), rowKey, properties };
  });
}

/** Returns the value of a property by its name, including system properties. */
export function valuesOf({ partitionKey, rowKey, properties }: Entity, ticks = 0n): ValueOf {
  return (name) => {
    if (name === 'PartitionKey') return { type: 'Edm.String', value: partitionKey };
    if (name === 'RowKey') return { type: 'Edm.String', value: rowKey };
    if (name === 'Timestamp') return { type: 'Edm.DateTime', value: ticks };
    return properties.get(name);
  };
}

const operators: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** Makes filters with literals that mostly occur in the entities. */
export class FilterSource {
  readonly #random: SeededRandom;
  readonly #entities: readonly Entity[];
  readonly #ticks: readonly bigint[];

  constructor(random: SeededRandom, entities: readonly Entity[], ticks: readonly bigint[]) {
    this.#random = random;
    this.#entities = entities;
    this.#ticks = ticks;
  }

  next(): Filter {
    const random = this.#random;
    const bounds = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => this.#keyBound());
    const body = random.chance(0.15) ? [] : [this.#tree(3)];
    const terms = [...bounds, ...body];
    return terms.length === 0 ? this.#leaf() : this.#joined('and', terms);
  }

  #joined(kind: 'and' | 'or', terms: readonly Filter[]): Filter {
    return terms.length === 1 ? (terms[0] as Filter) : flattened({ kind, terms });
  }

  #tree(depth: number): Filter {
    const random = this.#random;
    if (depth === 0 || random.chance(0.4)) return this.#leaf();
    if (random.chance(0.25)) return not(this.#tree(depth - 1));
    const terms = Array.from({ length: random.between(2, 3) }, () => this.#tree(depth - 1));
    return this.#joined(random.pick(['and', 'or'] as const), terms);
  }

  #keyBound(): Filter {
    const random = this.#random;
    const name = random.pick(['PartitionKey', 'PartitionKey', 'RowKey'] as const);
    return comparison(name, random.pick([...operators, 'eq' as const]), this.#keyText(name));
  }

  #keyText(name: 'PartitionKey' | 'RowKey'): EdmValue {
    const random = this.#random;
    const { partitionKey, rowKey } = random.pick<EntityKey>(this.#entities);
    const text = name === 'PartitionKey' ? partitionKey : rowKey;
    const value = random.chance(0.2) ? [...text].slice(0, -1).join('') : text;
    return { type: 'Edm.String', value: random.chance(0.1) ? `${value}\u0000` : value };
  }

  #leaf(): Filter {
    const random = this.#random;
    const operator = random.pick(operators);
    if (random.chance(0.04)) return { kind: 'constant', value: random.chance(0.5) };
    if (random.chance(0.1)) return { kind: 'property', name: random.pick(hardNames) };
    if (random.chance(0.2)) return this.#keyBound();
    if (random.chance(0.1)) {
      return comparison('Timestamp', operator, { type: 'Edm.DateTime', value: random.pick(this.#ticks) });
    }
    const { properties } = random.pick(this.#entities);
    if (properties.size === 0 || random.chance(0.25)) {
      const name = random.pick<string>([...hardNames, 'absent', 'PartitionKey', 'RowKey', 'Timestamp']);
      return comparison(name, operator, random.pick(hardValues));
    }
    const [name, value] = random.pick([...properties]);
    return comparison(name, operator, value);
  }
}
