import { quoteJson } from '../model/json-text.ts';
import type { MetadataLevel } from './payload-format.ts';

export interface TableFrame {
  readonly level: MetadataLevel;
  readonly base: string;
  readonly account: string;
  /** `&$select=…` as the metadata address repeats it, or an empty text. */
  readonly metadataSuffix: string;
}

export function renderTable(name: string, frame: TableFrame): string {
  const item = renderItem(name, frame);
  if (frame.level === 'none') return `{${item}}`;
  const metadata = `${frame.base}/$metadata#Tables/@Element${frame.metadataSuffix}`;
  return `{"odata.metadata":${quoteJson(metadata)},${item}}`;
}

export function renderTableFeed(names: readonly string[], frame: TableFrame): string {
  const value = `"value":[${names.map((name) => `{${renderItem(name, frame)}}`).join(',')}]}`;
  if (frame.level === 'none') return `{${value}`;
  return `{"odata.metadata":${quoteJson(`${frame.base}/$metadata#Tables${frame.metadataSuffix}`)},${value}`;
}

function renderItem(name: string, { level, base, account }: TableFrame): string {
  const property = `"TableName":${quoteJson(name)}`;
  if (level !== 'full') return property;
  const path = tablePathOf(name);
  const type = quoteJson(`${account}.Tables`);
  return `"odata.type":${type},"odata.id":${quoteJson(`${base}/${path}`)},"odata.editLink":${quoteJson(path)},${property}`;
}

export function tablePathOf(name: string): string {
  return `Tables('${name}')`;
}
