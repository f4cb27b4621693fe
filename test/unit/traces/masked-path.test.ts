import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedPath } from '../../../src/traces/masked-path.ts';

describe('The path of a span', () => {
  it.each([
    ['/account/Tables', '/account/Tables'],
    ['/account/pets?$filter=Age%20gt%205&sig=hush', '/account/pets'],
    ["/account/pets(PartitionKey='secret',RowKey='key')", '/account/pets(REDACTED)'],
    ["/account/pets%28PartitionKey='secret',RowKey='key'%29?x", '/account/pets(REDACTED)'],
    ["/account/Tables('pets')", '/account/Tables(REDACTED)'],
    ["http://127.0.0.1:10002/account/pets(PartitionKey='a/b',RowKey='')", '/account/pets(REDACTED)'],
    ['/account/$batch', '/account/$batch'],
    ['/account/pets/secret/more', '/account/pets/REDACTED'],
    ['/account/what%20is%20this', '/account/REDACTED'],
    ['/account-secondary/pets', '/account-secondary/pets'],
    ['/pets()?$top=1', '/pets()'],
    ['/pets/secret', '/pets/REDACTED'],
    ['*', '/'],
    ['', '/'],
  ])('of %s is %s', (url, path) => {
    expect(maskedPath({ url, account: 'account' })).toBe(path);
  });

  it('contains no part of a key, whatever the key is', () => {
    const key = fc.string({ minLength: 1, unit: 'grapheme' }).map((text) => `Q7x${text}Q7x`);
    fc.assert(
      fc.property(key, key, (partitionKey, rowKey) => {
        const literal = (text: string): string => encodeURIComponent(text.replaceAll("'", "''"));
        const url = `/account/pets(PartitionKey='${literal(partitionKey)}',RowKey='${literal(rowKey)}')?sig=Q7x`;
        expect(maskedPath({ url, account: 'account' })).toBe('/account/pets(REDACTED)');
      }),
    );
  });
});
