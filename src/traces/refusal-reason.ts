// Why a request was refused, for a reader outside of this machine: the reasons of the log quote the request and the store.

import type { EdmValue } from '../model/edm.ts';
import type { Mutation } from '../model/mutation.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { ServiceError } from '../model/service-error.ts';

const sentencesMax = 2;
const reasonCharsMax = 400;
/** A batch has a hundred entities of 252 properties: above this the reason is left out. */
const valuesMax = 2_000;
const hidden = '…';

/** The first sentences, with a mark in place of what is quoted and of each value of the request; undefined where there are none. */
export function reasonOf(record: RequestRecord, { why }: Pick<ServiceError, 'why'>): string | undefined {
  if (why.length === 0) return undefined;
  const values = valuesOf(record);
  if (values.length > valuesMax) return undefined;
  let reason = withoutQuotes(why.slice(0, sentencesMax).join(' '));
  for (const value of values) reason = withoutValue(reason, value);
  return withoutNumbersOf(reason, record).slice(0, reasonCharsMax);
}

/** In any of the quotation marks that reasons have. What is opened and not closed is hidden to the end. */
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
  // The longest first: a shorter one may be a part of it.
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

const literalsIn = (filter = ''): string[] => [...filter.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = '']) => text);

function mutationTexts(mutation: Mutation | undefined): string[] {
  if (!mutation || !('properties' in mutation)) return [];
  return [...mutation.properties.values()].map(({ value }: EdmValue) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value),
  );
}

/** A short value that is part of a word is the word's. */
const withoutValue = (text: string, value: string): string => {
  if (!text.includes(value)) return text;
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu'), hidden);
};

/** A body that could not be read has no values yet: a number of it, and a word in capital letters or with an underscore, is one. */
function withoutNumbersOf(text: string, { body, url }: RequestRecord): string {
  if (!/\d/.test(text)) return text;
  const sent = `${url}\n${body?.toString('latin1') ?? ''}`;
  return text.replaceAll(/[\w.+-]*\d[\w.+-]*/g, (word) => (sent.includes(word.replace(/\.$/, '')) ? hidden : word));
}
