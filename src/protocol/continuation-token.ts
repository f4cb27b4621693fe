import type { EntityKey } from '../model/entity.ts';
import { ServiceError } from '../model/service-error.ts';
import { dateTimeTicksMin, parseDateTime } from '../model/ticks.ts';

// `1!{L}!{E}`: E is base64 of the key with `*_-` for `+/=`, L its length. Evidence: recorded.

const tokenPattern = /^1!(\d{1,6})!([A-Za-z0-9*_-]*)$/;

export function encodeToken(text: string): string {
  const encoded = Buffer.from(text, 'utf8')
    .toString('base64')
    .replace(/[+/=]/g, (char) => (char === '+' ? '*' : char === '/' ? '_' : '-'));
  return `1!${encoded.length}!${encoded}`;
}

/** Throws InvalidInput for a token that the service cannot have given. */
export function decodeToken(token: string): string {
  const match = tokenPattern.exec(token);
  const encoded = match?.[2] ?? '';
  if (!match || Number(match[1]) !== encoded.length) throw spoilt();
  const base64 = encoded.replace(/[*_-]/g, (char) => (char === '*' ? '+' : char === '_' ? '/' : '='));
  const text = Buffer.from(base64, 'base64').toString('utf8');
  if (encodeToken(text) !== token) throw spoilt();
  return text;
}

function spoilt(): ServiceError {
  return new ServiceError('InvalidInput');
}

/** The first key of the page that NextPartitionKey and NextRowKey ask for; the row key may be left out. */
export function decodeEntityTokens(partitionToken?: string, rowToken?: string): EntityKey | undefined {
  if (partitionToken === undefined && rowToken === undefined) return undefined;
  if (partitionToken === undefined) throw spoilt();
  return {
    partitionKey: decodeToken(partitionToken),
    rowKey: rowToken === undefined ? '' : decodeToken(rowToken),
  };
}

export interface TableMark {
  readonly name: string;
  /** Timestamp of its creation, as formatTicks writes it. */
  readonly createdAt: string;
}

/** NextTableName: the lower-case name, U+0001, and the creation time as a FILETIME in 16 hex digits. Evidence: recorded. */
export function encodeTableToken({ name, createdAt }: TableMark): string {
  const fileTime = (parseDateTime(createdAt) ?? dateTimeTicksMin) - dateTimeTicksMin;
  return encodeToken(`${name.toLowerCase()}\u0001${fileTime.toString(16).padStart(16, '0')}`);
}

/** The lookup name at which the next page of tables begins. */
export function decodeTableToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: U+0001 is what separates the two
  const match = /^([^\u0001]*)\u0001[0-9a-f]{16}$/.exec(decodeToken(token));
  if (!match) throw spoilt();
  return match[1];
}
