// Values of one property over a block of entities, apart from the rest of them and decoded: what a filter is judged on.
// Reading a property out of every entity's text costs more than judging it, so columns are worth keeping.

import type { EdmValue } from '../model/edm.ts';

/** What a cell holds, a byte each; 0 is an entity without the property. */
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
  /** A cell type for each entity. */
  readonly types: Uint8Array;
  /** The type of every cell where there is but one, else 0: such columns are judged in a tighter loop. */
  readonly uniformType: number;
  /** Int32, Double and Boolean as they are; of the 64-bit types the upper half. */
  readonly numbers: Float64Array;
  /** The lower half of the 64-bit types. */
  readonly lows: Uint32Array;
  /** String and Guid as they are, Binary with a character for each byte. */
  readonly texts: readonly string[];
}

/** One column after the other. */
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
    uniformType: a.uniformType === b.uniformType ? a.uniformType : 0,
    numbers,
    lows,
    texts: hasTexts ? [...textsOf(a), ...textsOf(b)] : none.texts,
  };
}

function textsOf({ texts, types }: Column): readonly string[] {
  return texts.length > 0 ? texts : new Array<string>(types.length).fill('');
}

const none = { numbers: new Float64Array(0), lows: new Uint32Array(0), texts: [] as string[] };

/** Takes the values of one property, entity by entity; what was never set is absent. */
export class ColumnBuilder implements Column {
  readonly types: Uint8Array;
  numbers = none.numbers;
  lows = none.lows;
  texts = none.texts;
  readonly #count: number;
  #cellsSet = 0;
  #typeOfAll: number | undefined;

  constructor(count: number) {
    this.#count = count;
    this.types = new Uint8Array(count);
  }

  get uniformType(): number {
    return this.#cellsSet === this.#count ? (this.#typeOfAll ?? 0) : 0;
  }

  /** Each cell at most once. */
  set(at: number, edm: EdmValue): void {
    const type = cellTypes[edm.type];
    this.types[at] = type;
    this.#typeOfAll = this.#cellsSet === 0 || this.#typeOfAll === type ? type : 0;
    this.#cellsSet += 1;
    switch (edm.type) {
      case 'Edm.String':
      case 'Edm.Guid':
        this.#setText(at, edm.value);
        break;
      case 'Edm.Binary':
        this.#setText(at, edm.value.toString('latin1'));
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

/** Bytes of memory that a column takes, about. */
export function columnBytes({ types, numbers, lows, texts }: Column): number {
  let bytes = 320 + types.byteLength + numbers.byteLength + lows.byteLength + texts.length * 8;
  for (const text of texts) bytes += 16 + text.length * 2;
  return bytes;
}
