import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/control-plane.ts';
import { signedHead } from '../support/raw-socket.ts';
import { type Service, startService } from '../support/service.ts';

/** Sends half a request, which stays in flight. Returns a function that disconnects. */
function occupy({ origin }: Service): () => void {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const headers = { Host: host, 'Content-Type': 'application/json', 'Content-Length': '100' };
  socket.write(`${signedHead({ method: 'POST', target: '/devstoreaccount1/Tables', headers })}{"TableName":`);
  return () => socket.destroy();
}

const statusBecomes = (service: Service, status: number): Promise<unknown> =>
  expect.poll(async () => (await service.get('/Tables')).status).toBe(status);

const metricsOf = async ({ origin }: Service): Promise<string> =>
  (await ask(origin, { method: 'GET', path: '/_emulator/metrics' })).text;

describe('Requests over the limit of requests in flight', () => {
  it('get 503 ServerBusy immediately, and the control plane still answers', async () => {
    const service = await startService({ requestsInFlightMax: 1 });
    expect((await service.get('/Tables')).status).toBe(200);
    const release = occupy(service);
    await expect.poll(() => metricsOf(service)).toContain('tanzanite_requests_in_flight 1\n');
    const refused = await service.get('/Tables');
    expect([refused.status, refused.reason]).toEqual([503, 'The server is busy.']);
    expect(refused.header('x-ms-error-code')).toBe('ServerBusy');
    expect(refused.header('Retry-After')).toBeUndefined();
    expect((await ask(service.origin, { method: 'GET', path: '/_emulator/health' })).status).toBe(200);
    release();
    await statusBecomes(service, 200);
  });
});
