import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CorsRule } from '../../../src/model/service-properties.ts';
import {
  type CorsTarget,
  corsHeaders,
  type Preflight,
  preflightHeaders,
  selectRule,
} from '../../../src/protocol/cors.ts';
import type { HttpHeaders } from '../../../src/protocol/http-headers.ts';
import { corsRule } from '../../support/arbitrary-service-properties.ts';

const ruleOf = (rule: Partial<CorsRule>): CorsRule => ({
  allowedOrigins: ['*'],
  allowedMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'MERGE'],
  allowedHeaders: [],
  exposedHeaders: ['*'],
  maxAgeSeconds: 300,
  ...rule,
});
const shop = 'https://shop.example';
const named = ruleOf({ allowedOrigins: [shop] });
const wild = ruleOf({});
const table = (headers: HttpHeaders): Record<string, string> => Object.fromEntries(headers);

describe('The rule for a request', () => {
  const r1 = ruleOf({
    allowedOrigins: ['https://a.example'],
    allowedMethods: ['PUT', 'HEAD'],
    allowedHeaders: ['x-ms-one'],
  });
  const r2 = ruleOf({ allowedMethods: ['PUT', 'GET'], allowedHeaders: ['x-ms-one'] });
  const r3 = ruleOf({ allowedOrigins: ['https://a.example'], allowedMethods: ['GET'], allowedHeaders: ['x-ms-two'] });
  const rules = [r1, r2, r3];

  it.each([
    ['PUT', 'https://a.example', r1],
    ['HEAD', 'https://a.example', r1],
    ['GET', 'https://a.example', r2],
    ['PUT', 'https://b.example', r2],
    ['PUT', undefined, r2],
    ['HEAD', 'https://b.example', undefined],
    ['HEAD', undefined, undefined],
    ['DELETE', 'https://a.example', undefined],
    ['put', 'https://a.example', undefined],
  ])('with the method %s and the origin %s is the first that matches', (method, origin, rule) => {
    expect(selectRule(rules, { method, origin })).toBe(rule);
  });

  it.each(['HTTPS://a.example', 'https://A.example', 'https://a.example/', 'https://a.example:443', 'a.example', ''])(
    'does not match the origin https://a.example with %j',
    (origin) => {
      expect(selectRule([r1, r3], { method: 'GET', origin })).toBeUndefined();
    },
  );

  it.each([
    ['PUT', 'x-ms-one', true],
    ['GET', 'x-ms-one', true],
    ['GET', 'x-ms-two', false],
  ])(
    'is the only one used: a preflight of %s with %s from https://a.example succeeds: %s',
    (method, requestHeaders, succeeds) => {
      const headers = preflightHeaders(rules, { method, origin: 'https://a.example', requestHeaders });
      expect(headers !== undefined).toBe(succeeds);
    },
  );
});

describe('A preflight request', () => {
  const ask = (rules: CorsRule[], preflight: Partial<Preflight>) =>
    preflightHeaders(rules, { origin: shop, method: 'PUT', requestHeaders: undefined, ...preflight });

  it('to a rule with the origin names it, and allows credentials', () => {
    const rule = ruleOf({ allowedOrigins: [shop], allowedHeaders: ['content-type', 'x-ms-*'] });
    expect(ask([rule], { requestHeaders: 'Content-Type, X-MS-date' })).toEqual([
      ['Access-Control-Allow-Origin', shop],
      ['Access-Control-Allow-Credentials', 'true'],
      ['Access-Control-Allow-Methods', 'PUT'],
      ['Access-Control-Allow-Headers', 'Content-Type, X-MS-date'],
      ['Access-Control-Max-Age', '300'],
    ]);
  });

  it('to a rule for all origins is answered with *, without credentials', () => {
    expect(ask([ruleOf({ allowedOrigins: [shop, '*'], maxAgeSeconds: 0 })], {})).toEqual([
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Allow-Methods', 'PUT'],
      ['Access-Control-Max-Age', '0'],
    ]);
  });

  it.each([undefined, '', ' ', ','])(
    'without requested headers (%j) gets no Access-Control-Allow-Headers',
    (requestHeaders) => {
      expect(table(ask([wild], { requestHeaders })!)).not.toHaveProperty('Access-Control-Allow-Headers');
    },
  );

  it.each([
    ['no rules are stored', [], {}],
    ['no rule has the origin', [named], { origin: 'https://admin.example' }],
    ['no rule has the method', [wild], { method: 'PATCH' }],
    ['the rule has no headers', [wild], { requestHeaders: 'x-ms-date' }],
    [
      'one of the headers is not in the rule',
      [ruleOf({ allowedHeaders: ['a', 'b*'] })],
      { requestHeaders: 'a,b,bc,c' },
    ],
  ] as const)('is refused if %s', (_, rules, preflight) => {
    expect(ask([...rules], preflight)).toBeUndefined();
  });

  it('may request 256 headers, and is refused with more, even if some are empty', () => {
    const askFor = (requestHeaders: string) => ask([ruleOf({ allowedHeaders: ['a*'] })], { requestHeaders });
    expect(askFor(`a${',a'.repeat(255)}`)).toBeDefined();
    expect(askFor(`a${',a'.repeat(256)}`)).toBeUndefined();
    expect(askFor(`${','.repeat(60_000)}b`)).toBeUndefined();
  });

  it.each([
    [['*'], 'anything,at-all', true],
    [['x-ms-*'], 'X-MS-Version', true],
    [['x-ms-*'], 'x-ms-', true],
    [['X-Ms-*'], 'x-ms-version', true],
    [['x-ms-*'], 'x-m', false],
    [['x-ms-date'], 'X-Ms-Date', true],
    [['x-ms-date'], 'x-ms-date2', false],
    [['a', 'b'], 'b , a', true],
  ])('with the headers %j in the rule may send %s: %s', (allowedHeaders, requestHeaders, succeeds) => {
    expect(ask([ruleOf({ allowedHeaders })], { requestHeaders }) !== undefined).toBe(succeeds);
  });
});

const answerNames =
  'Cache-Control Transfer-Encoding Content-Type ETag Server x-ms-request-id x-ms-client-request-id x-ms-version X-Content-Type-Options'.split(
    ' ',
  );
const exposedToAll =
  'x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,ETag,Content-Type,Content-Length,Date,Transfer-Encoding';

describe('The response to an actual request', () => {
  const answer = (rules: readonly CorsRule[], target: CorsTarget, responseHeaderNames = answerNames) =>
    table(corsHeaders(rules, { ...target, responseHeaderNames }));
  const exposed = { 'Access-Control-Expose-Headers': exposedToAll };
  const all = { ...exposed, 'Access-Control-Allow-Origin': '*' };
  const onlyShop = {
    ...exposed,
    'Access-Control-Allow-Origin': shop,
    'Access-Control-Allow-Credentials': 'true',
  };
  const vary = { Vary: 'Origin' };
  const onlyPost = ruleOf({ allowedMethods: ['POST'] });

  it.each([
    ['no origin, no rules', undefined, [], {}],
    ['no origin, no rule for all', undefined, [named], vary],
    ['no origin, no rule for all that has the method', undefined, [onlyPost], vary],
    ['no origin, a rule for all', undefined, [wild], all],
    ['no origin, a rule for all after another', undefined, [named, wild], all],
    ['an origin, no rules', shop, [], {}],
    ['an origin, a rule that names it', shop, [named], { ...vary, ...onlyShop }],
    ['an origin, a rule that names it before one for all', shop, [named, wild], { ...vary, ...onlyShop }],
    ['an origin, no rule for it', 'https://other.example', [named], vary],
    ['an origin, a rule for all', shop, [wild], all],
    ['an origin, a rule for all before one that names it', shop, [wild, named], all],
  ] as const)('to GET and HEAD with %s', (_, origin, rules, expected) => {
    expect(answer(rules, { origin, method: 'GET' })).toEqual(expected);
    expect(answer(rules, { origin, method: 'HEAD' })).toEqual(expected);
  });

  it.each([
    ['no origin, no rules', undefined, [], {}],
    ['no origin, a rule for all', undefined, [wild], {}],
    ['an origin, no rules', shop, [], {}],
    ['an origin, a rule that names it', shop, [named], onlyShop],
    ['an origin, no rule for it', 'https://other.example', [named], {}],
    ['an origin, a rule for all', shop, [wild], all],
  ] as const)('to any other method with %s', (_, origin, rules, expected) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'MERGE']) {
      expect(answer(rules, { origin, method })).toEqual(expected);
    }
    expect(answer(rules, { origin, method: 'PATCH' })).toEqual({});
  });

  it('does not evaluate anything if no rules are stored', () => {
    const target = { method: 'GET', responseHeaderNames: answerNames };
    expect(corsHeaders([], { ...target, origin: undefined })).toBe(corsHeaders([], { ...target, origin: shop }));
  });

  it('exposes continuation headers after Cache-Control', () => {
    const names = ['Cache-Control', 'Transfer-Encoding', 'Content-Type', 'Server', 'x-ms-request-id', 'x-ms-version'];
    names.push('X-Content-Type-Options', 'x-ms-continuation-NextPartitionKey', 'x-ms-continuation-NextRowKey');
    expect(answer([wild], { origin: undefined, method: 'GET' }, names)['Access-Control-Expose-Headers']).toBe(
      'x-ms-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,x-ms-continuation-NextPartitionKey,x-ms-continuation-NextRowKey,Content-Type,Content-Length,Date,Transfer-Encoding',
    );
  });

  it('exposes the headers of Get Table Service Properties', () => {
    const names = ['Transfer-Encoding', 'Server', 'x-ms-request-id', 'x-ms-client-request-id', 'x-ms-version'];
    expect(answer([wild], { origin: undefined, method: 'GET' }, names)['Access-Control-Expose-Headers']).toBe(
      'x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,Content-Length,Date,Transfer-Encoding',
    );
  });

  it.each([
    [['x-ms-*'], 'x-ms-request-id,x-ms-client-request-id,x-ms-version'],
    [['etag', 'X-MS-Client*'], 'x-ms-client-request-id,ETag'],
    [['x-ms-meta-*'], undefined],
    [[], undefined],
  ])('exposes the headers that %j allows', (exposedHeaders, expected) => {
    const headers = answer([ruleOf({ exposedHeaders })], { origin: shop, method: 'GET' });
    expect(headers['Access-Control-Expose-Headers']).toBe(expected);
  });

  it('never allows an origin without a rule, or credentials for all origins', () => {
    const origin = fc.oneof(fc.constantFrom(shop, 'null', ''), fc.webUrl(), fc.constant(undefined));
    fc.assert(
      fc.property(
        fc.array(corsRule, { maxLength: 5 }),
        origin,
        fc.constantFrom('GET', 'PUT'),
        (rules, from, method) => {
          const headers = answer(rules, { origin: from, method });
          const allowed = headers['Access-Control-Allow-Origin'];
          if (allowed === undefined) return;
          expect(rules.flatMap(({ allowedOrigins }) => allowedOrigins)).toContain(allowed);
          expect(allowed === '*' || allowed === from).toBe(true);
          expect(headers['Access-Control-Allow-Credentials']).toBe(allowed === '*' ? undefined : 'true');
        },
      ),
    );
  });
});
