import type { ThrottleMode } from './capacity-settings.ts';
import { quoteKey } from './quote-key.ts';
import type { RefusalPlace, RefusalSecond } from './refusal-journal.ts';
import type { Limit } from './throttled.ts';

type Described = Pick<RefusalSecond, 'refused' | 'spared' | 'pagesCut' | 'places'>;

/** "12 requests refused for capacity: partition \"a\" of orders is over the target of a partition (12)" */
export function describeRefusals(second: Described, throttle: ThrottleMode): string {
  const what = throttle === 'enforce' ? describeDone(second) : describeSpared(second);
  return `${what}${describeWorst(second)}`;
}

/** For where it is known already whether it has happened: "12 requests: partition \"a\" of orders is over …" */
export function describeBriefly(second: Described): string {
  const { refused, spared, pagesCut } = second;
  const requests = refused + spared;
  const parts = [
    ...(requests > 0 ? [countRequests(requests)] : []),
    ...(pagesCut > 0 ? [count(pagesCut, 'page', 'pages')] : []),
  ];
  return `${parts.join(', ')}${describeWorst(second)}`;
}

function describeDone({ refused, pagesCut }: Described): string {
  if (refused === 0) return `${countPages(pagesCut)} ended early for capacity`;
  const pages = pagesCut > 0 ? `, ${countPages(pagesCut)} ended early` : '';
  return `${countRequests(refused)} refused for capacity${pages}`;
}

function describeSpared({ spared, pagesCut }: Described): string {
  const acts = [
    ...(spared > 0 ? [`refused ${countRequests(spared)}`] : []),
    ...(pagesCut > 0 ? [`ended ${countPages(pagesCut)} early`] : []),
  ];
  return `production would have ${acts.join(' and ')}`;
}

function describeWorst({ places: [worst] }: Described): string {
  return worst ? `: ${subjectOf(worst)} ${predicates[worst.limit]} (${number(worst.requests)})` : '';
}

const predicates: Readonly<Record<Limit, string>> = {
  account: 'is over the target of an account',
  range: 'is over its target',
  partition: 'is over the target of a partition',
  moving: 'splits or merges',
};

/** What is over its limit, which is not always what was asked for: a range is named by where it begins. */
function subjectOf({ account, table, rangeFrom, partitionKey, limit }: RefusalPlace): string {
  if (limit === 'account' || table === undefined) return account;
  if (limit === 'partition')
    return partitionKey === undefined ? `a partition of ${table}` : `partition ${quoteKey(partitionKey)} of ${table}`;
  if (rangeFrom === undefined) return `a range of ${table}`;
  return rangeFrom === '' ? `the first range of ${table}` : `the range of ${table} from ${quoteKey(rangeFrom)}`;
}

const countRequests = (value: number): string => count(value, 'request', 'requests');

/** Queries come in pages. */
const countPages = (value: number): string => count(value, 'page of a query', 'pages of queries');

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`;

const number = (value: number): string => value.toLocaleString('en-US');
