// Each row is read as one text. The driver takes about 0.3 µs for every column that it returns, but SQLite joins the
// columns in a fraction of that time. In the text of a row, the properties come first, because they contain no line
// feed (model/properties.ts). The numbers follow, one on each line, including the length of the partition key. The keys
// come last, because they may contain any character. The text of a state consists only of the ticks and the properties.

import { ticksPerSecond } from '../../../model/ticks.ts';

/**
 * A row of the SQL table `entities`, with the keys as key-order.ts encodes them.
 *
 * Rows are instances of a class, and not object literals. For each literal in the code, V8 decides only once whether
 * the literal's objects are allocated in the old generation. If a garbage collection happened to run during the first
 * pages, V8 would treat rows from a literal as long-lived. Reading a page would then cost two thirds more until the
 * process ends (docs/adr/0008).
 */
export class ReadRow {
  readonly id: number;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** The ticks: whole seconds since 0001-01-01, and the seven digits beyond them. */
  readonly seconds: number;
  readonly fraction: string;
  readonly properties: string;

  constructor(id: number, partitionKey: string, rowKey: string, seconds: number, fraction: string, properties: string) {
    this.id = id;
    this.partitionKey = partitionKey;
    this.rowKey = rowKey;
    this.seconds = seconds;
    this.fraction = fraction;
    this.properties = properties;
  }
}

const lineEnd = "'\n'";

/**
 * SQL expressions for the texts that the functions below read. The parentheses make SQLite copy the long properties
 * less often.
 */
export const stateText = `ticks || ${lineEnd} || properties`;
export const partitionRowText = `properties || (${lineEnd} || ticks || ${lineEnd} || row_key)`;
export const rowText = `properties || (${lineEnd} || id || ${lineEnd} || ticks || ${lineEnd} ||
  octet_length(partition_key) || ${lineEnd} || partition_key || row_key)`;

export function readRowText(text: string): ReadRow {
  const propertiesEnd = text.indexOf('\n');
  const idEnd = text.indexOf('\n', propertiesEnd + 1);
  const ticksEnd = text.indexOf('\n', idEnd + 1);
  const bytesEnd = text.indexOf('\n', ticksEnd + 1);
  const partitionKeyEnd = endOfBytes(text, bytesEnd + 1, readDigits(text, ticksEnd + 1, bytesEnd));
  return new ReadRow(
    readDigits(text, propertiesEnd + 1, idEnd),
    text.slice(bytesEnd + 1, partitionKeyEnd),
    text.slice(partitionKeyEnd),
    readDigits(text, idEnd + 1, ticksEnd - fractionDigits),
    text.slice(ticksEnd - fractionDigits, ticksEnd),
    text.slice(0, propertiesEnd),
  );
}

/** Reads the text of a row in a known partition. The row gets the id 0. */
export function readPartitionRowText(text: string, partitionKey: string): ReadRow {
  const propertiesEnd = text.indexOf('\n');
  const ticksEnd = text.indexOf('\n', propertiesEnd + 1);
  return new ReadRow(
    0,
    partitionKey,
    text.slice(ticksEnd + 1),
    readDigits(text, propertiesEnd + 1, ticksEnd - fractionDigits),
    text.slice(ticksEnd - fractionDigits, ticksEnd),
    text.slice(0, propertiesEnd),
  );
}

/** Whole seconds since 0001-01-01, and the digits of the ticks beyond them: one number cannot hold both. */
export interface StoredState {
  readonly seconds: number;
  readonly fraction: string;
  readonly properties: string;
}

export function readStateText(text: string): StoredState {
  const ticksEnd = text.indexOf('\n');
  const secondsEnd = ticksEnd - fractionDigits;
  return {
    seconds: readDigits(text, 0, secondsEnd),
    fraction: text.slice(secondsEnd, ticksEnd),
    properties: text.slice(ticksEnd + 1),
  };
}

const fractionDigits = String(ticksPerSecond).length - 1;

/**
 * Reads the digits from `from` (inclusive) to `to` (exclusive) as a number. Slicing the three numbers of a row out of
 * the text would take longer.
 */
function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + (text.charCodeAt(at) - digitZero);
  return value;
}

const digitZero = 0x30;

/** The end of a part that begins at `from` and has this number of bytes in UTF-8, as SQLite counts them. */
function endOfBytes(text: string, from: number, bytes: number): number {
  let [at, left] = [from, bytes];
  while (left > 0) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair stands for two of its four bytes.
    left -= unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
    at++;
  }
  return at;
}
