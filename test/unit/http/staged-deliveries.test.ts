// Fault rules that cut, reset or slow down responses, over real connections and with manual time.

import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../src/service/http-message.ts';
import type { SeamOutcome, SeamPlace, Seams } from '../../../src/service/seams.ts';
import { createTls, hasOpenssl } from '../../support/secure-service.ts';
import { requestText, startServer } from '../../support/table-server.ts';

const tea: HttpResponse = { status: 200, headers: [['Content-Length', '10']], body: '0123456789' };
const listTables = requestText('/acct/Tables');

interface Received {
  readonly socket: Socket;
  text(): string;
  /** Resolves with the code of the error that ended the connection, or undefined if it ended without one. */
  readonly closed: Promise<string | undefined>;
}

async function send(port: number, isTls = false): Promise<Received> {
  const socket = isTls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connectPlain(port, '127.0.0.1');
  let received = '';
  let code: string | undefined;
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
  const closed = new Promise<string | undefined>((resolve) => socket.once('close', () => resolve(code)));
  await once(socket, isTls ? 'secureConnect' : 'connect');
  socket.write(listTables);
  return { socket, text: () => received, closed };
}

type Act = (response: HttpResponse, place: SeamPlace) => SeamOutcome;

async function startWith(act: Act, isTls = false) {
  let place: SeamPlace | undefined;
  const seams: Seams = {
    beforeRun: (_record, given) => {
      place = given;
      return tea;
    },
    atSend: (_record, response) => act(response, place as SeamPlace),
  };
  return startServer({ seams: { current: [seams] } }, isTls ? { tls: createTls() } : {});
}

describe.each([
  ['over TCP', false],
  ['over TLS (needs the openssl command)', true],
])('A connection %s', (_, isTls) => {
  const isSkipped = isTls && !hasOpenssl;

  it.skipIf(isSkipped)('may be reset without a response', async () => {
    let requests = 0;
    const { port, records, service } = await startWith(() => (++requests === 2 ? { kind: 'reset' } : undefined), isTls);
    const { socket, closed, text } = await send(port, isTls);
    // While something is unread, such as the tickets of a TLS session, Node takes a reset for a regular end.
    await expect.poll(text).toMatch(/0123456789$/);
    socket.write(listTables);
    expect(await closed).toBe('ECONNRESET');
    expect(text()).toMatch(/0123456789$/);
    expect([records[1]?.status, service.inFlight.requests]).toEqual([444, 0]);
  });

  it.skipIf(isSkipped)('may be reset in the middle of a body', async () => {
    const { port, records, time } = await startWith(
      (response) => ({ kind: 'cut', response, afterBytes: 4, isReset: true }),
      isTls,
    );
    const { closed, text } = await send(port, isTls);
    await expect.poll(text).toMatch(/0123$/);
    time.advance(20);
    expect(await closed).toBe('ECONNRESET');
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Length: 10\r\n[\s\S]*\r\n\r\n0123$/);
    expect(records[0]?.status).toBe(200);
  });

  it.skipIf(isSkipped)('may be closed in the middle of a body, without an error below HTTP', async () => {
    const { port } = await startWith((response) => ({ kind: 'cut', response, afterBytes: 4 }), isTls);
    const { closed, text } = await send(port, isTls);
    expect(await closed).toBeUndefined();
    expect(text()).toMatch(/\r\n\r\n0123$/);
  });
});

describe('A body may be sent slowly', () => {
  async function startDrip(bytesPerSecond: number) {
    let ends = 0;
    const started = await startWith((response, { whenOver }) => ({
      kind: 'drip',
      response,
      bytesPerSecond,
      whenOver,
      onEnd: () => ends++,
    }));
    return { ...started, ends: () => ends };
  }

  it('at its pace, and the connection stays open afterwards', async () => {
    const { port, time, service, ends } = await startDrip(4);
    const { socket, text } = await send(port);
    await expect.poll(text).toMatch(/\r\n\r\n$/);
    for (const body of ['0123', '01234567', '0123456789']) {
      for (let ms = 0; ms < 1_000; ms += 50) time.advance(50);
      await expect.poll(text).toMatch(new RegExp(`\r\n\r\n${body}$`));
    }
    await expect.poll(() => [service.inFlight.requests, ends()]).toEqual([0, 1]);
    socket.write(listTables);
    await expect.poll(text).toMatch(/0123456789HTTP\/1\.1 200 OK/);
    socket.destroy();
  });

  it('and ends when the client disconnects', async () => {
    const { port, service, ends } = await startDrip(1);
    const { socket, text } = await send(port);
    await expect.poll(text).toMatch(/\r\n\r\n$/);
    expect(service.inFlight.requests).toBe(1);
    socket.destroy();
    await expect.poll(() => [service.inFlight.requests, ends()]).toEqual([0, 1]);
  });

  it('and its rest is sent immediately when the server closes', async () => {
    const { port, stop, ends } = await startDrip(1);
    const { closed, text } = await send(port);
    await expect.poll(text).toMatch(/\r\n\r\n$/);
    await stop();
    expect(await closed).toBeUndefined();
    expect(text().slice(-10)).toBe('0123456789');
    await expect.poll(ends).toBe(1);
  });

  it('or not at all: a stalled response ends when the client gives up or the server closes', async () => {
    const { port, stop, time, service, ends } = await startDrip(0);
    const [first, second] = [await send(port), await send(port)];
    await expect.poll(second.text).toMatch(/\r\n\r\n$/);
    time.advance(60_000);
    first.socket.destroy();
    await expect.poll(() => [service.inFlight.requests, ends()]).toEqual([1, 1]);
    await stop();
    await second.closed;
    expect(second.text()).toMatch(/\r\n\r\n$/);
    await expect.poll(ends).toBe(2);
  });
});

describe('A seam that waits for the end of a request', () => {
  async function startWaiting() {
    const ends: string[] = [];
    const seams: Seams = {
      beforeRun: (_record, { whenOver, isAbandoned }) =>
        new Promise((resolve) => {
          whenOver(() => {
            ends.push(isAbandoned() ? 'client' : 'server');
            resolve(undefined);
          });
        }),
    };
    return { ...(await startServer({ seams: { current: [seams] } })), ends };
  }

  it('is notified that the client has disconnected', async () => {
    const { port, ends, service, records } = await startWaiting();
    const { socket } = await send(port);
    await expect.poll(() => service.inFlight.requests).toBe(1);
    socket.destroy();
    await expect.poll(() => ends).toEqual(['client']);
    await expect.poll(() => records.map(({ status }) => status)).toEqual([499]);
  });

  it('is notified that the server closes, and the request is answered', async () => {
    const { port, ends, service, stop } = await startWaiting();
    const { text, closed } = await send(port);
    await expect.poll(() => service.inFlight.requests).toBe(1);
    await stop();
    await closed;
    expect([ends, text().slice(0, 12)]).toEqual([['server'], 'HTTP/1.1 200']);
  });
});
