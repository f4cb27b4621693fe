// The load of each second: entities visited or written, which is what the scalability targets count.

import type { Observation } from './observation.ts';

/** Entities that a request visits or writes. A refused request counts as one. */
export function entitiesOf({ query, members, requests }: Observation): number {
  return requests * Math.max(1, query?.visited ?? members.length);
}

export const secondOf = ({ startMs }: Observation): number => Math.floor(startMs / 1000);

/** The partition that a request stays in. */
export function partitionOf({ query, members, partitionKey }: Observation): string | undefined {
  if (query) return query.plan.kind === 'table scan' ? undefined : query.plan.range.from?.partitionKey;
  return members[0]?.partitionKey ?? partitionKey;
}

export interface SecondLoad {
  readonly account: string;
  readonly second: number;
  entities: number;
  readonly requests: Observation[];
  /** Null until it is asked for. */
  busiest: PartitionLoad | undefined | null;
}

/** By account and second, in order of time. */
export function loadBySecond(all: readonly Observation[]): readonly SecondLoad[] {
  const loads = new Map<string, SecondLoad>();
  let last: SecondLoad | undefined;
  for (const by of all) {
    const second = secondOf(by);
    if (last?.second !== second || last.account !== by.account) {
      const name = `${by.account} ${second}`;
      last = loads.get(name) ?? { account: by.account, second, entities: 0, requests: [], busiest: null };
      loads.set(name, last);
    }
    last.entities += entitiesOf(by);
    last.requests.push(by);
  }
  return [...loads.values()].sort((a, b) => a.second - b.second);
}

export interface PartitionLoad {
  readonly table: string;
  readonly partitionKey: string;
  readonly first: Observation;
  entities: number;
}

/** The busiest partition of one second. */
export function busiestPartition(load: SecondLoad): PartitionLoad | undefined {
  if (load.busiest === null) load.busiest = findBusiest(load);
  return load.busiest;
}

function findBusiest({ requests }: SecondLoad): PartitionLoad | undefined {
  const byTable = new Map<string, Map<string, PartitionLoad>>();
  let busiest: PartitionLoad | undefined;
  for (const by of requests) {
    const partitionKey = partitionOf(by);
    if (!by.table || partitionKey === undefined) continue;
    let partitions = byTable.get(by.table.name);
    if (!partitions) {
      partitions = new Map();
      byTable.set(by.table.name, partitions);
    }
    let load = partitions.get(partitionKey);
    if (!load) {
      load = { table: by.table.name, partitionKey, first: by, entities: 0 };
      partitions.set(partitionKey, load);
    }
    load.entities += entitiesOf(by);
    if (!busiest || load.entities > busiest.entities) busiest = load;
  }
  return busiest;
}
