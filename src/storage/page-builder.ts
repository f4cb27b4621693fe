// The rules for one page, independent of the engine. A page ends when it is full (by entities or bytes), when it
// reaches a boundary or the end of the partition, or when the budget is spent. The rules also decide which entities
// count as visited, and where the next page begins. The engine asks for the next step, reads the keys that the step
// names, and passes the entities or the key back. Only the engine measures time. When the page has taken too long, the
// engine calls `cutOff`.

import { compareKeys, type EntityKey, type EntityRecord } from '../model/entity.ts';
import { firstIndex } from '../model/first-index.ts';
import { earlierBound, endOfPartition, firstKey, isEmptyRange } from '../model/key-range.ts';
import type { PageEnd } from '../query/report.ts';
import type { ScanPage, ScanRequest, Visit } from './store.ts';

/**
 * What an engine does next for a page. A range includes `from` and ends before `before`. Without `before`, it ends at
 * the end of the table.
 */
export type PageStep =
  /** Reads in key order, and passes the entities to `take`. The page can use at most `wanted` entities. */
  | { readonly kind: 'read'; readonly from: EntityKey; readonly before: EntityKey | undefined; readonly wanted: number }
  /** Passes the first key of a range to `found`, or undefined if there is none. */
  | {
      readonly kind: 'find';
      readonly from: EntityKey;
      readonly before: EntityKey | undefined;
      readonly found: (key: EntityKey | undefined) => void;
    }
  | { readonly kind: 'done'; readonly page: ScanPage };

/** Adjacent entities that are read together. Their indexes go from `start` (inclusive) to `end` (exclusive). */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** First key after the entities that were read; undefined at the end of the range. */
  readonly high: EntityKey | undefined;
  /** By index, 1 for each entity that the filter selects; undefined if all are selected. */
  readonly selected: Uint8Array | undefined;
  /** Undefined if the entity no longer exists. */
  readonly entityAt: (at: number) => EntityRecord | undefined;
  /** Describes the entities from `start` (inclusive) to an index (exclusive), for `onVisit`. */
  readonly visitUpTo: (end: number) => Visit;
}

export class PageBuilder {
  readonly #request: ScanRequest;
  readonly #bounds: PageBounds;
  readonly #matches = new Matches();
  #visited = 0;
  /** Whether `onVisit` has ended the page. */
  #isSpent = false;
  #page: ScanPage | undefined;

  constructor(request: ScanRequest) {
    this.#request = request;
    this.#bounds = new PageBounds(request);
  }

  step(): PageStep {
    const { limit, endsAtPartition } = this.#request;
    const { from, before, partitionKey } = this.#bounds;
    if (this.#page) return { kind: 'done', page: this.#page };
    if (this.#isFull()) return { kind: 'done', page: this.#fullPage() };
    if (!from) return this.#lookBeyond();
    // A page at its limit still looks for the next entity. This entity is not charged.
    if (this.#isSpent && this.#matches.entities.length < limit) {
      return this.#find(from, before, (next) => (this.#page = this.#pageWith('budget', next)));
    }
    if (endsAtPartition && partitionKey === undefined) {
      return this.#find(from, before, (key) => this.#endWithPartition(key));
    }
    return { kind: 'read', from, before, wanted: limit + 1 - this.#matches.entities.length };
  }

  /** Adds the selected entities of the stretch that a `read` step requested, until the page is full. */
  take({ start, end, high, selected, entityAt, visitUpTo }: Stretch): void {
    const { limit, onVisit } = this.#request;
    // Looking for a next entity is not a visit.
    let visitedEnd = this.#matches.entities.length >= limit ? start : end;
    for (let at = nextSelected(selected, start); at < end; at = nextSelected(selected, at + 1)) {
      const entity = entityAt(at);
      if (!entity) continue;
      this.#matches.append(entity);
      if (this.#isFull()) {
        visitedEnd = Math.min(visitedEnd, at);
        break;
      }
      if (this.#matches.entities.length === limit) visitedEnd = Math.min(visitedEnd, at + 1);
    }
    this.#visited += visitedEnd - start;
    this.#bounds.moveTo(high);
    if (visitedEnd > start && onVisit && !onVisit(visitUpTo(visitedEnd))) this.#isSpent = true;
  }

  /** Whether the page has passed a key of its range, so that a write to the key may change the page. */
  hasPassed(key: EntityKey): boolean {
    const { from } = this.#request.range;
    return (!from || compareKeys(key, from) >= 0) && this.#bounds.isBehind(key);
  }

  /**
   * Corrects the page after a write to a key that the page has passed. `now` is the state after the write.
   * `now.selected` is the entity if the filter selects it, otherwise undefined.
   */
  correct(key: EntityKey, now: { readonly exists: boolean; readonly selected: EntityRecord | undefined }): void {
    if (now.exists && this.#request.endsAtPartition) this.#endWithPartition(key);
    if (this.#bounds.isWithin(key)) this.#matches.replace(key, now.selected);
  }

  /** Ends the page where it is, because its time is over. */
  cutOff(): ScanPage {
    return this.#pageWith('time', this.#bounds.from ?? this.#bounds.before);
  }

  /** The page of a table that was cleared in the meantime. */
  emptied(): ScanPage {
    return { kind: 'page', entities: [], visited: this.#visited, end: 'range' };
  }

  /** A page without entities, which continues where it began. */
  startedOver(): ScanPage {
    const { from: { partitionKey, rowKey } = firstKey } = this.#request.range;
    return { kind: 'page', entities: [], visited: this.#visited, end: 'time', next: { partitionKey, rowKey } };
  }

  #isFull(): boolean {
    const { entities, bytes } = this.#matches;
    const { limit, bytesMax } = this.#request;
    return entities.length > limit || (entities.length > 1 && bytes > bytesMax);
  }

  #fullPage(): ScanPage {
    const { limit, bytesMax } = this.#request;
    const next = this.#matches.cutToSize(limit, bytesMax);
    return this.#pageWith(this.#matches.entities.length === limit ? 'limit' : 'size', next);
  }

  /**
   * Decides why the page ends after it has reached its bounds. If the range of the request continues beyond the bounds,
   * the reason depends on the first key beyond the bounds.
   */
  #lookBeyond(): PageStep {
    const { before, partitionKey } = this.#bounds;
    const { before: rangeEnd } = this.#request.range;
    if (!before || before === rangeEnd) return { kind: 'done', page: this.#pageWith('range', undefined) };
    const found = (next: EntityKey | undefined): void => {
      const isOtherPartition = partitionKey !== undefined && partitionKey !== next?.partitionKey;
      const end = !next ? 'range' : isOtherPartition ? 'partition' : 'boundary';
      this.#page = this.#pageWith(end, next);
    };
    return { kind: 'find', from: before, before: rangeEnd, found };
  }

  /** Looks for the first key of a range. If there is none, the page is at its end. */
  #find(from: EntityKey, before: EntityKey | undefined, use: (key: EntityKey) => void): PageStep {
    const found = (key: EntityKey | undefined): void => {
      if (key) use(key);
      else this.#bounds.moveTo(undefined);
    };
    return { kind: 'find', from, before, found };
  }

  /**
   * Ends the page after the partition of the given key: the first key of the page, or a key that was written after the
   * page began. Has no effect if the page already ends there or earlier.
   */
  #endWithPartition({ partitionKey }: EntityKey): void {
    const end = this.#bounds.endWithPartition(partitionKey);
    if (end) this.#matches.cutAt(end);
  }

  #pageWith(end: PageEnd, next: EntityKey | undefined): ScanPage {
    const { entities } = this.#matches;
    const visited = this.#visited;
    if (!next) return { kind: 'page', entities, visited, end };
    const { partitionKey, rowKey } = next;
    return { kind: 'page', entities, visited, end, next: { partitionKey, rowKey } };
  }
}

/** The current position of a page, and its end. */
class PageBounds {
  /** The next key to read; undefined when the page is at its end. */
  from: EntityKey | undefined;
  /** The first key after the page; undefined for the end of the table. */
  before: EntityKey | undefined;
  /** The partition with which the page ends, once it is known. */
  partitionKey: string | undefined;

  constructor({ range, endsBefore }: ScanRequest) {
    const from = range.from ?? firstKey;
    this.from = isEmptyRange(range) ? undefined : from;
    // A page that begins at the boundary, or after it, never reaches the boundary.
    this.before =
      endsBefore && compareKeys(from, endsBefore) < 0 ? earlierBound(range.before, endsBefore) : range.before;
  }

  isBehind(key: EntityKey): boolean {
    return !this.from || compareKeys(key, this.from) < 0;
  }

  isWithin(key: EntityKey): boolean {
    return !this.before || compareKeys(key, this.before) < 0;
  }

  moveTo(key: EntityKey | undefined): void {
    this.from = key && this.isWithin(key) ? key : undefined;
  }

  /** Returns the new end if it is earlier than the old one. */
  endWithPartition(partitionKey: string): EntityKey | undefined {
    const end = endOfPartition(partitionKey);
    this.partitionKey ??= partitionKey;
    if (!this.isWithin(end)) return undefined;
    this.partitionKey = partitionKey;
    this.before = end;
    this.moveTo(this.from);
    return end;
  }
}

/** The entities of a page, in key order. */
class Matches {
  readonly entities: EntityRecord[] = [];
  /** Length of their stored properties. */
  bytes = 0;

  append(entity: EntityRecord): void {
    this.entities.push(entity);
    this.bytes += entity.properties.length;
  }

  /** Removes the entity with this key, if it is in the page, and inserts `entity`, if it is given. */
  replace(key: EntityKey, entity: EntityRecord | undefined): void {
    const at = this.#placeOf(key);
    const current = this.entities[at];
    const isPresent = current !== undefined && compareKeys(current, key) === 0;
    this.entities.splice(at, isPresent ? 1 : 0, ...(entity ? [entity] : []));
    this.bytes += (entity?.properties.length ?? 0) - (isPresent ? current.properties.length : 0);
  }

  /** Drops the entities from this key onwards. */
  cutAt(key: EntityKey): void {
    for (const { properties } of this.entities.splice(this.#placeOf(key))) this.bytes -= properties.length;
  }

  /**
   * Keeps at most `limit` entities and `bytesMax` bytes, but at least one entity. Returns the first dropped entity, or
   * undefined if there is none.
   */
  cutToSize(limit: number, bytesMax: number): EntityRecord | undefined {
    let bytes = 0;
    for (const [at, entity] of this.entities.entries()) {
      const { length } = entity.properties;
      if (at === limit || (at > 0 && bytes + length > bytesMax)) {
        this.entities.length = at;
        this.bytes = bytes;
        return entity;
      }
      bytes += length;
    }
    return undefined;
  }

  /** Index of the first entity at or after a key. */
  #placeOf(key: EntityKey): number {
    const { entities } = this;
    return firstIndex(entities.length, (at) => compareKeys(entities[at] as EntityRecord, key) >= 0);
  }
}

/** Index of the next entity that is selected; Infinity if there is none. */
function nextSelected(selected: Uint8Array | undefined, from: number): number {
  if (!selected) return from;
  const at = selected.indexOf(1, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
