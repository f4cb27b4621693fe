// Connections that break at the worst moments. A proxy breaks them.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../../src/storage/store-unavailable.ts';
import { contentsOf, insertion, keyOf, tableNamed, texts, write } from '../../../support/entities.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { createNodes, type Node, type Nodes } from './nodes.ts';

/**
 * Describes where a connection breaks. It breaks when the client sends the server a message with the text `at`.
 * `isDelivered` says whether the server still receives this message.
 */
interface Breaking {
  readonly at: string;
  /**
   * A text that the connection must have sent before it may break. Connections that the node uses in the background do
   * not send this text, so they do not break.
   */
  readonly after?: string;
  readonly isDelivered: boolean;
}

class BreakingProxy {
  #breaking: Breaking | undefined;
  broken = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: URL) {
    this.#server = createServer((client) => {
      const server = connect(Number(target.port), target.hostname);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
      let isBroken = false;
      let hasCarried = false;
      client.on('data', (data) => {
        const breaking = this.#breaking;
        if (breaking?.after !== undefined) hasCarried ||= data.includes(breaking.after);
        const isMeant = breaking?.after === undefined || hasCarried;
        if (!breaking || !isMeant || !data.includes(breaking.at)) return void server.write(data);
        this.#breaking = undefined;
        this.broken += 1;
        isBroken = true;
        if (!breaking.isDelivered) return this.#end(client, server);
        server.write(data);
      });
      // After the break, the client never gets an answer.
      server.on('data', (data) => (isBroken ? this.#end(client, server) : void client.write(data)));
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  breakOnce(breaking: Breaking): void {
    this.#breaking = breaking;
  }

  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.breakAll();
    this.#server.close();
  }

  #end(client: Socket, server: Socket): void {
    client.destroy();
    server.destroy();
  }
}

describe.runIf(hasPostgres)('When a connection breaks', () => {
  let nodes: Nodes;
  let proxy: BreakingProxy;
  let node: Node;
  const key = keyOf('p', 'r');
  beforeAll(async () => {
    nodes = await createNodes();
    const url = new URL(nodes.url);
    proxy = new BreakingProxy(new URL(nodes.url));
    url.port = String(await proxy.listen());
    node = await nodes.open({ store: url.href });
    await node.account.createTable(tableNamed('Pets'));
  });
  afterAll(async () => {
    await nodes.close();
    proxy.close();
  });
  const rowKeys = async () => (await contentsOf(node.account, 'Pets')).map(({ rowKey }) => rowKey);
  const upserts = (name: string) =>
    ['a', 'b'].map((row) => ({ kind: 'insertOrMerge', ...keyOf('p', name + row), properties: texts({}) }) as const);

  it('promise 4: a transaction with an unanswered COMMIT rejects, without a claim that nothing happened', async () => {
    // Keys in a list are sent as hexadecimal text.
    proxy.breakOnce({ at: 'COMMIT', after: Buffer.from('senta').toString('hex'), isDelivered: true });
    const error = await node.account.apply('Pets', upserts('sent')).catch((reason: unknown) => reason);
    expect(proxy.broken).toBe(1);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(StoreUnavailable);
    // PostgreSQL may still be carrying out the transaction that it has received.
    await expect.poll(rowKeys).toEqual(expect.arrayContaining(['senta', 'sentb']));
  });

  it('promise 4: nor is a write that is one statement repeated', async () => {
    const before = proxy.broken;
    proxy.breakOnce({ at: 'once', isDelivered: true });
    const error = await node.account
      .apply('Pets', [insertion(keyOf('once', 'once'))])
      .catch((reason: unknown) => reason);
    expect(proxy.broken).toBe(before + 1);
    expect(error).not.toBeInstanceOf(StoreUnavailable);
    expect(error).toBeInstanceOf(Error);
    expect(await rowKeys()).toContain('once');
  });

  it('a transaction with a COMMIT that was not sent is carried out on another connection', async () => {
    for (const isDelivered of [true, false]) {
      const before = proxy.broken;
      proxy.breakOnce({ at: 'BEGIN', isDelivered });
      expect(await node.account.apply('Pets', upserts(`begun${isDelivered}`))).toMatchObject({ kind: 'applied' });
      expect(proxy.broken).toBe(before + 1);
    }
  });

  it('reads and pages are carried out on another connection', async () => {
    await write(node.account, 'Pets', { kind: 'insertOrReplace', ...key, properties: texts({}) });
    const before = proxy.broken;
    proxy.breakOnce({ at: 'acc', isDelivered: true });
    expect(await node.account.get('Pets', key)).toMatchObject({ kind: 'found' });
    proxy.breakOnce({ at: 'acc', isDelivered: true });
    expect(await rowKeys()).toContain('r');
    expect(proxy.broken).toBe(before + 2);
  });

  it('and all others break too, the next calls succeed', async () => {
    proxy.breakAll();
    expect(await node.account.get('Pets', key)).toMatchObject({ kind: 'found' });
    await Promise.all(Array.from({ length: 20 }, (_, at) => node.account.get('Pets', keyOf('p', String(at)))));
    expect(await node.store.check()).toEqual({ damaged: [], isFull: false });
    await expect.poll(() => node.store.hearsChanges).toBe(true);
  });
});
