import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAddressKey } from '../../../src/model/entity-key.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { tableReference } from '../../../src/model/table-name.ts';
import {
  type Address,
  entityPathOf,
  parseAddress,
  parseInnerAddress,
  parseResource,
} from '../../../src/protocol/address.ts';
import { parseQueryOptions as queryOf } from '../../../src/protocol/query-options.ts';

const http = { scheme: 'http', isHostStyleKnown: true } as const;
const host = '127.0.0.1:10002';
const pets = tableReference('pets');

describe('An address', () => {
  it.each([
    ['/acct/Tables', { account: 'acct', secondary: false, base: `http://${host}/acct`, wirePath: '/acct/Tables' }],
    ['/acct', { account: 'acct', wirePath: '/acct', resource: { kind: 'service' } }],
    ['/acct/', { account: 'acct', wirePath: '/acct/', resource: { kind: 'service' } }],
    [
      '/acct?comp=properties',
      { account: 'acct', wirePath: '/acct', query: queryOf('comp=properties'), resource: { kind: 'service' } },
    ],
    ['/acct-secondary/Tables', { account: 'acct', secondary: true, base: `http://${host}/acct-secondary` }],
    ['/acct/T?a=b?c=%', { wirePath: '/acct/T', query: queryOf('a=b?c=%') }],
    [
      'http://other.test/acct/T?x=1',
      { account: 'acct', wirePath: '/acct/T', query: queryOf('x=1'), base: `http://${host}/acct` },
    ],
    ['HTTP://other.test/acct/T', { account: 'acct', wirePath: '/acct/T' }],
  ] as const)('in path style, %s', (target, expected) => {
    expect(parseAddress(target, host, http)).toMatchObject(expected);
  });

  it.each([
    [
      '/Tables',
      'acct.table.core.windows.net',
      { account: 'acct', secondary: false, wirePath: '/Tables', resource: { kind: 'tables' } },
    ],
    [
      '/',
      'acct.table.localhost:10002',
      { account: 'acct', resource: { kind: 'service' }, base: 'http://acct.table.localhost:10002' },
    ],
    [
      '/T()',
      'acct-secondary.table.core.windows.net',
      { account: 'acct', secondary: true, base: 'http://acct-secondary.table.core.windows.net' },
    ],
    ['/table.x/Tables', 'table.example.test', { account: 'table.x' }],
  ] as const)('in host style, %s at %s', (target, name, expected) => {
    expect(parseAddress(target, name, http)).toMatchObject(expected);
  });

  it('in a response begins with the scheme of its endpoint', () => {
    expect(parseAddress('/acct/T', host, { scheme: 'https', isHostStyleKnown: true }).base).toBe(
      `https://${host}/acct`,
    );
  });

  it('without an account, or without a host, is refused by the front end', () => {
    const refusal = (target: string, name: string): unknown => {
      try {
        return parseAddress(target, name, http);
      } catch (error) {
        return error instanceof ServiceError ? [error.code, error.stage] : error;
      }
    };
    expect(refusal('/', host)).toEqual(['InvalidUri', 'frontEnd']);
    expect(refusal('//x', host)).toEqual(['InvalidUri', 'frontEnd']);
    expect(refusal('/acct/T', '')).toEqual(['HostInformationNotPresent', 'frontEnd']);
  });

  it.each(['#', 'a b', 'a/b', 'a@b', 'a:b', '[::1', 'é', 'a?b'])('under the Host %s is refused', (name) => {
    expect(() => parseAddress('/acct/T', name, http)).toThrow(expect.objectContaining({ code: 'InvalidHeaderValue' }));
  });

  it.each(['127.0.0.1:10002', '[::1]:10002', '[::1]', 'my_service', 'a.b.', 'x:'])(
    'is read under the Host %s',
    (name) => {
      expect(parseAddress('/acct/T', name, http).base).toBe(`http://${name}/acct`);
    },
  );

  it('is parsed, or refused with an error of the service, for any text', () => {
    const piece = fc.constantFrom(
      '/',
      'acct',
      'Tables',
      '(',
      ')',
      "'",
      '%27',
      '%',
      '%zz',
      '%00',
      'PartitionKey',
      'RowKey',
      '=',
      ',',
      '?',
      '#',
      '&',
      ' ',
      '-secondary',
      '$batch',
      '\u00ff',
      'http://',
      '.',
    );
    const target = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(target, fc.constantFrom(host, 'acct.table.test'), (text, name) => {
        try {
          return typeof parseAddress(text, name, http).resource.kind === 'string';
        } catch (error) {
          return error instanceof ServiceError && error.stage === 'frontEnd';
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('An address inside a batch', () => {
  const primary = parseAddress('/acct/$batch', host, http);
  const secondary = parseAddress('/acct-secondary/$batch', host, http);

  it.each(['/acct/pets', '/acct-secondary/pets', '/pets', 'http://other.test/acct/pets', 'https://acct.test/pets'])(
    'names the same resource with and without the account, or its secondary: %s',
    (target) => {
      for (const outer of [primary, secondary]) {
        const { resource, secondary: isSecondary, base } = parseInnerAddress(target, outer);
        expect([resource, isSecondary, base]).toEqual([{ kind: 'entities', table: pets }, outer.secondary, outer.base]);
      }
    },
  );

  it.each([
    ['/acct', 'acct'],
    ['/accts', 'accts'],
    ['/other/pets', undefined],
    ['/acct-third/pets', undefined],
  ])('keeps parts that are not the account: %s', (target, table) => {
    const { resource } = parseInnerAddress(target, primary);
    expect('table' in resource && resource.kind === 'entities' ? resource.table.name : undefined).toBe(table);
  });
});

const syntax = 'Bad Request - Error in query syntax.';
const keyCount =
  "The number of keys specified in the URI does not match number of key properties for the resource 'acct.pets'.";

describe('A resource', () => {
  it.each([
    ['', { kind: 'service' }],
    ['/', { kind: 'service' }],
    ['/Tables', { kind: 'tables' }],
    ['/Tables()', { kind: 'tables' }],
    ['/Tables/', { kind: 'tables' }],
    ["/Tables('a')", { kind: 'table', table: tableReference('a') }],
    ["/Tables('it''s')", { kind: 'table', table: tableReference("it's") }],
    ['/Tables(%27a%27)', { kind: 'table', table: tableReference('a') }],
    ['/tables', { kind: 'entities', table: tableReference('tables') }],
    ['/pets', { kind: 'entities', table: pets }],
    ['/pets()', { kind: 'entities', table: pets }],
    ['/pets( )', { kind: 'entities', table: pets }],
    ['/$MetricsTransactionsTable', { kind: 'entities', table: tableReference('$MetricsTransactionsTable') }],
    ['/$batch', { kind: 'batch' }],
    ['/%24batch', { kind: 'batch' }],
    ['/pets/Tables', { kind: 'navigation', table: pets, hasKey: false }],
    ["/pets/Tables('pets')", { kind: 'navigation', table: pets, hasKey: true }],
    ["/pets(PartitionKey='a',RowKey='b')", { kind: 'entity', table: pets, key: { partitionKey: 'a', rowKey: 'b' } }],
    [
      "/pets( RowKey = 'b' , PartitionKey = 'a' )",
      { kind: 'entity', table: pets, key: { partitionKey: 'a', rowKey: 'b' } },
    ],
    ["/pets(PartitionKey='',RowKey='')", { kind: 'entity', table: pets, key: { partitionKey: '', rowKey: '' } }],
    [
      "/pets(PartitionKey='a/b',RowKey='c')",
      { kind: 'entity', table: pets, key: { partitionKey: 'a/b', rowKey: 'c' } },
    ],
    [
      "/pets(PartitionKey='a%2Fb',RowKey='%252F')",
      { kind: 'entity', table: pets, key: { partitionKey: 'a/b', rowKey: '%2F' } },
    ],
    [
      "/pets(PartitionKey='a+b',RowKey='c%20d')",
      { kind: 'entity', table: pets, key: { partitionKey: 'a+b', rowKey: 'c d' } },
    ],
    [
      "/pets(PartitionKey='x'',RowKey=''y',RowKey='z')",
      { kind: 'entity', table: pets, key: { partitionKey: "x',RowKey='y", rowKey: 'z' } },
    ],
    ["/Tables('a')/", { kind: 'table', table: tableReference('a') }],
    ['/pets/', { kind: 'entities', table: pets }],
    ['/1pets', { kind: 'entities', table: tableReference('1pets') }],
    ['/my_pets()', { kind: 'entities', table: tableReference('my_pets') }],
    ['/a%2F%2F', { kind: 'entities', table: tableReference('a//') }],
    [
      "/a%2F%2F(PartitionKey='a',RowKey='b')",
      { kind: 'entity', table: tableReference('a//'), key: { partitionKey: 'a', rowKey: 'b' } },
    ],
    ['/(retry)', { kind: 'unroutable' }],
    ['/%28retry%29', { kind: 'unroutable' }],
    ['/my_pets/Tables', { kind: 'unroutable' }],
    ["/pets(PartitionKey='a',RowKey='b')/", { kind: 'unroutable' }],
  ] as const)('at %s', (path, expected) => {
    expect(parseResource(path, 'acct')).toMatchObject(expected);
  });

  it.each([
    ["/pets(PartitionKey='a')", keyCount],
    ["/pets(PartitionKey='a',PartitionKey='b')", syntax],
    ["/pets(PartitionKey='a',RowKey=5)", syntax],
    ["/pets(PartitionKey='a',RowKey='b',Other='c')", keyCount],
    ["/pets(PartitionKey='a'", syntax],
    ["/pets(PartitionKey='a'/b", syntax],
    ["/Tables('a'", syntax],
    ['/pets%', syntax],
    ['/pets%C3', syntax],
    // Evidence: sdk (azure-sdk-for-net #31464).
    [
      "/pets(PartitionKey='one',RowKey='two'three')",
      "There is an unterminated string literal at position 37 in 'PartitionKey='one',RowKey='two'three''.",
    ],
    ['/pets(PartitionKey=%27it%27s%27,RowKey=%27b%27)', syntax],
    ["/Tables('it's')", syntax],
  ])('at %s is unreadable: %s', (path, message) => {
    const resource = parseResource(path, 'acct');
    expect(resource.kind === 'unreadable' && [resource.refusal.code, resource.refusal.message]).toEqual([
      'InvalidInput',
      message,
    ]);
  });

  it('at the address of an entity is the entity, for any key', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc
        .array(fc.constantFrom("'", '%', '+', ' ', ',', '(', ')', '=', '&', 'RowKey', '%27', '%2F', '\u{1f600}'), {
          maxLength: 8,
        })
        .map((parts) => parts.join('')),
    );
    const key = fc.record({ partitionKey: part, rowKey: part });
    fc.assert(
      fc.property(key, fc.boolean(), (one, encodesQuotes) => {
        const written = `/${entityPathOf('pets', one)}`;
        const path = encodesQuotes ? written.replaceAll("'", '%27') : written;
        expect(parseResource(path, 'acct')).toEqual({ kind: 'entity', table: pets, key: one });
        expect(written).toMatch(/^[!-~]+$/);
      }),
      { numRuns: 500 },
    );
  });

  it('contains a key that is refused only for characters that no key may contain', () => {
    const { resource } = parseAddress("/acct/pets(PartitionKey='a',RowKey='b')", host, http) as Address & {
      resource: { key: never };
    };
    expect(() => checkAddressKey(resource.key)).not.toThrow();
  });
});
