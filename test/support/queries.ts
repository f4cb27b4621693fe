// Helps tests of queries: filters as query options, row keys in responses, and all pages of a query.

import { expect } from 'vitest';
import { accepting } from './expect-success.ts';
import type { Service } from './service.ts';
import type { WireAnswer } from './table-client.ts';

export const nextPartition = 'x-ms-continuation-NextPartitionKey';
export const nextRow = 'x-ms-continuation-NextRowKey';

/** A filter as a query option: `$filter=…`, percent-encoded. */
export function filterOption(filter: string): string {
  return `$filter=${encodeURIComponent(filter)}`;
}

/** Queries entities without metadata. */
export function queryEntities(service: Service, table: string, options = ''): Promise<WireAnswer> {
  return service.get(`/${table}()?${options}`, accepting('nometadata'));
}

/** The row keys of the entities that a filter selects. The response must be a success with a single page. */
export async function rowsWhere(service: Service, table: string, filter: string): Promise<string[]> {
  const answer = await queryEntities(service, table, filterOption(filter));
  expect(`${answer.status} ${answer.status === 200 ? '' : answer.body}`, filter).toBe('200 ');
  expect(answer.header(nextPartition)).toBeUndefined();
  return rowKeysIn(answer);
}

export function rowKeysIn({ body }: WireAnswer): string[] {
  const { value } = JSON.parse(body) as { value: { RowKey: string }[] };
  return value.map(({ RowKey }) => RowKey);
}

/** The query options that request the next page. Empty after the last page. */
export function continuationOf(page: WireAnswer): string {
  const partition = page.header(nextPartition);
  if (partition === undefined) return '';
  const row = page.header(nextRow) ?? '';
  return `NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(row)}`;
}

/** Reads every page of a query. Each response must be a success. */
export async function walkPages(service: Service, table: string, options: string): Promise<WireAnswer[]> {
  const pages: WireAnswer[] = [];
  for (let next: string | undefined; next !== ''; next = continuationOf(pages.at(-1) as WireAnswer)) {
    pages.push(await queryEntities(service, table, next === undefined ? options : `${options}&${next}`));
    expect(pages.at(-1)?.status).toBe(200);
    expect(pages.length).toBeLessThan(50);
  }
  return pages;
}

/** A part of a continuation token: `1!8!cm93LTE-` for `row-1`. */
export function tokenOf(text: string): string {
  const encoded = Buffer.from(text).toString('base64').replaceAll('+', '*').replaceAll('/', '_').replaceAll('=', '-');
  return `1!${encoded.length}!${encoded}`;
}
