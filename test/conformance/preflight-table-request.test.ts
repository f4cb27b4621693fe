import { describe, expect, it } from 'vitest';
import { corsHeadersOf } from '../support/cors-headers.ts';
import { expectFrontEndHeaders, type FrontEndRefusal } from '../support/expect-front-end-refusal.ts';
import { setCors } from '../support/expect-xml.ts';
import { startService } from '../support/service.ts';
import type { WireHeaders } from '../support/table-client.ts';

const service = await startService();

function preflight(headers: WireHeaders, path = '/Tables') {
  return service.send({ method: 'OPTIONS', path, headers: { Authorization: undefined, ...headers } });
}

const asked = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' };
const refused: FrontEndRefusal = {
  status: 403,
  code: 'CorsPreflightFailure',
  message: 'CORS not enabled or no matching rule found for this request.',
  server: 'Microsoft-HTTPAPI/2.0',
  others: [],
};

describe('A preflight', () => {
  it('is refused if there are no rules: 403 CorsPreflightFailure, in XML', async () => {
    for (const path of ['/Tables', '/absent()', "/absent(PartitionKey='a',RowKey='b')"]) {
      const answer = await preflight(asked, path);
      expect(answer.body).toContain(
        `<m:code>CorsPreflightFailure</m:code><m:message xml:lang="en-US">${refused.message}\n`,
      );
      expectFrontEndHeaders(answer, refused, 'application/xml');
    }
  });

  it('with wrong credentials is answered as without credentials', async () => {
    const answer = await preflight({ ...asked, Authorization: 'nonsense' });
    expect(answer.header('x-ms-error-code')).toBe('CorsPreflightFailure');
  });

  it.each(['Origin', 'Access-Control-Request-Method'])('without %s is 400 InvalidHeaderValue', async (name) => {
    const answer = await preflight({ ...asked, [name]: undefined });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([400, 'InvalidHeaderValue']);
  });
});

/** Returns `200`, or the code of the refusal. */
async function answerTo(method: string, origin: string, requested?: string, path?: string): Promise<string> {
  const answer = await preflight(
    {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': requested,
    },
    path,
  );
  return answer.header('x-ms-error-code') ?? String(answer.status);
}

describe('A preflight with rules', () => {
  // The example that the documentation works through.
  const rules = [
    { origins: 'https://a.example', methods: 'PUT,HEAD', allowed: 'x-ms-one', maxAge: '1' },
    { origins: '*', methods: 'PUT,GET', allowed: 'x-ms-one', maxAge: '2' },
    { origins: 'https://a.example', methods: 'GET', allowed: 'x-ms-two', maxAge: '3' },
  ];

  it.each([
    ['PUT', 'https://a.example', 'x-ms-one', '200'],
    ['GET', 'https://a.example', 'x-ms-one', '200'],
    ['GET', 'https://a.example', 'x-ms-two', 'CorsPreflightFailure'],
    ['HEAD', 'https://b.example', 'x-ms-one', 'CorsPreflightFailure'],
    ['HEAD', 'https://A.example', 'x-ms-one', 'CorsPreflightFailure'],
    ['HEAD', 'https://a.example:443', 'x-ms-one', 'CorsPreflightFailure'],
    ['GET', 'https://b.example', 'X-MS-One', '200'],
    ['GET', 'https://b.example', 'x-ms-one, x-ms-two', 'CorsPreflightFailure'],
    ['GET', 'https://b.example', undefined, '200'],
    ['MERGE', 'https://a.example', undefined, 'CorsPreflightFailure'],
  ])(
    'to %s from %s with %s is decided by the first rule for origin and verb: %s',
    async (method, origin, requested, expected) => {
      await setCors(service, rules);
      expect(await answerTo(method, origin, requested)).toBe(expected);
    },
  );

  it('for a rule with origins is answered with the origin', async () => {
    await setCors(service, rules);
    const answer = await preflight({
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'X-MS-One,x-ms-one',
    });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(corsHeadersOf(answer)).toEqual({
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'X-MS-One,x-ms-one',
      'access-control-max-age': '1',
    });
    expect(answer.header('Content-Length')).toBe('0');
  });

  it('for a rule with all origins is answered with an asterisk, and only the requested headers', async () => {
    await setCors(service, rules);
    const answer = await preflight(asked);
    expect(corsHeadersOf(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-max-age': '2',
    });
  });

  it.each([
    ['*', 'anything,content-type', '200'],
    ['x-ms-*', 'x-ms-date,X-MS-Version', '200'],
    ['x-ms-*', 'x-ms-date,content-type', 'CorsPreflightFailure'],
    ['x-ms-meta', 'x-ms-metadata', 'CorsPreflightFailure'],
    ['', 'x-ms-date', 'CorsPreflightFailure'],
  ])('with a rule that allows the headers %j, for %s: %s', async (allowed, requested, expected) => {
    await setCors(service, [{ allowed }]);
    expect(await answerTo('GET', 'https://shop.example', requested)).toBe(expected);
  });

  it('needs no resource, no credentials and no table', async () => {
    await setCors(service, [{}]);
    for (const path of ['/absent()', '/$batch', '/absent?comp=acl', '/?restype=service&comp=properties']) {
      expect(await answerTo('GET', 'https://shop.example', undefined, path)).toBe('200');
    }
  });

  it('is refused as soon as the rules are removed', async () => {
    await setCors(service, [{}]);
    expect(await answerTo('GET', 'https://shop.example')).toBe('200');
    await setCors(service, []);
    expect(await answerTo('GET', 'https://shop.example')).toBe('CorsPreflightFailure');
  });
});
