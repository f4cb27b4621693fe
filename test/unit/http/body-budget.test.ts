// Tests the limit on the total size of request bodies in memory. A body waits if there is no room for it. Its client is
// not refused.

import { describe, expect, it } from 'vitest';
import { BodyBudget } from '../../../src/http/body-budget.ts';
import { BufferPool } from '../../../src/model/buffer-pool.ts';
import { openClient, requestText, startServer, type TestClient } from '../../support/table-server.ts';

/** A body that is large enough to have to wait. There is not enough room for two of them. */
const body = `{"TableName":"${'x'.repeat(100_000)}"}`;
/** The size of the buffer for such a body: a power of two. */
const room = 131_072;
const post = requestText('/acct/Tables', { method: 'POST', headers: 'Connection: close\r\n', body });
const half = post.slice(0, -50_000);
const rest = post.slice(-50_000);

async function start(): Promise<{ bodies: BodyBudget; send: (text: string) => TestClient }> {
  const bodies = new BodyBudget(new BufferPool(), 150_000);
  const { port } = await startServer({}, { bodies });
  const send = (text: string): TestClient => {
    const client = openClient(port);
    client.socket.write(text);
    return client;
  };
  return { bodies, send };
}

const statusOf = async ({ closed, socket }: TestClient): Promise<number> => {
  const status = Number((await closed).slice(9, 12));
  socket.destroy();
  return status;
};

describe('A large body', () => {
  it('waits while other bodies use the room, and is read when they are answered', async () => {
    const { bodies, send } = await start();
    const first = send(half);
    await expect.poll(() => bodies.bytes).toBe(room);
    const second = send(post);
    await expect.poll(() => bodies.waiting).toBe(1);
    expect(bodies.bytes).toBe(room);
    expect(second.received()).toBe('');
    first.socket.write(rest);
    expect([await statusOf(first), await statusOf(second)]).toEqual([400, 400]);
    expect([bodies.bytes, bodies.waiting]).toEqual([0, 0]);
  });

  it('of unknown length reserves room for the largest possible body', async () => {
    const { bodies, send } = await start();
    const first = send(half);
    await expect.poll(() => bodies.bytes).toBe(room);
    const chunked = send(requestText('/acct/Tables', { method: 'POST', headers: 'Transfer-Encoding: chunked\r\n' }));
    await expect.poll(() => bodies.waiting).toBe(1);
    chunked.socket.destroy();
    first.socket.destroy();
  });

  it('releases its room when its connection breaks', async () => {
    const { bodies, send } = await start();
    const first = send(half);
    await expect.poll(() => bodies.bytes).toBe(room);
    const second = send(post);
    await expect.poll(() => bodies.waiting).toBe(1);
    first.socket.destroy();
    expect(await statusOf(second)).toBe(400);
    expect(bodies.bytes).toBe(0);
  });

  it('does not block others if its connection breaks while it waits', async () => {
    const { bodies, send } = await start();
    const first = send(half);
    await expect.poll(() => bodies.bytes).toBe(room);
    const headOnly = send(post.slice(0, -body.length));
    await expect.poll(() => bodies.waiting).toBe(1);
    headOnly.socket.destroy();
    await expect.poll(() => bodies.waiting).toBe(0);
    // While a body waits, the server does not read the part of the body that has arrived. If the client disconnects
    // during the wait, the server notices this only after the wait.
    const unread = send(half);
    await expect.poll(() => bodies.waiting).toBe(1);
    unread.socket.destroy();
    const last = send(post);
    await expect.poll(() => bodies.waiting).toBe(2);
    first.socket.destroy();
    expect(await statusOf(last)).toBe(400);
    expect([bodies.bytes, bodies.waiting]).toEqual([0, 0]);
  });
});

describe('A small body', () => {
  it('is read even if there is no room for large bodies', async () => {
    const { bodies, send } = await start();
    const first = send(half);
    await expect.poll(() => bodies.bytes).toBe(room);
    const second = send(post);
    await expect.poll(() => bodies.waiting).toBe(1);
    const headers = 'Connection: close\r\n';
    expect(await statusOf(send(requestText('/acct/Tables', { method: 'POST', headers, body: '{' })))).toBe(400);
    expect(bodies.waiting).toBe(1);
    first.socket.destroy();
    second.socket.destroy();
  });
});
