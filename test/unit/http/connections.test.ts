// How long the server keeps connections open, and how it counts them.

import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/service/in-flight.ts';
import type { Seams } from '../../../src/service/seams.ts';
import { largeResponse, openClient, requestText, startServer } from '../../support/table-server.ts';

const mebibyte = 1_048_576;
/** A size that is larger than the operating system's buffers for one connection. */
const largeBytes = 32 * mebibyte;
const getTables = requestText('/acct/Tables');

/** A server with a response to queries of `large` that does not fit into the buffers of a socket. */
function startWithLarge(inFlight = new InFlight({ requestsMax: 100 })) {
  const seams: Seams = { beforeRun: ({ table }) => (table === 'large' ? largeResponse(largeBytes) : undefined) };
  return startServer({ seams: { current: [seams] }, inFlight });
}

/** A client that requests the large response and does not read it. */
function stall(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(requestText('/acct/large()'));
  return socket;
}

async function statusOf(port: number, text = requestText('/acct/Tables', { headers: 'Connection: close\r\n' })) {
  const { socket, closed } = openClient(port);
  socket.write(text);
  const status = Number((await closed).slice(9, 12));
  socket.destroy();
  return status;
}

describe('A response that the client does not read', () => {
  it('is in flight until it is flushed, and its bytes are counted', async () => {
    const { port, service } = await startWithLarge();
    const socket = stall(port);
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    expect(service.inFlight.requests).toBe(1);
    socket.resume();
    await expect.poll(() => [service.inFlight.requests, service.inFlight.waitingBytes]).toEqual([0, 0]);
    socket.destroy();
  });

  it('ends with its connection if the client reads nothing for a minute', async () => {
    const { port, service, time } = await startWithLarge();
    const socket = stall(port);
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    time.advance(55_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(service.inFlight.requests).toBe(1);
    time.advance(20_000);
    await expect.poll(() => [service.inFlight.requests, service.inFlight.waitingBytes]).toEqual([0, 0]);
    expect(time.pending).toBe(0);
    socket.destroy();
  });

  it('continues as long as the client reads, even slowly', async () => {
    const { port, service, time } = await startWithLarge();
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(requestText('/acct/large()', { headers: 'Connection: close\r\n' }));
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      // About ten minutes in total.
      time.advance(chunk.length / 50_000);
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(bytes).toBeGreaterThan(largeBytes);
    await expect.poll(() => service.inFlight.requests).toBe(0);
  });

  it('makes new requests get 503 while too many bytes wait', async () => {
    const inFlight = new InFlight({ requestsMax: 100, waitingBytesMax: largeBytes });
    const { port, time } = await startWithLarge(inFlight);
    const sockets = [stall(port)];
    await expect.poll(() => inFlight.waitingBytes).toBe(largeBytes);
    expect(await statusOf(port)).toBe(200);
    sockets.push(stall(port));
    await expect.poll(() => inFlight.waitingBytes).toBe(2 * largeBytes);
    expect(await statusOf(port)).toBe(503);
    expect(inFlight.refused).toBe(1);
    time.advance(80_000);
    await expect.poll(() => inFlight.waitingBytes).toBe(0);
    expect(await statusOf(port)).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('of the control plane ends with its connection in the same way', async () => {
    const body = Buffer.alloc(largeBytes);
    const controlPlane = async () => ({
      routing: (_request: unknown, response: { end(body: Buffer): void }) => response.end(body),
    });
    const { port, time, service } = await startServer({}, { controlPlane });
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(requestText('/_emulator/large'));
    await expect.poll(() => time.pending).toBe(1);
    expect(service.inFlight.requests).toBe(0);
    time.advance(80_000);
    const bytes = await new Promise<number>((resolve) => {
      let received = 0;
      socket.on('data', (chunk) => (received += chunk.length));
      socket.on('error', () => undefined);
      socket.once('close', () => resolve(received));
      socket.resume();
    });
    expect(bytes).toBeLessThan(largeBytes);
    expect(time.pending).toBe(0);
  });
});

describe('Malformed HTTP', () => {
  it('is answered, and the connection is closed soon, for any client behaviour', async () => {
    const { port, time } = await startServer();
    const { socket, closed } = openClient(port);
    socket.write('NONSENSE\r\n\r\n');
    expect(await closed).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Connection: close\r\n/);
    // The client does not close its side, and continues to send.
    socket.write('NONSENSE\r\n\r\n');
    await expect.poll(() => time.pending).toBe(1);
    const reset = new Promise((resolve) => socket.once('close', resolve));
    time.advance(2_000);
    socket.end();
    await reset;
    expect(time.pending).toBe(0);
  });

  it('after a valid request is answered after that request', async () => {
    const { port } = await startServer();
    const { socket, closed } = openClient(port);
    socket.write(`${getTables}NONSENSE / HTTP/1.1\r\n\r\n`);
    const received = await closed;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"value":\[\]\}[\s\S]*HTTP\/1\.1 400 Bad Request\r\n/);
    socket.destroy();
  });

  it('after several valid requests is answered after the last of them', async () => {
    const { port } = await startServer();
    const { socket, closed } = openClient(port);
    socket.write(`${getTables.repeat(5)}\u0001`);
    const received = await closed;
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual([...Array(5).fill('HTTP/1.1 200'), 'HTTP/1.1 400']);
    socket.destroy();
  });

  it('in the body of a request is answered immediately, and the request is not carried out', async () => {
    const { port, records } = await startServer();
    const { socket, closed } = openClient(port);
    const headers = 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n';
    socket.write(`${getTables}${requestText('/acct/Tables', { method: 'POST', headers })}nonsense\r\n`);
    const received = await closed;
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    socket.destroy();
    expect(records.filter(({ operation }) => operation === 'CreateTable').map(({ status }) => status)).not.toContain(
      201,
    );
  });
});
