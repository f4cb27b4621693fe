// A table that contains the entities of a sample under the keys of a key design. The entities are in the order of the
// service.

import type { EdmValue } from '../../model/edm.ts';
import { compareKeys, type EntityKey } from '../../model/entity.ts';
import { checkBodyKey } from '../../model/entity-key.ts';
import { findLimitViolation } from '../../model/entity-limits.ts';
import { firstIndex } from '../../model/first-index.ts';
import { pageBytesMax, pageEntitiesMax } from '../../model/limits.ts';
import { ServiceError } from '../../model/service-error.ts';
import { type Column, ColumnBuilder } from '../../query/column.ts';
import type { Filter } from '../../query/filter.ts';
import { matchColumns, propertiesOf } from '../../query/match.ts';
import type { Plan } from '../../query/plan.ts';
import type { KeyExpression } from './key-expression.ts';
import { makeKeyText, NoKey } from './key-text.ts';
import type { Pause } from './pause.ts';
import type { Sample } from './sample.ts';

/** The key expressions for the entities, or for their copies. */
export interface KeyDesign {
  readonly partitionKey: KeyExpression;
  readonly rowKey: KeyExpression;
}

export interface KeyedEntity extends EntityKey {
  /** The index of the entity in the sample. */
  readonly at: number;
}

/**
 * Why some entities cannot be stored under the keys of the design. `missing`: a property is absent. `unfit`: a value
 * does not fit the format in the key expression. `refused`: the service refuses the key. `collision`: another entity
 * has the same keys.
 */
export interface KeyProblem {
  readonly kind: 'missing' | 'unfit' | 'refused' | 'collision';
  readonly entities: number;
  /** The reason for the first of these entities. */
  readonly reason: string;
  /** The keys of the first of these entities. Null if it cannot have keys. */
  readonly key: EntityKey | null;
}

export interface Visited {
  readonly visited: number;
  readonly returned: number;
  /** The number of requests, one for each page. */
  readonly pages: number;
}

const problemsMax = 20;

export class KeyedTable {
  readonly designs: readonly KeyDesign[];
  /** The entities in the order in which a program writes them. */
  readonly written: readonly KeyedEntity[];
  readonly problems: readonly KeyProblem[];
  readonly #sorted: readonly KeyedEntity[];
  readonly #sample: Sample;
  readonly #columns = new Map<string, Column>();

  private constructor(sample: Sample, keyed: Keyed) {
    this.#sample = sample;
    this.designs = keyed.designs;
    this.written = keyed.written;
    this.problems = keyed.problems;
    this.#sorted = keyed.written.toSorted(compareKeys);
  }

  static async build(sample: Sample, designs: readonly KeyDesign[], pause: Pause): Promise<KeyedTable> {
    const written: KeyedEntity[] = [];
    const problems = new Map<string, KeyProblem>();
    const taken = new Set<string>();
    const count = (name: string, problem: Omit<KeyProblem, 'entities'>): void => {
      const known = problems.get(name);
      if (known) problems.set(name, { ...known, entities: known.entities + 1 });
      else if (problems.size < problemsMax) problems.set(name, { ...problem, entities: 1 });
    };
    for (const [at, entity] of sample.entities.entries()) {
      await pause();
      for (const design of designs) {
        const keyed = keyOf(design, (name) => entity.get(name));
        if ('reason' in keyed) count(`${keyed.kind}\n${keyed.reason}`, { ...keyed, key: null });
        else {
          const refusal = refusalOf(keyed);
          const name = `${keyed.partitionKey}\0${keyed.rowKey}`;
          if (refusal) count(`refused\n${refusal.code}`, { kind: 'refused', reason: whyOf(refusal), key: keyed });
          else if (taken.has(name)) count('collision', { kind: 'collision', reason: collisionText, key: keyed });
          else {
            taken.add(name);
            written.push({ ...keyed, at });
          }
        }
      }
    }
    return new KeyedTable(sample, { designs, written, problems: [...problems.values()] });
  }

  /**
   * Returns how many entities a query visits and how many of them it returns, summed over all pages of the query. With
   * `top`, the query ends after at most `top` entities.
   */
  visit({ range, residual }: Plan, top?: number): Visited {
    const { from, before } = range;
    const entities = this.#sorted;
    const isFrom = (bound: EntityKey) => (at: number) => compareKeys(entities[at] as KeyedEntity, bound) >= 0;
    const start = from ? firstIndex(entities.length, isFrom(from)) : 0;
    const end = Math.max(start, before ? firstIndex(entities.length, isFrom(before)) : entities.length);
    const selected = residual && this.#select(residual, start, end);
    if (top === 0) return { visited: 0, returned: 0, pages: 1 };
    const bytes: number[] = [];
    for (let at = start; at < end; at++) {
      if (selected && selected[at - start] === 0) continue;
      bytes.push(this.#sample.bytes[(entities[at] as KeyedEntity).at] as number);
      if (bytes.length === top) return { visited: at + 1 - start, returned: top, pages: 1 };
    }
    return { visited: end - start, returned: bytes.length, pages: pagesOf(bytes) };
  }

  #select(filter: Filter, start: number, end: number): Uint8Array {
    const columns = new Map<string, Column>();
    for (const name of propertiesOf(filter)) columns.set(name, sliceOf(this.#columnOf(name), start, end));
    return matchColumns(filter, columns, end - start);
  }

  #columnOf(name: string): Column {
    let column = this.#columns.get(name);
    if (!column) {
      const builder = new ColumnBuilder(this.#sorted.length);
      for (const [at, entity] of this.#sorted.entries()) {
        const value = this.#valueOf(entity, name);
        if (value) builder.set(at, value);
      }
      column = builder;
      this.#columns.set(name, column);
    }
    return column;
  }

  #valueOf({ partitionKey, rowKey, at }: KeyedEntity, name: string): EdmValue | undefined {
    if (name === 'PartitionKey') return { type: 'Edm.String', value: partitionKey };
    if (name === 'RowKey') return { type: 'Edm.String', value: rowKey };
    return this.#sample.entities[at]?.get(name);
  }
}

interface Keyed {
  readonly designs: readonly KeyDesign[];
  readonly written: readonly KeyedEntity[];
  readonly problems: readonly KeyProblem[];
}

const collisionText = 'another entity has the same PartitionKey and RowKey';

function keyOf(
  { partitionKey, rowKey }: KeyDesign,
  read: (name: string) => EdmValue | undefined,
): EntityKey | Pick<KeyProblem, 'kind' | 'reason'> {
  try {
    return { partitionKey: makeKeyText(partitionKey, read), rowKey: makeKeyText(rowKey, read) };
  } catch (error) {
    if (!(error instanceof NoKey)) throw error;
    return { kind: error.kind, reason: error.message };
  }
}

function refusalOf(key: EntityKey): ServiceError | undefined {
  try {
    checkBodyKey(key);
    return findLimitViolation({ ...key, properties: new Map() });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

const whyOf = ({ code, why }: ServiceError): string => [`${code}:`, ...why].join(' ').replace(/\.$/, '');

/**
 * Returns the number of pages that entities of these sizes fill. A page of the service ends after a thousand entities.
 * It ends earlier if the next entity would bring the page above 4 MiB.
 */
function pagesOf(bytes: readonly number[]): number {
  let [pages, entities, size] = [1, 0, 0];
  for (const one of bytes) {
    if (entities === pageEntitiesMax || (entities > 0 && size + one > pageBytesMax))
      [pages, entities, size] = [pages + 1, 0, 0];
    entities += 1;
    size += one;
  }
  return pages;
}

function sliceOf({ types, typeBits, numbers, lows, texts }: Column, start: number, end: number): Column {
  return {
    types: types.subarray(start, end),
    typeBits,
    numbers: numbers.subarray(start, end),
    lows: lows.subarray(start, end),
    texts: texts.slice(start, end),
  };
}
