import type { RefusalPlace, RefusalSecond } from './refusal-journal.ts';
import type { Limit } from './throttled.ts';

/** "12 requests refused for capacity: partition \"a\" of orders is over the target of a partition (12)" */
export function describeRefusals({ refused, spared, places }: RefusalSecond): string {
  const [worst] = places;
  const where = worst ? `: ${describePlace(worst)}` : '';
  if (refused === 0) return `production would have refused ${countRequests(spared)}${where}`;
  return `${countRequests(refused)} refused for capacity${where}`;
}

const reasons: Readonly<Record<Limit, string>> = {
  account: 'is over the target of an account',
  range: 'is in a range over its target',
  partition: 'is over the target of a partition',
  moving: 'is in a range that splits or merges',
};

function describePlace({ account, table, partitionKey, limit, requests }: RefusalPlace): string {
  return `${subjectOf({ account, table, partitionKey, limit })} ${reasons[limit]} (${requests})`;
}

function subjectOf({ account, table, partitionKey, limit }: Omit<RefusalPlace, 'requests'>): string {
  if (limit === 'account' || table === undefined) return account;
  return partitionKey === undefined ? `table ${table}` : `partition ${JSON.stringify(partitionKey)} of ${table}`;
}

const countRequests = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'request' : 'requests'}`;
