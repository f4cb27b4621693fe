// Entities as CSV, as Azure Storage Explorer and `tanzanite export` write them: a column for each property, and beside it one
// `Name@type`.

import { type EdmType, type EdmValue, type Entity, edmTypes, isLikeEtag } from '../../client/edm.ts';

/** The text is no CSV of entities. */
export class CsvFault extends Error {}

/** Splits CSV that comes in pieces into records of cells. An absent cell and an empty text in quotation marks are both empty. */
export class CsvRecords {
  #cells: string[] = [];
  #cell = '';
  /** `closed`: behind the closing mark of a cell, or at the first of two marks. */
  #state: 'bare' | 'quoted' | 'closed' = 'bare';
  #isBegun = false;

  /** The records that end in this piece. */
  *read(piece: string): Generator<readonly string[]> {
    for (const char of piece) {
      if (this.#state === 'quoted') this.#takeQuoted(char);
      else if (char === '"') this.#takeMark();
      else if (char === ',') this.#endCell();
      else if (char === '\n') {
        const record = this.#endRecord();
        if (record) yield record;
      } else if (char !== '\r') {
        if (this.#state === 'closed') throw new CsvFault('A cell goes on behind its closing quotation mark.');
        this.#cell += char;
        this.#isBegun = true;
      }
    }
  }

  /** The last record, where the text does not end with a line end. */
  end(): readonly string[] | undefined {
    if (this.#state === 'quoted') throw new CsvFault('A quotation mark is left open.');
    return this.#endRecord();
  }

  #takeQuoted(char: string): void {
    if (char === '"') this.#state = 'closed';
    else this.#cell += char;
  }

  #takeMark(): void {
    if (this.#state === 'closed') this.#cell += '"';
    else if (this.#cell !== '') throw new CsvFault('A cell with a quotation mark stands in marks, and has it twice.');
    this.#state = 'quoted';
    this.#isBegun = true;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'bare';
    this.#isBegun = true;
  }

  /** Undefined for an empty line. */
  #endRecord(): readonly string[] | undefined {
    if (!this.#isBegun) return undefined;
    this.#endCell();
    const record = this.#cells;
    this.#cells = [];
    this.#isBegun = false;
    return record;
  }
}

const typeColumn = /@(?:odata\.)?type$/;

/** Reads the records below a header. Throws CsvFault. */
export function createCsvReader(
  header: readonly string[],
): (cells: readonly string[]) => Omit<Entity, 'timestamp' | 'etag'> {
  for (const key of ['PartitionKey', 'RowKey']) {
    if (!header.includes(key)) throw new CsvFault(`The header has no column ${key}.`);
  }
  const columns = header.flatMap((name, at) => {
    if (/[.@]/.test(name) || ['PartitionKey', 'RowKey', 'Timestamp'].includes(name)) return [];
    return [{ name, at, typeAt: header.findIndex((other) => other.replace(typeColumn, '@') === `${name}@`) }];
  });
  const [partitionAt, rowAt] = [header.indexOf('PartitionKey'), header.indexOf('RowKey')];
  return (cells) => {
    if (cells.length !== header.length) {
      throw new CsvFault(`${cells.length} cells, where the header has ${header.length}.`);
    }
    const properties = new Map<string, EdmValue>();
    for (const { name, at, typeAt } of columns) {
      if (typeAt === -1 && isLikeEtag(name, cells[at])) continue;
      const value = readValue(cells[at] ?? '', cells[typeAt] ?? '');
      if (value) properties.set(name, value);
    }
    return { partitionKey: cells[partitionAt] ?? '', rowKey: cells[rowAt] ?? '', properties };
  };
}

/** No type and no text is no value. */
function readValue(text: string, type: string): EdmValue | undefined {
  if (type === '') return text === '' ? undefined : { type: 'Edm.String', text };
  const known = edmTypes.find((name): name is EdmType => name === type || name === `Edm.${type}`);
  if (!known) throw new CsvFault(`There is no type ${JSON.stringify(type.slice(0, 40))}.`);
  return { type: known, text: known === 'Edm.Boolean' ? text.toLowerCase() : text };
}

/** The first character of an exported file: without it Excel does not read CSV as UTF-8. */
export const byteOrderMark = '\ufeff';

/** The header for properties of these names. */
export const csvHeader = (names: readonly string[]): string =>
  csvRecord(['PartitionKey', 'RowKey', ...names.flatMap((name) => [name, `${name}@type`])]);

export function csvEntity({ partitionKey, rowKey, properties }: Entity, names: readonly string[]): string {
  const cells = names.flatMap((name) => {
    const value = properties.get(name);
    return value ? [value.text === '' ? undefined : value.text, value.type] : [undefined, undefined];
  });
  return csvRecord([partitionKey, rowKey, ...cells]);
}

const csvRecord = (cells: readonly (string | undefined)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
