// What the list and the details say of a request, in words.

import type { LiveRequest } from '../../../control/observe/live-request.ts';
import type { Tone } from '../../components/badge.tsx';

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** Time of day with milliseconds. */
export const formatInstant = (ms: number): string => clock.format(ms);
/** Characters in the longest time of day, in the morning or in the afternoon. */
export const instantCharsMax = Math.max(...[0, 12].map((hours) => formatInstant(hours * 3_600_000).length));

export function toneOf(status: number): Tone {
  if (status >= 500 || status === 444) return 'error';
  return status >= 400 ? 'warning' : 'good';
}

/** The product in a user agent, without the prefix `azsdk-` of Azure's SDKs: `js-data-tables/13.3.2`. */
export function clientOf({ userAgent, remoteAddress }: LiveRequest): string {
  const product = userAgent?.split(' ').find((word) => word.includes('/') || /^[\w.-]+$/.test(word));
  return product?.replace(/^azsdk-/, '') ?? remoteAddress;
}

const limits: Readonly<Record<NonNullable<LiveRequest['beyond']>, string>> = {
  account: 'the account was beyond its scalability target',
  range: 'the range of partitions was beyond its scalability target',
  partition: 'the partition was beyond its scalability target',
  moving: 'the range of partitions was being split or merged, and not served',
};

/** What the capacity model did to a request; undefined if production would have answered it without a delay. */
export function productionText({ capacity, beyond, waitedMs = 0 }: LiveRequest): string | undefined {
  const because = beyond === undefined ? '' : `: ${limits[beyond]}`;
  switch (capacity) {
    case 'wouldThrottle':
      return `Production would have refused this request with 503 ServerBusy${because}. The emulator only observes; --throttle enforce refuses it.`;
    case 'busy':
      return `Refused as production would have done${because}.`;
    case 'timedOut':
      return `It waited for capacity as long as a request may take, and timed out${because}.`;
    default:
      return waitedMs > 0 ? `It waited for capacity, as in production${because}.` : undefined;
  }
}

const credentials: Readonly<Record<LiveRequest['credential'], string>> = {
  none: 'None that was accepted',
  key: 'Account key',
  tableSas: 'Shared access signature of a table',
  accountSas: 'Shared access signature of the account',
  bearer: 'Bearer token',
};
export const credentialText = ({ credential, principal }: LiveRequest): string =>
  principal === undefined ? credentials[credential] : `${credentials[credential]} of ${principal}`;

/** Why a page of a query ended; undefined for the last page. */
export function pageEndText({ pageEnd }: LiveRequest): string | undefined {
  return pageEnd === undefined ? undefined : (pageEnds[pageEnd] ?? pageEnd);
}

const pageEnds: Readonly<Record<string, string>> = {
  range: 'All keys of the plan were read',
  limit: 'The page was full',
  size: 'The page reached 4 MiB',
  time: 'The page reached its time limit',
  partition: 'The page ended with its partition',
  boundary: 'The page ended with a range of partitions',
  budget: 'The page had used the capacity that was left',
};
