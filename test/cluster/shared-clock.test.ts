// The nodes over one database have one clock: a change by one node applies to all of them.

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, type StartOptions, StoreUnavailable, startEmulator } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { createDatabase, hasPostgres, type PostgresDatabase, queryDatabase } from '../support/postgres.ts';
import { entityPath } from '../support/service.ts';
import { openClient, type TableClient, type WireAnswer } from '../support/table-client.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Node {
  readonly emulator: Emulator;
  readonly client: TableClient;
}

const database = hasPostgres ? await createDatabase() : undefined;
const opened: Node[] = [];

async function join(options: StartOptions = {}): Promise<Node> {
  const { url: store } = database as PostgresDatabase;
  const emulator = await startEmulator({ store, tableDeleteDelayMs: 40_000, ...options });
  const node = { emulator, client: openClient(emulator.url) };
  opened.push(node);
  return node;
}

const nodes = hasPostgres ? await Promise.all([join(), join()]) : [];

afterEach(async () => {
  await nodes[0]?.emulator.clock.release();
});
afterAll(async () => {
  await Promise.all(opened.flatMap(({ emulator, client }) => [client.close(), emulator.close()]));
  await database?.drop();
});

const inForce = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000 });
const put = ({ client }: Node, table: string, rowKey: string): Promise<WireAnswer> =>
  client.send({ method: 'PUT', path: entityPath(table, 'p', rowKey), body: '{}' });
const create = ({ client }: Node, name: string): Promise<WireAnswer> =>
  client.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) });

describe.runIf(hasPostgres)('The clock of two nodes over one database', () => {
  const [one, other] = nodes as [Node, Node];

  it('is changed on both nodes by either of them', async () => {
    await one.emulator.clock.advance(dayMs);
    await inForce(() => expect(other.emulator.clock.read().offsetMs).toBe(dayMs));
    await other.emulator.clock.freeze();
    await inForce(() => expect(one.emulator.clock.read().isFrozen).toBe(true));
    const { now } = await ask(other.emulator.url, { path: '/_emulator/clock', body: { now: '2041-05-01' } }).then(
      ({ json }) => json as { now: string },
    );
    await inForce(() => expect(one.emulator.clock.read().now).toBe(now));
    await one.emulator.reset({ clock: true });
    await inForce(() => expect(other.emulator.clock.read()).toMatchObject({ isFrozen: false, offsetMs: 0 }));
  });

  it('loses no change if both nodes change it at the same time', async () => {
    await one.emulator.clock.freeze();
    const { now } = await one.emulator.clock.set('2041-05-01');
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other).emulator.clock.advance(1_000)),
    );
    const expected = new Date(Date.parse(now) + 40_000).toISOString();
    for (const { emulator } of [one, other]) await inForce(() => expect(emulator.clock.read().now).toBe(expected));
  });

  it('applies on a node that joins later, and stays changed when the node that changed it ends', async () => {
    const turner = await join();
    await turner.emulator.clock.freeze();
    await turner.emulator.clock.set('2041-05-01T10:00:00Z');
    await turner.emulator.close();
    const warnings: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: object, text: string) => void warnings.push(text),
      error: () => undefined,
    };
    const late = await join({ log });
    expect(warnings).toEqual([expect.stringContaining('frozen at 2041-05-01T10:00:00.000Z: tanzanite clock release')]);
    expect(late.emulator.clock.read()).toMatchObject({ now: '2041-05-01T10:00:00.000Z', isFrozen: true });
    await inForce(() => expect(one.emulator.clock.read().now).toBe('2041-05-01T10:00:00.000Z'));
  });

  it('gives increasing timestamps on both nodes, whichever node changes it', async () => {
    expect((await create(one, 'stamped')).status).toBe(201);
    const etags: (string | undefined)[] = [];
    const write = async (node: Node): Promise<void> =>
      void etags.push((await put(node, 'stamped', 'r')).header('etag'));
    for (const [node, date] of [
      [one, '2060-01-01'],
      [other, '1999-01-01'],
      [one, '2061-01-01'],
      [other, '1601-01-01'],
    ] as const) {
      await node.emulator.clock.set(date);
      for (const writer of [one, other, one]) await write(writer);
    }
    expect(new Set(etags).size).toBe(etags.length);
    const moments = etags.map(momentIn);
    expect(moments).toEqual(moments.toSorted());
  });

  it('frees names of tables that the other node deleted, or that were deleted in a future taken back', async () => {
    await one.emulator.clock.freeze();
    await inForce(() => expect(other.emulator.clock.read().isFrozen).toBe(true));
    await create(one, 'gone');
    await one.client.send({ method: 'DELETE', path: "/Tables('gone')" });
    expect((await create(other, 'gone')).status).toBe(409);
    const { now } = await one.emulator.clock.advance(40_000);
    await inForce(() => expect(other.emulator.clock.read().now).toBe(now));
    expect((await create(other, 'gone')).status).toBe(201);
    await one.emulator.clock.advance(dayMs);
    await one.client.send({ method: 'DELETE', path: "/Tables('gone')" });
    expect((await create(one, 'gone')).status).toBe(409);
    await one.emulator.clock.release();
    expect((await create(one, 'gone')).status).toBe(201);
  });

  it('refuses a change while the database is away, keeps the time, and later receives missed changes', async () => {
    await one.emulator.clock.freeze();
    const before = one.emulator.clock.read().now;
    await allowConnections(false);
    await expect(one.emulator.clock.advance(1)).rejects.toThrow(StoreUnavailable);
    const refused = await ask(one.emulator.url, { path: '/_emulator/clock', body: { advanceMs: 1 } });
    expect(refused.status).toBe(503);
    expect(one.emulator.clock.read().now).toBe(before);
    await allowConnections(true);
    const { now } = await (await join()).emulator.clock.advance(hourMs);
    expect(Date.parse(now)).toBe(Date.parse(before) + hourMs);
    await inForce(() => expect(one.emulator.clock.read().now).toBe(now));
    await inForce(() => expect(other.emulator.clock.read().now).toBe(now));
  });
});

/** Allows connections to the database, or refuses them and ends existing ones. */
async function allowConnections(isAllowed: boolean): Promise<void> {
  const url = new URL((database as PostgresDatabase).url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  await queryDatabase(url.href, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${isAllowed}`);
  if (isAllowed) return;
  await queryDatabase(url.href, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
}

/** The moment with all seven digits of the fraction, so that comparing texts compares moments. */
function momentIn(etag = ''): string {
  const [, second = '', fraction = ''] = /'([^.Z]*)\.?(\d*)Z'/.exec(decodeURIComponent(etag)) ?? [];
  return `${second}.${fraction.padEnd(7, '0')}`;
}
