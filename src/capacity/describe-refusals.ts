import type { CapacityLimit } from '../model/capacity-use.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { escapeControls } from '../model/printable-text.ts';
import type { ThrottleMode } from './capacity-settings.ts';
import type { RefusalPlace, RefusalSecond } from './refusal-journal.ts';

type Described = Pick<RefusalSecond, 'refused' | 'wouldThrottle' | 'pagesCut' | 'places'>;

/** "12 requests refused for capacity: partition \"a\" of orders is over the target of a partition (12)" */
export function describeRefusals(second: Described, throttle: ThrottleMode): string {
  const what = throttle === 'enforce' ? describeDone(second) : describeWouldBe(second);
  return `${what}${describeWorst(second)}${countWorst(second)}`;
}

/**
 * Describes the refusals. The words are suitable both for refused requests and for requests that production would have
 * refused. Returns a text, such as "12 requests: partition \"a\" of orders is over …", and a count, such as " (12)". If
 * the line is too long, the caller cuts the text and keeps the count.
 */
export function describeBriefly(second: Described): readonly [text: string, count: string] {
  const { refused, wouldThrottle, pagesCut } = second;
  const requests = refused + wouldThrottle;
  const parts = [
    ...(requests > 0 ? [countRequests(requests)] : []),
    ...(pagesCut > 0 ? [count(pagesCut, 'page', 'pages')] : []),
  ];
  return [`${parts.join(', ')}${describeWorst(second)}`, countWorst(second)];
}

function describeDone({ refused, pagesCut }: Described): string {
  if (refused === 0) return `${countPages(pagesCut)} ended early for capacity`;
  const pages = pagesCut > 0 ? `, ${countPages(pagesCut)} ended early` : '';
  return `${countRequests(refused)} refused for capacity${pages}`;
}

function describeWouldBe({ wouldThrottle, pagesCut }: Described): string {
  const actions = [
    ...(wouldThrottle > 0 ? [`refused ${countRequests(wouldThrottle)}`] : []),
    ...(pagesCut > 0 ? [`ended ${countPages(pagesCut)} early`] : []),
  ];
  return `production would have ${actions.join(' and ')}`;
}

function describeWorst({ places: [worst] }: Described): string {
  return worst ? `: ${subjectOf(worst)} ${predicates[worst.limit]}` : '';
}

const countWorst = ({ places: [worst] }: Described): string => (worst ? ` (${number(worst.requests)})` : '');

const predicates: Readonly<Record<CapacityLimit, string>> = {
  account: 'is over the target of an account',
  range: 'is over its target',
  partition: 'is over the target of a partition',
  moving: 'splits or merges',
};

/** A range is named by its first partition key. */
function subjectOf({ account, table, rangeFrom, partitionKey, limit }: RefusalPlace): string {
  if (limit === 'account' || table === undefined) return account;
  if (limit === 'partition')
    return partitionKey === undefined ? `a partition of ${table}` : `partition ${quoteKey(partitionKey)} of ${table}`;
  if (rangeFrom === undefined) return `a range of ${table}`;
  return rangeFrom === '' ? `the first range of ${table}` : `the range of ${table} from ${quoteKey(rangeFrom)}`;
}

const countRequests = (value: number): string => count(value, 'request', 'requests');

const countPages = (value: number): string => count(value, 'page of a query', 'pages of queries');

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`;

const number = (value: number): string => value.toLocaleString('en-US');

/** Enough of a key to recognize it, and short enough for one line. */
const keyCharsMax = 40;

/** A partition key for a terminal, quoted as JSON so that it neither moves the cursor nor ends the line. */
export function quoteKey(key: string): string {
  // By code points: half of a surrogate pair is not a character.
  const chars = [...key];
  const shown = chars.length > keyCharsMax ? `${chars.slice(0, keyCharsMax - 1).join('')}…` : key;
  return escapeControls(JSON.stringify(shown));
}

interface RefusalLog {
  readonly throttle: ThrottleMode;
  readonly log: EmulatorLog;
  /** The advisor's finding about the keys of a table, with its rule: "keys: append-only (append-only-keys)". */
  readonly findingOf: (account: string, table: string) => string | undefined;
}

/** Writes the refusals of one second as one line of the log. */
export function logRefusals(second: RefusalSecond, { throttle, log, findingOf }: RefusalLog): void {
  // `secondsAgo` is left out, because the log line has its own time.
  const { secondsAgo: _secondsAgo, ...fields } = second;
  const { account, table } = second.places[0] ?? {};
  const finding = account === undefined || table === undefined ? undefined : findingOf(account, table);
  const text = describeRefusals(second, throttle);
  log.warn({ operation: 'Capacity', ...fields }, finding === undefined ? text : `${text}; ${finding}`);
}
