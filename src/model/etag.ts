import { quote } from './printable-text.ts';
import { ServiceError } from './service-error.ts';
import { formatTicks, parseDateTime } from './ticks.ts';

/** `W/"datetime'2024-05-01T10%3A00%3A01.123456Z'"`. Evidence: recorded. */
export function etagOf(timestamp: string): string {
  return `W/"${etagMoment(timestamp)}"`;
}

/** The same ETag as a JSON string, with its quotation marks. */
export function etagOfAsJson(timestamp: string): string {
  return `"W/\\"${etagMoment(timestamp)}\\""`;
}

/**
 * Returns a function with the same result as `etagOfAsJson`. This function is faster if consecutive timestamps are in
 * the same minute, as is common for the entities of one page.
 */
export function createEtagFormat(): (timestamp: string) => string {
  let minute: string | undefined;
  let start = '';
  return (timestamp) => {
    if (minute === undefined || !timestamp.startsWith(minute)) {
      minute = timestamp.slice(0, 17);
      start = `"W/\\"${etagMoment(minute).slice(0, -1)}`;
    }
    return `${start}${timestamp.slice(17)}'\\""`;
  };
}

/** Encodes the two colons of a timestamp, which are always at the same places. */
function etagMoment(timestamp: string): string {
  return `datetime'${timestamp.slice(0, 13)}%3A${timestamp.slice(14, 16)}%3A${timestamp.slice(17)}'`;
}

/** The condition of a write. `unchanged`: the entity's timestamp must still be `since` (a text of formatTicks). */
export type IfMatch = { readonly kind: 'any' } | { readonly kind: 'unchanged'; readonly since: string };

const weakTag = /^W\/"([^"]*)"$/;
const serviceTag = /^datetime'([^']+)'$/;

/**
 * Parses an If-Match header. Throws InvalidInput for a text that is not an ETag, and ConditionNotMet for an ETag that
 * the service cannot have issued. Evidence: recorded; assumed (ConditionNotMet for every ETag that the service cannot
 * have issued).
 */
export function parseIfMatch(header: string): IfMatch {
  if (header === '*') return { kind: 'any' };
  const tag = weakTag.exec(header);
  if (!tag) {
    throw new ServiceError('InvalidInput', {
      stage: 'parse',
      message: `The etag value '${header}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`,
      why: header.startsWith('W/')
        ? 'An ETag is W/"…" with nothing after it.'
        : ['If-Match must be * or an ETag that the service returned.', 'An ETag is W/ and a text in quotation marks.'],
    });
  }
  const moment = serviceTag.exec(tag[1] ?? '')?.[1];
  const since = moment === undefined ? undefined : parseDateTime(moment.replaceAll(/%3a/gi, ':'));
  if (since === undefined) {
    const why = [
      `If-Match ${quote(header)} is not an ETag of this service.`,
      `An ETag is W/"datetime'…'" with the moment of the last write.`,
    ];
    throw new ServiceError('ConditionNotMet', { stage: 'parse', why });
  }
  return { kind: 'unchanged', since: formatTicks(since) };
}
