import { describe, expect, it } from 'vitest';
import { keyConnectionString, sasConnectionString } from '../../../src/auth/connection-string.ts';
import { parseConnectionString } from '../../../src/data/table-endpoint.ts';
import { developmentKey } from '../../support/table-client.ts';

const key = Buffer.from('a key').toString('base64');

describe('a connection string', () => {
  it('with an account of Azure leads to its address, over https unless it says http', () => {
    const credential = { kind: 'key', account: 'shop', key };
    const text = `AccountName=shop;AccountKey=${key}`;
    expect(parseConnectionString(text)).toEqual({ url: 'https://shop.table.core.windows.net', credential });
    expect(
      parseConnectionString(` ${text};EndpointSuffix=core.chinacloudapi.cn;DefaultEndpointsProtocol=http; `),
    ).toEqual({
      url: 'http://shop.table.core.chinacloudapi.cn',
      credential,
    });
  });

  it('with a TableEndpoint leads there, in the form that tanzanite prints', () => {
    const url = 'http://127.0.0.1:10002/first';
    expect(parseConnectionString(keyConnectionString({ name: 'first', key, url }))).toEqual({
      url,
      credential: { kind: 'key', account: 'first', key },
    });
    expect(parseConnectionString(sasConnectionString({ url: `${url}/` }, 'sv=1&sig=a%3D'))).toEqual({
      url,
      credential: { kind: 'signature', query: 'sv=1&sig=a%3D' },
    });
  });

  it('accepts names in any case, and a question mark before a signature', () => {
    const { url, credential } = parseConnectionString('tableendpoint=https://a.example;sharedAccessSignature=?sv=1');
    expect([url, credential]).toEqual(['https://a.example', { kind: 'signature', query: 'sv=1' }]);
  });

  it('UseDevelopmentStorage=true leads to the development account', () => {
    expect(parseConnectionString('UseDevelopmentStorage=true')).toEqual({
      url: 'http://127.0.0.1:10002/devstoreaccount1',
      credential: { kind: 'key', account: 'devstoreaccount1', key: developmentKey },
    });
  });

  it.each([
    ['', 'neither a TableEndpoint nor an AccountName'],
    ['SECRET', 'no name and value in its part 1'],
    ['AccountName=shop', 'neither an AccountKey nor a SharedAccessSignature'],
    ['AccountName=shop;AccountKey=SECRET!', 'an AccountKey that is not base64'],
    ['TableEndpoint=https://a.example;AccountKey=SECRET', 'an AccountKey but no AccountName'],
    ['TableEndpoint=ftp://SECRET;AccountName=shop;AccountKey=SECRET', 'a TableEndpoint that is not an address'],
    ['AccountName=shop/SECRET@x;AccountKey=SECRET', 'does not fit an address'],
    ['AccountName=shop;AccountKey=SECRET;DefaultEndpointsProtocol=SECRET', 'not http or https'],
  ])('%j is refused with the reason and without its values', (text, reason) => {
    const parse = (): unknown => parseConnectionString(text);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow('SECRET');
  });
});
