import { describe, expect, it } from 'vitest';
import type { WireHeaders } from './client.ts';
import { type DoorRefusal, expectDoorHeaders } from './door-refusals.ts';
import { startService } from './service.ts';

const service = await startService();

function preflight(headers: WireHeaders, path = '/Tables') {
  return service.send({ method: 'OPTIONS', path, headers: { Authorization: undefined, ...headers } });
}

const asked = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' };
const refused: DoorRefusal = {
  status: 403,
  code: 'CorsPreflightFailure',
  message: 'CORS not enabled or no matching rule found for this request.',
  server: 'Microsoft-HTTPAPI/2.0',
  others: [],
};

describe('A preflight', () => {
  it('is refused whoever sends it, as long as there are no rules: 403 CorsPreflightFailure, in XML', async () => {
    for (const path of ['/Tables', '/absent()', "/absent(PartitionKey='a',RowKey='b')"]) {
      const answer = await preflight(asked, path);
      expect(answer.body).toContain(
        `<m:code>CorsPreflightFailure</m:code><m:message xml:lang="en-US">${refused.message}\n`,
      );
      expectDoorHeaders(answer, refused, 'application/xml');
    }
  });

  it('with credentials that are wrong is answered all the same', async () => {
    const answer = await preflight({ ...asked, Authorization: 'nonsense' });
    expect(answer.header('x-ms-error-code')).toBe('CorsPreflightFailure');
  });

  it.each(['Origin', 'Access-Control-Request-Method'])('without %s is 400 InvalidHeaderValue', async (name) => {
    const answer = await preflight({ ...asked, [name]: undefined });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([400, 'InvalidHeaderValue']);
  });
});
