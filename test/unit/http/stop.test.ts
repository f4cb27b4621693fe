// A graceful stop: requests in progress are completed, and nothing else delays the stop.

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../../src/http/server.ts';
import type { Seams } from '../../../src/service/seams.ts';
import { createTls, hasOpenssl } from '../../support/secure-service.ts';
import { largeResponse, openClient, requestText, startServer } from '../../support/table-server.ts';

const largeBytes = 32 * 1_048_576;
const listTables = requestText('/acct/Tables');

/** A server on which requests wait until they are released. */
async function startHeld(options: Partial<ServerOptions> = {}, host?: string) {
  let release = (): void => undefined;
  const held = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  const seams: Seams = { beforeRun: () => held };
  return { ...(await startServer({ seams: { current: [seams] } }, options, host)), release };
}

describe('A stop', () => {
  it('completes a response that is being sent', async () => {
    const seams: Seams = { beforeRun: () => largeResponse(largeBytes) };
    const { port, service, stop } = await startServer({ seams: { current: [seams] } });
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(listTables);
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    const stopped = stop();
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(largeBytes);
    await stopped;
  });

  it('ends a response after the grace period if its client does not read', async () => {
    const seams: Seams = { beforeRun: () => largeResponse(largeBytes) };
    const { port, service, time, stop } = await startServer({ seams: { current: [seams] } });
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write(listTables);
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    const stopped = stop();
    time.advance(5_000);
    await stopped;
    await expect.poll(() => [service.inFlight.requests, time.pending]).toEqual([0, 0]);
    socket.destroy();
  });

  it('answers a request in progress with Connection: close, and accepts no requests after it', async () => {
    const { port, service, release, stop, records } = await startHeld();
    const { socket, closed } = openClient(port);
    socket.write(listTables);
    await expect.poll(() => service.inFlight.requests).toBe(1);
    const stopped = stop();
    socket.write(listTables);
    await new Promise((resolve) => setImmediate(resolve));
    release();
    const received = await closed;
    expect(received.match(/HTTP\/1\.1 200 OK[\s\S]*?\r\nConnection: close\r\n/g)).toHaveLength(1);
    socket.end();
    await stopped;
    expect(records).toHaveLength(1);
  });

  it('closes idle connections immediately, and leaves no timer', async () => {
    const { port, time, stop } = await startServer();
    const { socket, closed } = openClient(port);
    socket.write(listTables);
    await once(socket, 'data');
    const stopped = stop();
    await closed;
    socket.end();
    await stopped;
    await expect.poll(() => time.pending).toBe(0);
  });

  it('treats all addresses of the name localhost in the same way', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const { port, service, release, stop, records } = await startHeld({ lookUp: async () => addresses }, 'localhost');
    const clients = addresses.map((address) => openClient(port, address));
    for (const { socket } of clients) socket.write(listTables);
    await expect.poll(() => service.inFlight.requests).toBe(2);
    const stopped = stop();
    release();
    for (const { socket, closed } of clients) {
      expect(await closed).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\nConnection: close\r\n/);
      socket.end();
    }
    await stopped;
    expect(records).toHaveLength(2);
  });
});

describe('An address of the name localhost', () => {
  it('answers malformed requests like the other addresses', async () => {
    const { port } = await startServer({}, { lookUp: async () => ['127.0.0.1', '127.0.0.2'] }, 'localhost');
    const { socket, closed } = openClient(port, '127.0.0.2');
    socket.end('NONSENSE\r\n\r\n');
    expect(await closed).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*The request verb is invalid\./);
  });

  it('is omitted if the system does not have it', async () => {
    const { port } = await startServer({}, { lookUp: async () => ['127.0.0.1', '203.0.113.1'] }, 'localhost');
    const { socket, received } = openClient(port);
    socket.write(listTables);
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

describe.skipIf(!hasOpenssl)('A TLS handshake (needs the openssl command)', () => {
  const tls = hasOpenssl ? createTls() : undefined;
  const options = { ...(tls ? { tls } : {}) };

  it('that does not complete is ended after ten seconds', async () => {
    const { port, time } = await startServer({}, options);
    const { socket, closed } = openClient(port);
    await expect.poll(() => time.pending).toBe(1);
    time.advance(9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(time.pending).toBe(1);
    time.advance(1);
    expect(await closed).toBe('');
    await expect.poll(() => time.pending).toBe(0);
    socket.destroy();
  });

  it('that does not complete does not delay a stop', async () => {
    const { port, time, stop } = await startServer({}, options);
    const { socket, closed } = openClient(port);
    await expect.poll(() => time.pending).toBe(1);
    await stop();
    expect(await closed).toBe('');
    await expect.poll(() => time.pending).toBe(0);
    socket.destroy();
  });

  it('that fails ends the connection immediately', async () => {
    const { port, time } = await startServer({}, options);
    const { socket, closed } = openClient(port);
    socket.write(listTables);
    expect(await closed).not.toContain('HTTP/1.1');
    await expect.poll(() => time.pending).toBe(0);
    socket.destroy();
  });

  it('that completes leaves a working connection', async () => {
    const { port, time, stop } = await startServer({}, options);
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    await expect.poll(() => time.pending).toBe(0);
    time.advance(60_000);
    socket.write(listTables);
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const closed = once(socket, 'close');
    await stop();
    await closed;
  });
});
