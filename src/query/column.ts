// The decoded values of one property in a block of entities. Filters are evaluated on columns. Extracting a property
// from the stored text of an entity costs more than comparing it, so columns are cached (ADR 0005).

import { latin1Of } from '../model/binary.ts';
import type { EdmValue } from '../model/edm.ts';

/** Type codes of cells, one byte each; 0 is an entity without the property. */
export const cellTypes = {
  'Edm.String': 1,
  'Edm.Boolean': 2,
  'Edm.Int32': 3,
  'Edm.Int64': 4,
  'Edm.Double': 5,
  'Edm.DateTime': 6,
  'Edm.Guid': 7,
  'Edm.Binary': 8,
} as const satisfies Record<EdmValue['type'], number>;

export interface Column {
  /** The type code of each cell. */
  readonly types: Uint8Array;
  /** A bit for each type code among the cells. `absentBit` is set if some entities lack the property. */
  readonly typeBits: number;
  /** Values of Int32, Double and Boolean; the upper 32 bits of Int64 and DateTime. */
  readonly numbers: Float64Array;
  /** The lower 32 bits of Int64 and DateTime. */
  readonly lows: Uint32Array;
  /** Values of String and Guid; Binary as one character per byte. */
  readonly texts: readonly string[];
}

/** The bit of type code 0, for entities without the property. */
export const absentBit = 1;

/** The type code that all cells have; 0 if they differ. A column of one type is evaluated in a faster loop. */
export function uniformTypeOf({ typeBits }: Pick<Column, 'typeBits'>): number {
  const isMixed = (typeBits & (typeBits - 1)) !== 0;
  return isMixed || typeBits === 0 ? 0 : 31 - Math.clz32(typeBits);
}

/** The concatenation of two columns. */
export function joinColumns(a: Column, b: Column): Column {
  const [countA, count] = [a.types.length, a.types.length + b.types.length];
  const types = new Uint8Array(count);
  types.set(a.types);
  types.set(b.types, countA);
  const hasNumbers = a.numbers.length + b.numbers.length > 0;
  const hasLows = a.lows.length + b.lows.length > 0;
  const hasTexts = a.texts.length + b.texts.length > 0;
  const numbers = hasNumbers ? new Float64Array(count) : none.numbers;
  const lows = hasLows ? new Uint32Array(count) : none.lows;
  numbers.set(a.numbers);
  if (b.numbers.length > 0) numbers.set(b.numbers, countA);
  lows.set(a.lows);
  if (b.lows.length > 0) lows.set(b.lows, countA);
  return {
    types,
    typeBits: a.typeBits | b.typeBits,
    numbers,
    lows,
    texts: hasTexts ? [...textsOf(a), ...textsOf(b)] : none.texts,
  };
}

function textsOf({ texts, types }: Column): readonly string[] {
  return texts.length > 0 ? texts : new Array<string>(types.length).fill('');
}

const none = { numbers: new Float64Array(0), lows: new Uint32Array(0), texts: [] as string[] };

/** Builds a column cell by cell. A cell that is never set is absent. */
export class ColumnBuilder implements Column {
  readonly types: Uint8Array;
  numbers = none.numbers;
  lows = none.lows;
  texts = none.texts;
  readonly #count: number;
  #cellsSet = 0;
  #typeBits = 0;

  constructor(count: number) {
    this.#count = count;
    this.types = new Uint8Array(count);
  }

  get typeBits(): number {
    return this.#cellsSet === this.#count ? this.#typeBits : this.#typeBits | absentBit;
  }

  /** Sets a cell. Each cell may be set once. */
  set(at: number, edm: EdmValue): void {
    const type = cellTypes[edm.type];
    this.types[at] = type;
    this.#typeBits |= 1 << type;
    this.#cellsSet += 1;
    switch (edm.type) {
      case 'Edm.String':
      case 'Edm.Guid':
        this.#setText(at, edm.value);
        break;
      case 'Edm.Binary':
        this.#setText(at, latin1Of(edm.value));
        break;
      case 'Edm.Int64':
      case 'Edm.DateTime':
        this.#setNumber(at, upperHalf(edm.value));
        this.#setLow(at, lowerHalf(edm.value));
        break;
      default:
        this.#setNumber(at, Number(edm.value));
    }
  }

  #setText(at: number, text: string): void {
    if (this.texts === none.texts) this.texts = new Array<string>(this.#count).fill('');
    this.texts[at] = text;
  }

  #setNumber(at: number, value: number): void {
    if (this.numbers === none.numbers) this.numbers = new Float64Array(this.#count);
    this.numbers[at] = value;
  }

  #setLow(at: number, value: number): void {
    if (this.lows === none.lows) this.lows = new Uint32Array(this.#count);
    this.lows[at] = value;
  }
}

export const upperHalf = (value: bigint): number => Number(value >> 32n);
export const lowerHalf = (value: bigint): number => Number(value & 0xffff_ffffn);

/** Approximate memory of a column, in bytes. */
export function columnBytes({ types, numbers, lows, texts }: Column): number {
  let bytes = 320 + types.byteLength + numbers.byteLength + lows.byteLength + texts.length * 8;
  for (const text of texts) bytes += 16 + text.length * 2;
  return bytes;
}
