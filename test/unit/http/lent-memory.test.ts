// Large bodies use pooled memory. It is not reused until its last reader has finished.

import { expect, it } from 'vitest';
import { BodyBudget } from '../../../src/http/body-budget.ts';
import { BufferPool } from '../../../src/model/buffer-pool.ts';
import { openClient, requestText, startServer, type TestServer } from '../../support/table-server.ts';

class WatchedPool extends BufferPool {
  /** The memory that the pool has lent. */
  readonly memories = new Set<ArrayBufferLike>();

  override take(bytes: number): Buffer {
    const buffer = super.take(bytes);
    this.memories.add(buffer.buffer);
    return buffer;
  }
}

const partitions = ['a', 'b'];
const entities = 40;
/** With texts of this length, a page has three and a half megabytes. */
const textLength = 30_000;

async function startFilled(buffers: BufferPool): Promise<TestServer> {
  const server = await startServer({ buffers });
  await send(server, requestText('/acct/Tables', { method: 'POST', headers: last, body: '{"TableName":"pets"}' }));
  for (const letter of partitions) {
    for (let at = 0; at < entities; at++) {
      const text = letter.repeat(textLength);
      const body = JSON.stringify({ PartitionKey: letter, RowKey: String(at), One: text, Two: text, Three: text });
      await send(server, requestText('/acct/pets', { method: 'POST', headers: last, body }));
    }
  }
  return server;
}

const last = 'Connection: close\r\n';
const pageOf = (letter: string, headers = last): string =>
  requestText(`/acct/pets()?$filter=PartitionKey%20eq%20%27${letter}%27`, { headers });
/** A query for a page, on a connection that stays open. Several pages do not fit into the buffers of a socket. */
const more = (letter: string): string => pageOf(letter, '');

async function send({ port }: TestServer, text: string): Promise<string> {
  const client = openClient(port);
  client.socket.write(text);
  const response = await client.closed;
  client.socket.destroy();
  return response;
}

/** Joins the chunks of a body. */
function bodyOf(response: string): string {
  let [body, at] = ['', response.indexOf('\r\n\r\n') + 4];
  for (;;) {
    const start = response.indexOf('\r\n', at) + 2;
    const length = Number.parseInt(response.slice(at, start), 16);
    if (!(length > 0)) return body;
    body += response.slice(start, start + length);
    at = start + length + 2;
  }
}

/** The letters in a page. Each of its texts repeats one letter. */
function lettersOf(response: string): string {
  const page = JSON.parse(bodyOf(response)) as { value: Record<string, string>[] };
  expect(page.value).toHaveLength(entities);
  const texts = page.value.flatMap(({ One, Two, Three }) => [One, Two, Three]);
  return [
    ...new Set(texts.map((text = '') => (text === text.charAt(0).repeat(textLength) ? text[0] : 'several'))),
  ].join(', ');
}

it('A page that its client reads slowly is not overwritten by others', async () => {
  const server = await startFilled(new WatchedPool());
  const { inFlight } = server.service;
  const slow = openClient(server.port);
  slow.socket.pause();
  slow.socket.write(more('a').repeat(5) + pageOf('a'));
  await expect.poll(() => inFlight.waitingBytes).toBeGreaterThan(0);
  for (let round = 0; round < 3; round++) expect(lettersOf(await send(server, pageOf('b')))).toBe('b');
  slow.socket.resume();
  const pages = (await slow.closed).split('HTTP/1.1 ').slice(1);
  expect(pages.map(lettersOf)).toEqual(Array(6).fill('a'));
  slow.socket.destroy();
});

it('Pages that follow one another use the same memory', async () => {
  const buffers = new WatchedPool();
  const server = await startFilled(buffers);
  buffers.memories.clear();
  for (let round = 0; round < 5; round++) for (const letter of partitions) await send(server, pageOf(letter));
  expect(buffers.memories.size).toBe(1);
});

it('Consecutive large bodies that arrive in pieces use the same memory', async () => {
  const buffers = new WatchedPool();
  const bodies = new BodyBudget(buffers);
  const server = await startServer({ buffers }, { bodies });
  await send(server, requestText('/acct/Tables', { method: 'POST', headers: last, body: '{"TableName":"pets"}' }));
  const text = 'c'.repeat(31_000);
  for (let round = 0; round < 5; round++) {
    const body = JSON.stringify({ PartitionKey: 'c', RowKey: String(round), One: text, Two: text, Three: text });
    const request = requestText('/acct/pets', { method: 'POST', headers: last, body });
    const client = openClient(server.port);
    client.socket.write(request.slice(0, -1_000));
    await expect.poll(() => bodies.bytes).toBeGreaterThan(0);
    client.socket.write(request.slice(-1_000));
    expect(await client.closed).toContain('201 Created');
    client.socket.destroy();
  }
  expect(buffers.memories.size).toBe(1);
});

it('The memory of a page is returned when its client disconnects', async () => {
  const buffers = new WatchedPool();
  const server = await startFilled(buffers);
  buffers.memories.clear();
  const gone = openClient(server.port);
  gone.socket.pause();
  gone.socket.write(more('a').repeat(5) + pageOf('a'));
  await expect.poll(() => server.service.inFlight.waitingBytes).toBeGreaterThan(0);
  gone.socket.destroy();
  await expect.poll(() => server.service.inFlight.requests).toBe(0);
  expect(lettersOf(await send(server, pageOf('b')))).toBe('b');
  expect(buffers.memories.size).toBe(1);
});
