// Reads the keys in an address: the text between the parentheses of `pets(PartitionKey='a',RowKey='b')`. The service
// reads this text token by token with the lexer that it uses for filters, and the first fault determines the refusal.
// Evidence: recorded; sdk (azure-sdk-for-net #31464, azure-sdk-for-python #20301); assumed for all other faults, as in
// WCF Data Services.

import type { EntityKey } from '../model/entity.ts';
import { keyCharsMax } from '../model/limits.ts';
import { createTokenReader, type OdataToken, stringValue } from '../model/odata-tokens.ts';
import { quote } from '../model/printable-text.ts';
import { keyCountError, odataError, querySyntaxError, ServiceError } from '../model/service-error.ts';

/** A fast path for the usual form of the keys. Reading it token by token would give the same result. */
const keyPair =
  /^\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*,\s*(PartitionKey|RowKey)\s*=\s*'((?:[^']|'')*)'\s*$/;

const oneString = /^\s*'((?:[^']|'')*)'\s*$/;

/** Reads the keys of an entity, in either order. `type` is `account.table`. Returns the refusal of wrong keys. */
export function parseEntityKey(text: string, type: string): EntityKey | ServiceError {
  const [, name, first = '', otherName, second = ''] = keyPair.exec(text) ?? [];
  if (name !== undefined && name !== otherName) {
    const [one, other] = [unquote(first), unquote(second)];
    return name === 'PartitionKey' ? { partitionKey: one, rowKey: other } : { partitionKey: other, rowKey: one };
  }
  return attempt(text, pairShape, () => {
    const { named, positional } = readValues(text);
    if (named.size + positional.length !== 2) throw keyCountError(type);
    if (positional.length > 0) throw odataError(mustBeNamed);
    const [partitionKey, rowKey] = [named.get('PartitionKey'), named.get('RowKey')];
    if (partitionKey === undefined || rowKey === undefined) throw malformed();
    return { partitionKey, rowKey };
  });
}

/**
 * Reads the name in the address of a table: `'pets'` or `TableName='pets'`. If the key is wrong, returns the refusal.
 */
export function parseTableKey(text: string, type: string): string | ServiceError {
  const name = oneString.exec(text)?.[1];
  if (name !== undefined) return unquote(name);
  return attempt(text, "The key must be ('<table>'), with quotes inside doubled", () => {
    const { named, positional } = readValues(text);
    if (named.size + positional.length !== 1) throw keyCountError(type);
    const value = named.get('TableName') ?? positional[0];
    if (value === undefined) throw malformed();
    return value;
  });
}

const pairShape = "The key must be (PartitionKey='…',RowKey='…'), with quotes inside a key doubled";
const mustBeNamed = "Segments with multiple key values must specify them in 'name=value' form.";

/**
 * The maximum length of a text that is read token by token: two keys of the maximum length with every quote doubled,
 * and room for names and spaces. A longer text is refused without being read, because the caller is not authenticated
 * yet. Evidence: assumed.
 */
const tokensCharsMax = 4 * keyCharsMax + 256;

/**
 * Runs `read`. If `read` refuses the text, adds a sentence about the correct form of the keys to the refusal. Refuses a
 * text without running `read` if the text is too long, or if the text contains a slash or a backslash. Slashes are
 * refused because a slash ends a segment of the address.
 */
function attempt<T>(text: string, shape: string, read: () => T): T | ServiceError {
  const why = (): string[] => [`${shape}, and is ${quote(`(${text})`)}.`];
  if (text.length > tokensCharsMax || /[/\\]/.test(text)) return querySyntaxError(why);
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, stage, message } = error;
    return new ServiceError(code, { stage, message, why });
  }
}

function unquote(text: string): string {
  return text.includes("''") ? text.replaceAll("''", "'") : text;
}

interface KeyValues {
  /** The values with names. A literal that is not a string is undefined, since it cannot be a key. */
  readonly named: ReadonlyMap<string, string | undefined>;
  /** The values without names. */
  readonly positional: readonly (string | undefined)[];
}

/** The comma between two values may be missing. Throws InvalidInput. */
function readValues(text: string): KeyValues {
  const next = createTokenReader(text);
  const named = new Map<string, string | undefined>();
  const positional: (string | undefined)[] = [];
  for (let token = next(); token.kind !== 'end'; ) {
    const name = nameIn(token, text);
    if (name === undefined ? named.size > 0 : positional.length > 0) throw malformed();
    if (name !== undefined) {
      if (!isSymbol(next(), '=', text)) throw malformed();
      token = next();
    }
    if (!isValue(token, text) || (name !== undefined && named.has(name))) throw malformed();
    const value = token.kind === 'string' ? stringValue(text, token) : undefined;
    if (name === undefined) positional.push(value);
    else named.set(name, value);
    token = next();
    if (!isSymbol(token, ',', text)) continue;
    token = next();
    if (token.kind === 'end') throw malformed();
  }
  return { named, positional };
}

const malformed = (): ServiceError => querySyntaxError([]);

/** Words that are literals, not names. */
const literalWord = /^(?:true|false|(?:NaN|INF)[fF]?)$/;

function nameIn({ kind, start, end }: OdataToken, text: string): string | undefined {
  if (kind !== 'word') return undefined;
  const word = text.slice(start, end);
  return word === 'null' || literalWord.test(word) ? undefined : word;
}

function isValue({ kind, start, end }: OdataToken, text: string): boolean {
  return kind === 'string' || kind === 'typed' || kind === 'number' || literalWord.test(text.slice(start, end));
}

function isSymbol({ kind, start }: OdataToken, symbol: string, text: string): boolean {
  return kind === 'symbol' && text.charAt(start) === symbol;
}
