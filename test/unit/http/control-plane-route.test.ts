import { afterEach, describe, expect, it } from 'vitest';
import { isControlAddress, type OpenControlPlane } from '../../../src/http/control-plane-route.ts';
import { createServer } from '../../../src/http/server.ts';
import { startEmulator } from '../../../src/index.ts';
import { systemMachineTime } from '../../../src/model/time.ts';
import type { TableService } from '../../../src/service/serve-request.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that has only a control plane. `failures` receives its internal errors. */
async function listen(controlPlane: OpenControlPlane, failures: unknown[][] = []): Promise<string> {
  const onInternalError = (...failure: unknown[]): void => void failures.push(failure);
  const app = createServer({
    service: { onInternalError, time: systemMachineTime } as unknown as TableService,
    keepAliveTimeoutMs: 1,
    onAnswered: () => undefined,
    controlPlane,
  });
  closers.push(() => app.close());
  const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${port}`;
}

describe('The route of the control plane', () => {
  it.each(['/_emulator', '/_emulator/', '/_emulator/explain', '/_emulator?x', '/_emulator/x?y'])(
    'includes %s',
    (url) => {
      expect(isControlAddress(url)).toBe(true);
    },
  );

  it.each(['/', '/_emulators', '/_emulator-secondary', '/x/_emulator/', '//_emulator/', 'http://h/_emulator/', '*'])(
    'does not include %s',
    (url) => {
      expect(isControlAddress(url)).toBe(false);
    },
  );

  it('passes on the address as it was sent, and the body unread', async () => {
    const origin = await listen(async () => ({
      async routing(request, response) {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
      },
    }));
    const answer = await fetch(`${origin}/_emulator/a%2Fb?c=%zz`, { method: 'PUT', body: 'body' });
    expect(await answer.text()).toBe('PUT /_emulator/a%2Fb?c=%zz body');
  });

  it('redirects the bare address to /_emulator/ for a browser on this machine, but not for clients', async () => {
    const service = await startEmulator();
    closers.push(() => service.close());
    const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const statusOf = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
      (await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' })).status;
    expect(await statusOf('/', html)).toBe(302);
    const plain = await statusOf('/', { Accept: '*/*' });
    expect(plain).toBeGreaterThanOrEqual(400);
    const others = [
      statusOf('/', { ...html, Authorization: 'SharedKeyLite devstoreaccount1:AAAA' }),
      statusOf('/?comp=list', html),
      statusOf('/devstoreaccount1', html),
      statusOf('/', html, 'POST'),
    ];
    for (const status of await Promise.all(others)) expect(status).toBeGreaterThanOrEqual(400);
    const page = await fetch(service.url, { headers: html });
    expect(await page.text()).toContain('<title>Tanzanite');
  });

  it('answers 500 if it could not start, and logs the reason with the id of its response', async () => {
    const failures: unknown[][] = [];
    const failure = new Error('no room');
    const origin = await listen(() => Promise.reject(failure), failures);
    const answer = await fetch(`${origin}/_emulator/explain`);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([500, 'InternalError']);
    expect(failures).toEqual([[failure, expect.any(String)]]);
    expect(text).toContain(String(failures[0]?.[1]));
    expect(text).not.toContain('no room');
  });
});
