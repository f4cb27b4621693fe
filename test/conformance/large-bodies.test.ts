// The emulator refuses a body that is too large while the client is still sending the body. The client therefore learns
// the reason before it loses the connection.

import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { ask } from '../support/control-plane.ts';
import { aclPath } from '../support/expect-xml.ts';
import { ManualTime } from '../support/manual-time.ts';
import { signedHead } from '../support/raw-socket.ts';
import { startService } from '../support/service.ts';

let refusals = 0;
const service = await startService({
  onRequest({ status }) {
    if (status === 413) refusals++;
  },
});
await service.createTable('pets');
const mebibyte = 1_048_576;
const path = '/devstoreaccount1/pets';

/** The head of a request with this Content-Length. */
function headOf(origin: string, bytes: number, target = path, method = 'POST'): string {
  const headers = { Host: new URL(origin).host, 'Content-Type': 'application/json', 'Content-Length': String(bytes) };
  return signedHead({ method, target, headers: { ...headers, Connection: 'keep-alive' } });
}

/** Opens a connection, and collects the text that it receives. */
function open(origin: string): { socket: Socket; received: () => string; closed: Promise<void> } {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, received: () => Buffer.concat(chunks).toString('latin1'), closed };
}

/**
 * Acts like a client that first sends this many bytes, and only then begins to read. Returns what this client reads.
 */
async function answerTo(bytes: number): Promise<string> {
  const { socket, received, closed } = open(service.origin);
  socket.pause();
  const before = refusals;
  const send = (piece: number): Promise<unknown> =>
    new Promise((resolve) => socket.write(Buffer.alloc(piece, ' '), resolve));
  socket.write(headOf(service.origin, bytes));
  await send(mebibyte);
  await expect.poll(() => refusals).toBeGreaterThan(before);
  await send(bytes - mebibyte);
  socket.resume();
  await closed;
  return received();
}

/** The form of the front end: the text is the reason phrase, and the code is in a header. */
const refused =
  /^HTTP\/1\.1 413 The request body is too large and exceeds the maximum permissible limit\.\r\n[\s\S]*\r\nx-ms-error-code: RequestBodyTooLarge\r\n[\s\S]*\}$/;

const answered = async (received: () => string): Promise<void> => {
  await expect.poll(received, { timeout: 60_000 }).toMatch(refused);
};

describe('A body beyond 4 MiB', () => {
  it.each([4.3, 5, 20])('of %d MiB gets 413, even if the client reads late', async (mebibytes) => {
    for (let round = 0; round < 3; round++) {
      expect(await answerTo(Math.floor(mebibytes * mebibyte))).toMatch(refused);
    }
  });

  it('gets 413 immediately with Connection: close; the connection closes after the body', async () => {
    const bytes = 5 * mebibyte;
    const { socket, received, closed } = open(service.origin);
    socket.write(headOf(service.origin, bytes));
    await answered(received);
    expect(received()).toMatch(/\r\nConnection: close\r\n/);
    const { text } = await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' });
    expect(text).toMatch(/^tanzanite_requests_in_flight 0$/m);
    expect(socket.readableEnded).toBe(false);
    // Bytes that follow the body are not read as a request.
    socket.write(Buffer.concat([Buffer.alloc(bytes, ' '), Buffer.from(headOf(service.origin, 0))]));
    await closed;
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('gets 413 also if it is in chunks, while further chunks arrive', async () => {
    const { socket, received, closed } = open(service.origin);
    const headers = { Host: new URL(service.origin).host, 'Transfer-Encoding': 'chunked' };
    socket.write(signedHead({ method: 'POST', target: path, headers: { ...headers, Connection: 'keep-alive' } }));
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(mebibyte, ' '), Buffer.from('\r\n')]);
    for (let count = 0; count < 5; count++) socket.write(chunk);
    await answered(received);
    for (let count = 0; count < 5; count++) socket.write(chunk);
    expect(socket.readableEnded).toBe(false);
    socket.write('0\r\n\r\n');
    await closed;
  });

  it('gets 413 from operations on tables too', async () => {
    const target = `/devstoreaccount1${aclPath('pets')}`;
    const { socket, received } = open(service.origin);
    socket.write(headOf(service.origin, 5 * mebibyte, target, 'PUT'));
    await expect.poll(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\nConnection: close\r\n/);
    socket.destroy();
  });

  it('is not read without limit: the connection is closed after 64 MiB', async () => {
    const { socket, received, closed } = open(service.origin);
    socket.write(headOf(service.origin, 1024 * mebibyte));
    await answered(received);
    const piece = Buffer.alloc(mebibyte, ' ');
    let sentMebibytes = 0;
    while (!socket.destroyed && sentMebibytes < 512) {
      await new Promise((resolve) => socket.write(piece, resolve));
      sentMebibytes++;
    }
    await closed;
    expect(sentMebibytes).toBeGreaterThan(60);
    expect(sentMebibytes).toBeLessThan(512);
  });

  it('does not delay the stop of the emulator', async () => {
    // Time never passes in this test, so anything that waits for time waits forever.
    const emulator = await runEmulator({ ...defaultEmulatorSettings, port: 0, machineTime: new ManualTime() });
    const { socket, received, closed } = open(emulator.url);
    socket.write(headOf(emulator.url, 5 * mebibyte));
    await answered(received);
    await emulator.close();
    await closed;
  });
});
