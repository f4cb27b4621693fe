import type { EntityKey } from '../model/entity.ts';
import { ServiceError } from '../model/service-error.ts';
import { tableLookup } from '../model/table-name.ts';
import { dateTimeTicksMin, parseDateTime } from '../model/ticks.ts';

const tokenPattern = /^1!(\d{1,6})!([A-Za-z0-9*_-]*)$/;

/** `1!{L}!{E}`: E is the key in base64 with `*_-` for `+/=`, L is its length. Evidence: recorded. */
export function encodeToken(text: string): string {
  const encoded = Buffer.from(text, 'utf8')
    .toString('base64')
    .replace(/[+/=]/g, (char) => (char === '+' ? '*' : char === '/' ? '_' : '-'));
  return `1!${encoded.length}!${encoded}`;
}

/** Throws InvalidInput for a token that the service cannot have issued. */
export function decodeToken(token: string): string {
  const match = tokenPattern.exec(token);
  const encoded = match?.[2] ?? '';
  if (!match || Number(match[1]) !== encoded.length) throw invalidToken();
  const base64 = encoded.replace(/[*_-]/g, (char) => (char === '*' ? '+' : char === '_' ? '/' : '='));
  const text = Buffer.from(base64, 'base64').toString('utf8');
  if (encodeToken(text) !== token) throw invalidToken();
  return text;
}

function invalidToken(): ServiceError {
  const why = [
    'The continuation does not come from a response.',
    'Copy the x-ms-continuation headers into the query unchanged.',
  ];
  return new ServiceError('InvalidInput', { why });
}

/** The first key of the page that NextPartitionKey and NextRowKey ask for. NextRowKey may be missing. */
export function decodeEntityTokens(partitionToken?: string, rowToken?: string): EntityKey | undefined {
  if (partitionToken === undefined && rowToken === undefined) return undefined;
  if (partitionToken === undefined) throw invalidToken();
  return {
    partitionKey: decodeToken(partitionToken),
    rowKey: rowToken === undefined ? '' : decodeToken(rowToken),
  };
}

export interface TableMark {
  readonly name: string;
  /** When the table was created, in the form of formatTicks. */
  readonly createdAt: string;
}

/**
 * Encodes the value of NextTableName: the table's lookup name, the character U+0001, and the table's creation time as a
 * FILETIME in 16 hexadecimal digits. Evidence: recorded.
 */
export function encodeTableToken({ name, createdAt }: TableMark): string {
  const fileTime = (parseDateTime(createdAt) ?? dateTimeTicksMin) - dateTimeTicksMin;
  return encodeToken(`${tableLookup(name)}\u0001${fileTime.toString(16).padStart(16, '0')}`);
}

/** The lookup name of the first table on the next page. */
export function decodeTableToken(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: U+0001 separates the two
  const match = /^([^\u0001]*)\u0001[0-9a-f]{16}$/.exec(decodeToken(token));
  if (!match) throw invalidToken();
  return match[1];
}
