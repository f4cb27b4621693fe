// Compares a table in two accounts by counts and digests of the entities, without ETag and Timestamp.

import { createHash } from 'node:crypto';
import { compareKeys, type EntityKey } from '../../model/entity.ts';
import { encodeProperties } from '../../model/properties.ts';
import type { EntityRow } from '../entity-text.ts';
import type { Continuation } from '../table-client.ts';
import { keyTextOf } from './page-transactions.ts';
import type { Side } from './side.ts';

export interface TableComparison {
  readonly from: Contents;
  /** Entities of the target that have the key of an entity of the source. */
  readonly to: Contents;
  /** Number of entities that only the target has. They do not count as a difference, because a copy leaves them. */
  readonly others: number;
  /** The first key at which the entities differ, or which the target lacks. */
  readonly difference?: EntityKey;
}

export interface Contents {
  readonly entities: number;
  /** Hexadecimal. It does not depend on the order of entities or properties. */
  readonly digest: string;
}

export const isEqual = ({ from, to }: TableComparison): boolean =>
  from.entities === to.entities && from.digest === to.digest;

export interface TableToCompare {
  readonly name: string;
  /** Called for each entity of the source. */
  readonly onCompared: () => void;
}

/** Reads both tables page by page. Throws SideError. */
export async function compareTables(
  from: Side,
  to: Side,
  { name, onCompared }: TableToCompare,
): Promise<TableComparison> {
  const [source, target] = [new Reader(from, name), new Reader(to, name)];
  const [ofSource, ofTarget, ofOthers] = [new Digest(), new Digest(), new Digest()];
  let difference: EntityKey | undefined;
  await Promise.all([source.advance(), target.advance()]);
  while (source.current || target.current) {
    const [own, other] = [source.current, target.current];
    const order = own && other ? compareKeys(own.key, other.key) : own ? -1 : 1;
    if (own && order <= 0) {
      ofSource.add(own.digest);
      onCompared();
      if (order < 0 || own.digest !== other?.digest) difference ??= own.key;
    }
    if (other && order >= 0) (order === 0 ? ofTarget : ofOthers).add(other.digest);
    if (order <= 0) await source.advance();
    if (order >= 0) await target.advance();
  }
  // What the source does not send as an entity was not copied, so it counts as a difference.
  for (const key of source.unreadable) {
    ofSource.add(unreadableDigest);
    difference ??= key;
  }
  // If one of the sides does not sort keys in the service's order, entities cannot be paired by key. In that case, all
  // entities of the target count as copied.
  if (source.isOrdered && target.isOrdered) {
    return { from: ofSource, to: ofTarget, others: ofOthers.entities, ...(difference ? { difference } : {}) };
  }
  ofTarget.merge(ofOthers);
  return { from: ofSource, to: ofTarget, others: 0 };
}

/** The digest of anything that cannot be read. */
const unreadableDigest = 1n;

/** A sum of the digests of entities. */
class Digest implements Contents {
  entities = 0;
  #sum = 0n;

  add(digest: bigint): void {
    this.entities++;
    this.#sum = BigInt.asUintN(128, this.#sum + digest);
  }

  merge(other: Digest): void {
    this.entities += other.entities;
    this.#sum = BigInt.asUintN(128, this.#sum + other.#sum);
  }

  get digest(): string {
    return this.#sum.toString(16).padStart(32, '0');
  }

  toJSON(): Contents {
    return { entities: this.entities, digest: this.digest };
  }
}

interface Read {
  readonly key: EntityKey;
  readonly digest: bigint;
}

class Reader {
  /** Undefined at the end. */
  current: Read | undefined;
  isOrdered = true;
  /** The keys of rows that were not entities. */
  readonly unreadable: (EntityKey | undefined)[] = [];
  readonly #side: Side;
  readonly #table: string;
  #rows: readonly EntityRow[] = [];
  #at = 0;
  #next: Continuation | undefined;
  #hasBegun = false;

  constructor(side: Side, table: string) {
    this.#side = side;
    this.#table = table;
  }

  async advance(): Promise<void> {
    while (this.#at >= this.#rows.length && (!this.#hasBegun || this.#next)) {
      const page = await this.#side.readPage(this.#table, this.#next);
      [this.#rows, this.#next, this.#at, this.#hasBegun] = [page.rows, page.next, 0, true];
      this.unreadable.push(...page.unreadable.map(({ key }) => key));
    }
    const row = this.#rows[this.#at++];
    const last = this.current;
    this.current = row && { key: keyOf(row), digest: digestOf(row) };
    if (last && this.current && compareKeys(last.key, this.current.key) >= 0) this.isOrdered = false;
  }
}

const keyOf = (row: EntityRow): EntityKey => ({
  partitionKey: keyTextOf(row, 'PartitionKey'),
  rowKey: keyTextOf(row, 'RowKey'),
});

function digestOf(row: EntityRow): bigint {
  const properties = [...row].filter(([name]) => name !== 'Timestamp').sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(encodeProperties(new Map(properties)));
  return BigInt(`0x${hash.digest('hex').slice(0, 32)}`);
}
