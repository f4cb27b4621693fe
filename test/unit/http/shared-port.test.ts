// Tests HTTP and HTTPS on one port. Every client gets answers in its own protocol. The limits are the same for both
// protocols, and no client can block a connection.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Seams } from '../../../src/service/seams.ts';
import { Random } from '../../support/random.mjs';
import { authority, inPieces, openSecure, renew, startShared, writePieces } from '../../support/shared-port.ts';
import { largeResponse, openClient, requestText, type TestClient } from '../../support/table-server.ts';
import { testSeed } from '../../support/test-seed.ts';

const listTables = requestText('/acct/Tables');
const lastRequest = requestText('/acct/Tables', { headers: 'Connection: close\r\n' });
const answered = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"odata\.metadata"/;
const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const protocols = ['HTTP', 'HTTPS'] as const;
type Protocol = (typeof protocols)[number];

async function open(protocol: Protocol, port: number, host?: string): Promise<TestClient> {
  const client = protocol === 'HTTP' ? openClient(port, host) : await openSecure(port, { ...(host && { host }) });
  onTestFinished(() => void client.socket.destroy());
  return client;
}

/** The first bytes of a TLS handshake, as Node's own client sends them. */
async function clientHello(): Promise<Buffer> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = connectTls({ port, host: '127.0.0.1' }).on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

describe.each(protocols)('A client that uses %s', (protocol) => {
  it('is answered, on each address of localhost', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const { port } = await startShared({}, { lookUp: async () => addresses }, 'localhost');
    for (const address of addresses) {
      const { socket, closed } = await open(protocol, port, address);
      socket.write(lastRequest);
      expect(await closed).toMatch(answered);
    }
  });

  it('gets addresses with its own protocol in the response', async () => {
    const { port } = await startShared();
    const { socket, closed } = await open(protocol, port);
    socket.write(lastRequest);
    expect(await closed).toContain(`"odata.metadata":"${protocol.toLowerCase()}://x/acct/$metadata#Tables"`);
  });

  it('is answered, into whatever pieces its bytes are cut', async () => {
    const random = new Random(testSeed);
    const { port } = await startShared();
    for (let run = 0; run < 20; run++) {
      const sizeOf = (): number => random.integer(1, [1, 3, 60, 600][run % 4] ?? 1);
      const below = inPieces(port, sizeOf);
      onTestFinished(() => void below.destroy());
      const { socket, closed } =
        protocol === 'HTTPS' ? await openSecure(port, { below }) : { socket: below, closed: readAll(below) };
      socket.write(listTables + lastRequest);
      const received = await closed;
      expect(received.match(/HTTP\/1\.1 200 OK/g), `seed ${testSeed}, run ${run}`).toHaveLength(2);
      socket.destroy();
    }
  }, 60_000);

  it('can send a head slowly, byte by byte, after the first byte has arrived', async () => {
    const { port, time } = await startShared();
    const { socket, closed } = await open(protocol, port);
    for (const byte of lastRequest) {
      await writePieces(socket, Buffer.from(byte), () => 1);
      time.advance(1_000);
    }
    expect(await closed).toMatch(answered);
  });

  it('is refused with 408 when its head takes too long', async () => {
    const { port } = await startShared({}, { arrival: { requestMs: 50, checkMs: 10 } });
    const { socket, closed } = await open(protocol, port);
    socket.write('GET /acct/Tables HTTP/1.1\r\nHost');
    expect(await closed).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('is refused with 408 when its body takes too long', async () => {
    const { port } = await startShared({}, { arrival: { requestMs: 50, checkMs: 10 } });
    const { socket, closed } = await open(protocol, port);
    const text = requestText('/acct/Tables', { method: 'POST', body: '{"TableName":"pets"}' });
    socket.write(text.slice(0, -5));
    expect(await closed).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('is refused with 400 when it sends garbage', async () => {
    const { port } = await startShared();
    const { socket, closed } = await open(protocol, port);
    socket.write('NONSENSE\r\n\r\n');
    socket.end();
    expect(await closed).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*The request verb is invalid\./);
  });

  it('can send a body while a response is being sent', async () => {
    const largeBytes = 32 * 1_048_576;
    const seams: Seams = {
      beforeRun: ({ operation }) => (operation === 'QueryTables' ? largeResponse(largeBytes) : undefined),
    };
    const { port, service } = await startShared({ seams: { current: [seams] } });
    const { socket, closed } = await open(protocol, port);
    socket.pause();
    socket.write(listTables);
    await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
    const body = '{"TableName":"pets"}'.padEnd(65_000);
    socket.write(requestText('/acct/Tables', { method: 'POST', headers: 'Connection: close\r\n', body }));
    await expect.poll(() => socket.writableLength).toBe(0);
    socket.resume();
    const lines = (await closed).match(/HTTP\/1\.1 \d{3} [A-Za-z ]*/g);
    expect(lines).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 201 Created']);
  });

  it('is cut off by a reset, which is not a regular end', async () => {
    let requests = 0;
    const seams: Seams = { atSend: () => (++requests === 2 ? { kind: 'reset' } : undefined) };
    const { port } = await startShared({ seams: { current: [seams] } });
    const { socket, received } = await open(protocol, port);
    // While something is unread, such as the tickets of a TLS session, Node takes a reset for a regular end.
    socket.write(listTables);
    await expect.poll(received).toMatch(answered);
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
    socket.write(lastRequest);
    expect((await failed).code).toBe('ECONNRESET');
  });

  it('is closed by a stop when it is idle, and leaves no timer', async () => {
    const { port, time, stop } = await startShared();
    const { socket, closed, received } = await open(protocol, port);
    socket.write(listTables);
    await expect.poll(received).toMatch(answered);
    const stopped = stop();
    await closed;
    socket.end();
    await stopped;
    await expect.poll(() => time.pending).toBe(0);
  });
});

describe('A connection on a shared port', () => {
  it('without a first byte is destroyed after ten seconds', async () => {
    const { port, time } = await startShared();
    const { closed } = await open('HTTP', port);
    await expect.poll(() => time.pending).toBe(1);
    time.advance(9_999);
    await immediate();
    expect(time.pending).toBe(1);
    time.advance(1);
    expect(await closed).toBe('');
    await expect.poll(() => time.pending).toBe(0);
  });

  it('that its client closes without a byte ends', async () => {
    const { port, time } = await startShared();
    const { socket, closed } = await open('HTTP', port);
    await expect.poll(() => time.pending).toBe(1);
    socket.end();
    expect(await closed).toBe('');
    await expect.poll(() => time.pending).toBe(0);
  });

  it('that its client resets without a byte ends', async () => {
    const { port, time } = await startShared();
    const { socket } = await open('HTTP', port);
    await expect.poll(() => time.pending).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => time.pending).toBe(0);
  });

  it('has no time limit for a handshake after plain HTTP has begun', async () => {
    const { port, time } = await startShared();
    const { socket, received } = await open('HTTP', port);
    socket.write(listTables.slice(0, 1));
    await expect.poll(() => time.pending).toBe(0);
    time.advance(60_000);
    socket.write(listTables.slice(1));
    await expect.poll(received).toMatch(answered);
  });

  it('with a handshake that arrives byte by byte works, and is destroyed if that takes ten seconds', async () => {
    const { port, time } = await startShared();
    const { socket } = await openSecure(port, { below: inPieces(port, () => 1) });
    onTestFinished(() => void socket.destroy());
    await expect.poll(() => time.pending).toBe(0);
    const { socket: slow, closed } = await open('HTTP', port);
    for (const byte of (await clientHello()).subarray(0, 10)) {
      slow.write(Buffer.from([byte]));
      await immediate();
      time.advance(1_000);
    }
    expect(await closed).not.toContain('HTTP');
    await expect.poll(() => time.pending).toBe(0);
  });

  it('accepts TLS records of one byte each, one per second', async () => {
    const { port, time } = await startShared();
    const { socket, closed } = await openSecure(port);
    for (const byte of lastRequest) {
      socket.write(byte);
      await immediate();
      time.advance(1_000);
    }
    expect(await closed).toMatch(answered);
  });

  it('with garbage instead of a handshake is destroyed, and others are answered', async () => {
    const random = new Random(testSeed);
    const { port, time } = await startShared();
    const hello = await clientHello();
    for (let run = 0; run < 50; run++) {
      const altered = Buffer.from(hello);
      for (let at = 0; at < random.integer(1, 8); at++) altered[random.integer(1, 60)] = random.integer(0, 255);
      const bytes = run % 2 === 0 ? Buffer.concat([Buffer.from([22]), randomBytes(200)]) : altered;
      const { socket, closed } = await open('HTTP', port);
      socket.end(bytes);
      expect(await closed, `seed ${testSeed}, run ${run}`).not.toContain('HTTP/1.1');
    }
    await expect.poll(() => time.pending).toBe(0);
    const { socket, closed } = await open('HTTPS', port);
    socket.write(lastRequest);
    expect(await closed).toMatch(answered);
  });

  it('does not delay a stop at any point of its handshake', async () => {
    const { port, time, stop } = await startShared({}, { lookUp: async () => ['127.0.0.1', '127.0.0.2'] }, 'localhost');
    const hello = await clientHello();
    const parts = [Buffer.alloc(0), hello.subarray(0, 1), hello.subarray(0, 100), hello];
    const clients = await Promise.all(
      ['127.0.0.1', '127.0.0.2'].flatMap((host) =>
        parts.map(async (bytes) => {
          const client = await open('HTTP', port, host);
          client.socket.write(bytes);
          return client;
        }),
      ),
    );
    await expect.poll(() => time.pending).toBe(clients.length);
    await expect.poll(() => clients.filter(({ received }) => received() !== '')).toHaveLength(2);
    await stop();
    for (const { closed } of clients) expect(await closed).not.toContain('HTTP/1.1');
    await expect.poll(() => time.pending).toBe(0);
  });

  it('that begins while the server stops is destroyed', async () => {
    let release = (): void => undefined;
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const { port, service, stop } = await startShared({ seams: { current: [{ beforeRun: () => held }] } });
    const { socket, closed } = await open('HTTPS', port);
    const late = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(late, 'connect');
    socket.write(listTables);
    await expect.poll(() => service.inFlight.requests).toBe(1);
    const stopped = stop();
    const lateClosed = once(late, 'close');
    late.write(listTables);
    release();
    await lateClosed;
    expect(await closed).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\nConnection: close\r\n/);
    socket.end();
    await stopped;
  });

  it('gets a new certificate while the server runs, and keeps the old one until it ends', async () => {
    const { server, port } = await startShared({}, { lookUp: async () => ['127.0.0.1', '127.0.0.2'] }, 'localhost');
    const before = await openSecure(port);
    onTestFinished(() => void before.socket.destroy());
    const next = (await renew(Date.now() + 380 * 86_400_000)).served;
    server.replaceCertificate(next);
    const serials = await Promise.all(
      ['127.0.0.1', '127.0.0.2'].map(async (host) => {
        const socket = connectTls({ port, host, ca: authority, rejectUnauthorized: false });
        onTestFinished(() => void socket.destroy());
        await once(socket, 'secureConnect');
        return socket.getPeerX509Certificate()?.toString();
      }),
    );
    expect(serials).toEqual([next.certificate, next.certificate]);
    before.socket.write(lastRequest);
    expect(await before.closed).toMatch(answered);
  });
});

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
