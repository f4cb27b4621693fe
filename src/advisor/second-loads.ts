// Measures the load of each second: the number of entities that are visited or written, counted by the rules of the
// scalability targets. The sum of a second is complete even if the windows of observations do not contain all requests
// of this second.

import { copyString } from '../model/copy-string.ts';
import type { CountedRequest, Table } from './observation.ts';
import { requestText } from './show-request.ts';

/**
 * The maximum number of seconds that are kept for all accounts together. Old seconds are kept because the advisor
 * compares a burst with the seconds before the burst.
 */
const secondsMax = 4_096;
/**
 * The maximum number of partitions that are counted separately within a second. Above this number, all partitions whose
 * load does not exceed the average are removed.
 */
const partitionsMax = 4_096;
/** The number of partitions that are kept of a second: those with the highest load. */
const heaviestMax = 4;
/** If the load of a second is less than this share of a partition's target, only its sum is kept. */
const shareMin = 0.01;

/** The load of an account or a partition in one second, and the first request of this second. */
interface Load {
  readonly account: string;
  /** The time of the first request: milliseconds since 1970, by the emulator's clock. */
  readonly atMs: number;
  /** The first request, written so that a developer recognises it. */
  readonly request: string;
  /** The number of entities. Each KiB, or part of a KiB, of an entity counts as one. */
  readonly entities: number;
}

export interface PartitionSecond extends Load {
  readonly table: string;
  readonly partitionKey: string;
}

export interface SecondLoad extends Load {
  /** The second, by machine time. */
  readonly second: number;
  readonly requests: number;
  /** The partitions with the highest load, in descending order. */
  readonly partitions: readonly PartitionSecond[];
}

/**
 * `now` contains the seconds to judge. `before` contains the earlier seconds. Both lists are in chronological order.
 */
export interface Seconds {
  readonly before: readonly SecondLoad[];
  readonly now: readonly SecondLoad[];
}

/** The load of one partition in the current second. */
interface Counted {
  readonly first: CountedRequest;
  readonly table: Table;
  readonly partitionKey: string;
  entities: number;
}

/** The load of an account in the current second. */
interface Open {
  readonly second: number;
  readonly first: CountedRequest;
  entities: number;
  requests: number;
  partitions: Map<Table, Map<string, Counted>>;
  partitionsCount: number;
  /** The partition of the last request. The next request is usually for the same partition. */
  latest: Counted | undefined;
}

export class SecondLoads {
  /** Of a second with fewer entities than this, only the sum is kept. */
  readonly #entitiesMin: number;
  readonly #open = new Map<string, Open>();
  #over: SecondLoad[] = [];
  #judged = 0;

  /** `target`: entities per second for a partition. */
  constructor(target: number) {
    this.#entitiesMin = target * shareMin;
  }

  add(by: CountedRequest): void {
    const second = Math.floor(by.endMs / 1000);
    let open = this.#open.get(by.account);
    if (!open || open.second < second) {
      if (open) this.#close(open);
      open = newSecond(second, by);
      this.#open.set(by.account, open);
    }
    const entities = entitiesOf(by);
    open.entities += entities;
    open.requests += by.requests;
    const partitionKey = partitionOf(by);
    if (by.table && partitionKey !== undefined) addTo(open, { by, table: by.table, partitionKey, entities });
  }

  /** Returns as `now` the seconds that are over and that no earlier call returned. */
  take(): Seconds {
    const seconds = { before: this.#over.slice(0, this.#judged), now: this.#over.slice(this.#judged) };
    this.#over = this.#over.slice(-secondsMax);
    this.#judged = this.#over.length;
    return seconds;
  }

  /** Returns the seconds that `take` would return, and the current seconds. The next `take` returns them again. */
  peek(): Seconds {
    const open = [...this.#open.values()].map((second) => this.#loadOf(second));
    return { before: this.#over.slice(0, this.#judged), now: [...this.#over.slice(this.#judged), ...open] };
  }

  forget(account: string): void {
    this.#open.delete(account);
    const before = this.#over.slice(0, this.#judged).filter((load) => load.account !== account);
    this.#over = [...before, ...this.#over.slice(this.#judged).filter((load) => load.account !== account)];
    this.#judged = before.length;
  }

  clear(): void {
    this.#open.clear();
    this.#over = [];
    this.#judged = 0;
  }

  #close(open: Open): void {
    this.#over.push(this.#loadOf(open));
    if (this.#over.length <= 2 * secondsMax) return;
    this.#over.splice(0, secondsMax);
    this.#judged = Math.max(0, this.#judged - secondsMax);
  }

  #loadOf({ second, first, entities, requests, partitions }: Open): SecondLoad {
    const isLight = entities < this.#entitiesMin;
    const { account, atMs } = first;
    const request = isLight ? '' : requestText(first);
    const heaviest = isLight ? [] : heaviestOf(partitions);
    return { account, atMs, request, second, entities, requests, partitions: heaviest.map(partitionLoad) };
  }
}

const newSecond = (second: number, first: CountedRequest): Open => ({
  second,
  first,
  entities: 0,
  requests: 0,
  partitions: new Map(),
  partitionsCount: 0,
  latest: undefined,
});

/** The number of entities of 1 KiB that a request visits or writes. A refused request counts as one. */
function entitiesOf({ query, members, requests, units }: CountedRequest): number {
  return requests * Math.max(1, units, query?.visited ?? members.length);
}

/** The partition of a request. Undefined if the request does not concern exactly one partition. */
export function partitionOf({ query, members, partitionKey }: CountedRequest): string | undefined {
  if (query) return query.plan.kind === 'table scan' ? undefined : query.plan.range.from?.partitionKey;
  return members[0]?.partitionKey ?? partitionKey;
}

interface Added {
  readonly by: CountedRequest;
  readonly table: Table;
  readonly partitionKey: string;
  readonly entities: number;
}

function addTo(open: Open, { by, table, partitionKey, entities }: Added): void {
  const { latest } = open;
  if (latest?.table === table && latest.partitionKey === partitionKey) {
    latest.entities += entities;
    return;
  }
  let ofTable = open.partitions.get(table);
  if (!ofTable) {
    ofTable = new Map();
    open.partitions.set(table, ofTable);
  }
  let counted = ofTable.get(partitionKey);
  if (!counted) {
    if (open.partitionsCount >= partitionsMax) {
      leaveOutLight(open);
      ofTable = open.partitions.get(table) ?? new Map<string, Counted>();
      open.partitions.set(table, ofTable);
    }
    counted = { first: by, table, partitionKey, entities: 0 };
    ofTable.set(partitionKey, counted);
    open.partitionsCount++;
  }
  counted.entities += entities;
  open.latest = counted;
}

/**
 * Removes the partitions whose load does not exceed the average. Partitions with a higher load are not removed, so
 * their counts are exact.
 */
function leaveOutLight(open: Open): void {
  const all = [...open.partitions.values()].flatMap((ofTable) => [...ofTable.values()]);
  const average = all.reduce((sum, { entities }) => sum + entities, 0) / all.length;
  open.latest = undefined;
  open.partitions = new Map();
  open.partitionsCount = 0;
  for (const counted of all) {
    if (counted.entities <= average) continue;
    const ofTable = open.partitions.get(counted.table) ?? new Map<string, Counted>();
    open.partitions.set(counted.table, ofTable.set(counted.partitionKey, counted));
    open.partitionsCount++;
  }
}

function heaviestOf(partitions: Open['partitions']): readonly Counted[] {
  const heaviest: Counted[] = [];
  for (const ofTable of partitions.values()) {
    for (const counted of ofTable.values()) {
      if (heaviest.length === heaviestMax && counted.entities <= (heaviest.at(-1)?.entities ?? 0)) continue;
      heaviest.push(counted);
      heaviest.sort((a, b) => b.entities - a.entities);
      if (heaviest.length > heaviestMax) heaviest.pop();
    }
  }
  return heaviest;
}

function partitionLoad({ first, table, partitionKey, entities }: Counted): PartitionSecond {
  const { account, atMs } = first;
  return {
    account,
    atMs,
    request: requestText(first),
    table: table.name,
    partitionKey: copyString(partitionKey),
    entities,
  };
}
