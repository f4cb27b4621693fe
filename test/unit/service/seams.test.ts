// What can be done at the seams of a request, over a real connection.

import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { type HttpResponse, hangUp } from '../../../src/service/http-message.ts';
import type { SeamOutcome, Seams } from '../../../src/service/seams.ts';
import { openClient, requestText, startServer } from '../../support/table-server.ts';

const createPets = requestText('/acct/Tables', {
  method: 'POST',
  headers: 'Connection: close\r\n',
  body: '{"TableName":"pets"}',
});
const listTables = requestText('/acct/Tables', { headers: 'Connection: close\r\n' });

type Act = () => SeamOutcome | Promise<SeamOutcome>;

/** Sends Create Table to a server that acts at one seam. Then lists the tables without the seam. */
async function createWith(seam: (typeof names)[number], act: Act) {
  const seams = { current: [{ [seam]: act }] };
  const { port, records, service } = await startServer({ seams });
  const send = async (text: string): Promise<string> => {
    const { socket, closed } = openClient(port);
    socket.write(text);
    const received = await closed;
    socket.destroy();
    return received;
  };
  const response = await send(createPets);
  seams.current = [];
  const isCreated = (await send(listTables)).includes('"TableName":"pets"');
  return { response, isCreated, record: records[0], requestsInFlight: service.inFlight.requests };
}

const names = ['beforeAuthentication', 'beforeRun', 'afterCommit', 'atSend'] as const;
/** For each seam, whether the operation was carried out before it. */
const isDone = { beforeAuthentication: false, beforeRun: false, afterCommit: true, atSend: true };

describe.each(names)('At %s', (seam) => {
  it('a request may be refused, with an error of the service', async () => {
    const { response, isCreated, record } = await createWith(seam, () => {
      throw new ServiceError('ServerBusy');
    });
    expect(response).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"ServerBusy"/);
    expect(isCreated).toBe(isDone[seam]);
    expect(record).toMatchObject({ operation: 'CreateTable', status: 503, refusal: { code: 'ServerBusy' } });
  });

  it('a request may be delayed', async () => {
    let isOver = false;
    const { response, isCreated } = await createWith(seam, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isOver = true;
      return undefined;
    });
    expect([response.slice(0, 12), isCreated, isOver]).toEqual(['HTTP/1.1 201', true, true]);
  });

  it('a response may replace the response of the service', async () => {
    const instead: HttpResponse = { status: 418, headers: [['Content-Length', '3']], body: 'tea' };
    const { response, isCreated, record } = await createWith(seam, () => instead);
    expect(response).toMatch(/^HTTP\/1\.1 418 [\s\S]*\r\n\r\ntea$/);
    expect(isCreated).toBe(isDone[seam]);
    expect(record).toMatchObject({ status: 418, bytesOut: 3 });
  });

  it('the connection may be closed without a response', async () => {
    const { response, isCreated, record, requestsInFlight } = await createWith(seam, () => hangUp);
    expect(response).toBe('');
    expect(isCreated).toBe(isDone[seam]);
    expect(record).toMatchObject({ operation: 'CreateTable', status: 444, bytesOut: 0 });
    expect(requestsInFlight).toBe(0);
  });

  it.each([
    [0, ''],
    [2, 'te'],
  ])('a response may be cut after %d bytes of its body', async (afterBytes, sent) => {
    const response: HttpResponse = { status: 200, headers: [['Content-Length', '3']], body: 'tea' };
    const cut = { kind: 'cut', response, afterBytes } as const;
    const result = await createWith(seam, () => cut);
    expect(result.response).toMatch(
      new RegExp(`^HTTP/1\\.1 200 OK\\r\\nContent-Length: 3\\r\\n[\\s\\S]*\\r\\n\\r\\n${sent}$`),
    );
    expect(result.isCreated).toBe(isDone[seam]);
    expect([result.record?.status, result.requestsInFlight]).toEqual([200, 0]);
  });
});

describe('The seam at send', () => {
  it('gets the response, even if it is a refusal, and the record of the request', async () => {
    const seen: unknown[] = [];
    const seams: Seams = {
      atSend: ({ operation, table, credential }, { status }) => void seen.push([operation, table, credential, status]),
    };
    const { port } = await startServer({ seams: { current: [seams] } });
    const { socket, closed } = openClient(port);
    socket.write(requestText('/acct/none()', { headers: 'Connection: close\r\n' }));
    expect(await closed).toMatch(/^HTTP\/1\.1 404 /);
    expect(seen).toEqual([['QueryEntities', 'none', 'key', 404]]);
  });

  it.each([
    [
      'an operation on the service',
      '/acct?restype=service&comp=properties',
      /\r\nx-ms-error-code: ServerBusy\r\n[\s\S]*<m:code>/,
    ],
    ['an operation on tables', '/acct/Tables', /\r\nCache-Control: no-cache\r\n[\s\S]*"code":"ServerBusy"/],
  ])('may refuse %s, in the form of that operation', async (_, target, form) => {
    const seams: Seams = {
      atSend: () => {
        throw new ServiceError('ServerBusy');
      },
    };
    const { port } = await startServer({ seams: { current: [seams] } });
    const { socket, closed } = openClient(port);
    socket.write(requestText(target, { headers: 'Connection: close\r\n' }));
    expect(await closed).toMatch(form);
  });

  it('may return a response that cannot be sent: the connection is closed, and the server continues', async () => {
    const errors: unknown[] = [];
    const broken: HttpResponse = { status: 200, headers: [['a', 'line\nbreak']] };
    const { port, service } = await startServer({
      seams: { current: [{ atSend: ({ operation }) => (operation === 'QueryEntities' ? broken : undefined) }] },
      onInternalError: (error) => void errors.push(error),
    });
    const first = openClient(port);
    first.socket.write(requestText('/acct/pets()'));
    expect(await first.closed).toBe('');
    const second = openClient(port);
    second.socket.write(listTables);
    expect(await second.closed).toMatch(/^HTTP\/1\.1 200 /);
    expect([errors.length, service.inFlight.requests]).toEqual([1, 0]);
  });

  it('may cut the response of the service itself', async () => {
    const seams: Seams = { atSend: (_record, response) => ({ kind: 'cut', response, afterBytes: 5 }) };
    const { port } = await startServer({ seams: { current: [seams] } });
    const { socket, closed } = openClient(port);
    socket.write(listTables);
    expect(await closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n5\r\n\{"oda\r\n$/);
  });
});
