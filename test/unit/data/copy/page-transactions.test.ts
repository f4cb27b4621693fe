import { describe, expect, it } from 'vitest';
import { pageTransactions } from '../../../../src/data/copy/page-transactions.ts';
import { renderTransaction } from '../../../../src/data/copy/transaction-body.ts';
import { readEntityJson } from '../../../../src/data/entity-text.ts';

const url = 'http://127.0.0.1:10002/devstoreaccount1';
const row = (PartitionKey: string, RowKey: string, more: object = {}) =>
  readEntityJson(JSON.stringify({ PartitionKey, RowKey, ...more }));

describe('the transactions of a page', () => {
  it('annotate a Double that looks like an integer, and contain no Timestamp', () => {
    const Timestamp = '2026-01-02T03:04:05Z';
    const text = `{"PartitionKey":"p","RowKey":"r","Timestamp":"${Timestamp}","wholé":5.0,"half":0.5}`;
    const [transaction] = pageTransactions([readEntityJson(text)], 'T', url);
    const [upsert] = transaction?.upserts ?? [];
    expect(upsert?.body).toBe(
      String.raw`{"whol\u00e9@odata.type":"Edm.Double","PartitionKey":"p","RowKey":"r","whol\u00e9":5.0,"half":0.5}`,
    );
    expect(upsert?.key).toEqual({ partitionKey: 'p', rowKey: 'r' });
  });

  it('have one partition and a hundred entities at most', () => {
    const rows = [...Array.from({ length: 150 }, (_, at) => row('a', `${at}`)), row('b', '0'), row('a', '0')];
    const transactions = pageTransactions(rows, 'T', url);
    expect(transactions.map(({ partitionKey, upserts }) => [partitionKey, upserts.length])).toEqual([
      ['a', 100],
      ['a', 50],
      ['b', 1],
      ['a', 1],
    ]);
  });

  it('stay below 4 MiB, including all headers and delimiters', () => {
    const rows = Array.from({ length: 90 }, (_, at) => row('ü'.repeat(100), `${at}`, { text: '€'.repeat(9_000) }));
    const transactions = pageTransactions(rows, 'T', url);
    const bytes = transactions.map(({ upserts }) => Buffer.byteLength(renderTransaction(url, upserts)));
    expect(transactions.flatMap(({ upserts }) => upserts)).toHaveLength(90);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(4 * 1_048_576);
    expect(bytes.length).toBe(2);
  });
});
