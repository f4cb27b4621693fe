import { quoteJson } from '../model/json-text.ts';
import type { MetadataLevel } from './payload-format.ts';

/** How a table is rendered in JSON. */
export interface TableRenderOptions {
  readonly level: MetadataLevel;
  readonly base: string;
  readonly account: string;
  /** The end of the metadata address: `&$select=…`, or an empty string. */
  readonly metadataSuffix: string;
}

export function renderTable(name: string, options: TableRenderOptions): string {
  const item = renderItem(name, options);
  if (options.level === 'none') return `{${item}}`;
  const metadata = `${options.base}/$metadata#Tables/@Element${options.metadataSuffix}`;
  return `{"odata.metadata":${quoteJson(metadata)},${item}}`;
}

export function renderTableFeed(names: readonly string[], options: TableRenderOptions): string {
  const value = `"value":[${names.map((name) => `{${renderItem(name, options)}}`).join(',')}]}`;
  if (options.level === 'none') return `{${value}`;
  return `{"odata.metadata":${quoteJson(`${options.base}/$metadata#Tables${options.metadataSuffix}`)},${value}`;
}

function renderItem(name: string, { level, base, account }: TableRenderOptions): string {
  const property = `"TableName":${quoteJson(name)}`;
  if (level !== 'full') return property;
  const path = tablePathOf(name);
  const type = quoteJson(`${account}.Tables`);
  return `"odata.type":${type},"odata.id":${quoteJson(`${base}/${path}`)},"odata.editLink":${quoteJson(path)},${property}`;
}

export function tablePathOf(name: string): string {
  return `Tables('${name}')`;
}
