// Reads and writes entities as CSV, in the form of Azure Storage Explorer: two columns for each property, `Name` and
// `Name@type`.

import type { EdmValue } from '../model/edm.ts';
import { edmFromJson } from '../model/edm-json.ts';
import { misspeltKey } from '../model/misspelt-key.ts';
import { quote } from '../model/printable-text.ts';
import { decodeProperties } from '../model/properties.ts';
import { csvRecord, readCsvRecord } from './csv.ts';
import { keyNames, valueText } from './entity-text.ts';
import { EntityFault, type FileEntity, fileValueFault, isEtag, judgeEntity } from './file-entity.ts';

interface Column {
  readonly name: string;
  readonly at: number;
  /** The index of the cell with the type. */
  readonly typeAt: number | undefined;
}

/** Reads the records of one file. */
export class CsvEntityReader {
  readonly #columns: readonly Column[];
  readonly #cellCount: number;

  /** Takes the header. Throws EntityFault. */
  constructor(header: string, { needsKeys = true }: { readonly needsKeys?: boolean } = {}) {
    const names = cellsOf(header);
    this.#cellCount = names.length;
    this.#columns = readColumns(names, needsKeys);
  }

  /** Reads a record as an entity. Throws EntityFault. */
  read(record: string): FileEntity {
    return judgeEntity(this.readRow(record));
  }

  /** The keys and properties, not validated. Throws EntityFault. */
  readRow(record: string): ReadonlyMap<string, EdmValue> {
    const cells = cellsOf(record);
    if (cells.length !== this.#cellCount) {
      throw new EntityFault(`has ${cells.length} cells, and the header ${this.#cellCount}`);
    }
    const row = new Map<string, EdmValue>();
    for (const { name, at, typeAt } of this.#columns) {
      if (typeAt === undefined && isEtag(name, cells[at] ?? '')) continue;
      const edm = readCell(name, cells[at] ?? '', typeAt === undefined ? '' : (cells[typeAt] ?? ''));
      if (edm) row.set(name, edm);
    }
    return row;
  }
}

function cellsOf(record: string): readonly string[] {
  const cells = readCsvRecord(record);
  if (typeof cells === 'string') throw new EntityFault(cells);
  return cells;
}

const typeColumn = /@(?:odata\.)?type$/;

function readColumns(names: readonly string[], needsKeys: boolean): readonly Column[] {
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  if (doubled !== undefined) throw new EntityFault(`has the column ${quote(doubled)} twice`);
  for (const key of needsKeys ? keyNames : []) {
    if (names.includes(key)) continue;
    const meant = names.find((name) => name.toLowerCase() === key.toLowerCase());
    throw new EntityFault(`has no column ${key}${meant === undefined ? '' : `: ${misspeltKey([meant])}`}`);
  }
  const lonely = names.find((name) => typeColumn.test(name) && !names.includes(name.replace(typeColumn, '')));
  if (lonely !== undefined) throw new EntityFault(`has the column ${quote(lonely)} but no column of its values`);
  return names.flatMap((name, at) => {
    if (name === 'Timestamp' || /[.@]/.test(name)) return [];
    const typeAt = names.findIndex((other) => other === `${name}@type` || other === `${name}@odata.type`);
    return [{ name, at, typeAt: typeAt === -1 ? undefined : typeAt }];
  });
}

/** An empty cell without a type: the property is absent. A key is always a text. */
function readCell(name: string, text: string, type: string): EdmValue | undefined {
  const isKey = name === keyNames[0] || name === keyNames[1];
  if (type === '') return text === '' && !isKey ? undefined : { type: 'Edm.String', value: text };
  const edm = edmFromJson(type.startsWith('Edm.') ? type : `Edm.${type}`, { kind: 'string', text });
  if (!edm) throw fileValueFault(name, type, text);
  return edm;
}

/** The header for properties of these names. */
export function csvHeader(names: readonly string[]): string {
  return csvRecord([...keyNames, ...names.flatMap((name) => [name, `${name}@type`])]);
}

/** One record. Throws EntityFault for a text that CSV cannot represent. */
export function csvEntity({ partitionKey, rowKey, properties }: FileEntity, names: readonly string[]): string {
  const values = decodeProperties(properties);
  const cells = names.flatMap((name) => {
    const value = values.get(name);
    if (!value) return [undefined, undefined];
    const text = valueText(value);
    if (loneSurrogate.test(text))
      throw new EntityFault(`property ${quote(name)} has half a surrogate pair, which CSV cannot represent`);
    return [text === '' ? undefined : text, value.type];
  });
  return csvRecord([partitionKey, rowKey, ...cells]);
}

const loneSurrogate = /\p{Surrogate}/u;
