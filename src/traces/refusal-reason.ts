// Gives the reason why a request was refused, for readers outside this machine. The reasons in the log quote values of
// the request and of the store. In the reasons that this module returns, these values are masked.

import type { EdmValue } from '../model/edm.ts';
import type { Mutation } from '../model/mutation.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';

const sentencesMax = 2;
const reasonCharsMax = 400;
/** A batch can have a hundred entities of 252 properties. With more values than this, the reason is left out. */
const valuesMax = 2_000;
const hidden = '…';

/**
 * Returns the first sentences of the reason, with a mark in place of quoted text and of each value of the request.
 * Returns undefined if there is no reason, or if the request has too many values.
 */
export function reasonOf(record: RequestRecord, { why }: Pick<ServiceError, 'why'>): string | undefined {
  if (why.length === 0) return undefined;
  const values = valuesOf(record);
  if (values.length > valuesMax) return undefined;
  let reason = withoutQuotes(why.slice(0, sentencesMax).join(' '));
  for (const value of values) reason = withoutValue(reason, value);
  return withoutNumbersOf(reason, record).slice(0, reasonCharsMax);
}

/**
 * Hides all quoted text, for every kind of quotation mark that reasons use. If the closing mark is missing, hides
 * everything after the opening mark.
 */
const withoutQuotes = (text: string): string =>
  text
    .replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, `"${hidden}"`)
    .replaceAll(/`[^`]*(?:`|$)/gs, `\`${hidden}\``)
    .replaceAll(/(?<![A-Za-z])'(?:[^']|'')*(?:'|$)/gs, `'${hidden}'`);

function valuesOf({ partitionKey, rowKey, mutation, members, ifMatch, filter }: RequestRecord): string[] {
  const texts = [partitionKey, rowKey, ifMatch, ...literalsIn(filter)];
  for (const one of [{ partitionKey, rowKey, mutation }, ...members]) {
    texts.push(one.partitionKey, one.rowKey, ...mutationTexts(one.mutation));
  }
  const values = texts.filter((text): text is string => text !== undefined && text.trim() !== '');
  // The longest first, because a shorter value may be a part of a longer one.
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

const literalsIn = (filter = ''): string[] => [...filter.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = '']) => text);

function mutationTexts(mutation: Mutation | undefined): string[] {
  if (!mutation || !('properties' in mutation)) return [];
  return [...mutation.properties.values()].map(({ value }: EdmValue) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value),
  );
}

/** A short value that is part of a longer word is not replaced. */
const withoutValue = (text: string, value: string): string => {
  if (!text.includes(value)) return text;
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu'), hidden);
};

/**
 * Hides every word of the text that contains a digit and occurs in the request. This is necessary because a body may be
 * unreadable. The values of such a body are unknown.
 */
function withoutNumbersOf(text: string, { body, url }: RequestRecord): string {
  if (!/\d/.test(text)) return text;
  const sent = `${url}\n${body?.toString('latin1') ?? ''}`;
  return text.replaceAll(/[\w.+-]*\d[\w.+-]*/g, (word) => (sent.includes(word.replace(/\.$/, '')) ? hidden : word));
}
