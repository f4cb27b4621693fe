// The nodes over one database share fault rules: a rule that one node adds applies to the requests of all nodes.

import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, type FaultRule, type StartOptions, startEmulator } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { createDatabase, hasPostgres, type PostgresDatabase } from '../support/postgres.ts';
import { openClient, type TableClient } from '../support/table-client.ts';

interface Node {
  readonly emulator: Emulator;
  readonly client: TableClient;
}

const database = hasPostgres ? await createDatabase() : undefined;
const opened: Node[] = [];

async function join(options: StartOptions = {}): Promise<Node> {
  const { url: store } = database as PostgresDatabase;
  const emulator = await startEmulator({ store, ...options });
  const node = { emulator, client: openClient(emulator.url) };
  opened.push(node);
  return node;
}

const nodes = hasPostgres ? await Promise.all([join({ faultSeed: 1 }), join({ faultSeed: 2 })]) : [];

afterEach(async () => {
  await nodes[0]?.emulator.faults.clear();
});
afterAll(async () => {
  await Promise.all(opened.flatMap(({ emulator, client }) => [client.close(), emulator.close()]));
  await database?.drop();
});

const inForce = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000 });
const busy: FaultRule = {
  name: 'busy',
  match: { operation: 'QueryTables' },
  fault: { kind: 'error', code: 'ServerBusy' },
};
const query = async ({ client }: Node): Promise<number> =>
  (await client.send({ method: 'GET', path: '/Tables' })).status;
const namesAt = async ({ emulator }: Node): Promise<readonly (string | undefined)[]> =>
  (await emulator.faults.list()).map(({ name }) => name);

describe.runIf(hasPostgres)('The rules of two nodes over one database', () => {
  const [one, other] = nodes as [Node, Node];
  const areAt = (node: Node, names: readonly string[]): Promise<void> =>
    inForce(async () => expect(await namesAt(node)).toEqual(names));

  it('apply to the requests of both nodes, whichever node adds or removes them', async () => {
    const { id } = await one.emulator.faults.add(busy);
    await areAt(other, ['busy']);
    expect([await query(one), await query(other)]).toEqual([503, 503]);
    expect(await other.emulator.faults.remove(id)).toBe(true);
    await areAt(one, []);
    expect([await query(one), await query(other)]).toEqual([200, 200]);
    expect(await one.emulator.faults.remove(id)).toBe(false);
    const gone = await ask(other.emulator.url, { method: 'DELETE', path: `/_emulator/faults/${id}` });
    expect(gone.status).toBe(404);
  });

  it('are counted by each node separately', async () => {
    await one.emulator.faults.add({ ...busy, when: { nth: 2 } });
    await areAt(other, ['busy']);
    const statuses = [];
    for (const node of [one, other, one, other, one]) statuses.push(await query(node));
    expect(statuses).toEqual([200, 200, 503, 503, 200]);
    expect((await one.emulator.faults.list())[0]).toMatchObject({ matched: 3, hits: 1 });
    expect((await other.emulator.faults.list())[0]).toMatchObject({ matched: 2, hits: 1 });
    // Adding another rule does not reset the counts.
    await other.emulator.faults.add({ ...busy, name: 'second', when: { nth: 100 } });
    await areAt(one, ['busy', 'second']);
    expect((await one.emulator.faults.list())[0]).toMatchObject({ matched: 3, hits: 1 });
  });

  it('get separate ids, and none is lost, when both nodes add rules at the same time', async () => {
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? one : other).emulator.faults.add({ ...busy, name: `r${at}` }),
      ),
    );
    expect(new Set(added.map(({ id }) => id)).size).toBe(20);
    for (const node of [one, other]) await inForce(async () => expect(await namesAt(node)).toHaveLength(20));
    expect(await namesAt(one)).toEqual(await namesAt(other));
  });

  it('are at most 100 in all nodes together', async () => {
    const rules = (count: number): FaultRule[] => Array.from({ length: count }, () => busy);
    const post = (node: Node, count: number) =>
      ask(node.emulator.url, { path: '/_emulator/faults', body: rules(count) as object });
    expect((await post(one, 60)).status).toBe(201);
    const refused = await post(other, 41);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('at most 100 rules')]);
    expect((await post(other, 40)).status).toBe(201);
    expect((await ask(one.emulator.url, { method: 'DELETE', path: '/_emulator/faults' })).json).toEqual({
      removed: 100,
    });
  });

  it('hold requests at one node until the other removes them', async () => {
    await one.emulator.faults.add({ ...busy, fault: { kind: 'hang' } });
    await areAt(other, ['busy']);
    // As many requests as the client has connections.
    const held = Array.from({ length: 4 }, () => query(other).catch(() => 'closed'));
    await inForce(async () => expect((await other.emulator.faults.list())[0]).toMatchObject({ hits: 4 }));
    await one.emulator.faults.clear();
    expect(new Set(await Promise.all(held))).toEqual(new Set(['closed']));
    expect(await query(other)).toBe(200);
  });

  it('use one seed for probabilities: that of the node that added the first rule', async () => {
    await other.emulator.faults.add({ ...busy, when: { probability: 0.5 } });
    await areAt(one, ['busy']);
    expect([one.emulator.faults.seed, other.emulator.faults.seed]).toEqual([2, 2]);
    await other.emulator.faults.clear();
    await one.emulator.faults.add(busy);
    await areAt(other, ['busy']);
    expect([one.emulator.faults.seed, other.emulator.faults.seed]).toEqual([1, 1]);
  });

  it('of --faults are added by the first node that starts with them, and not again', async () => {
    await join({ faults: 'chaos' });
    const names = await namesAt(opened.at(-1) as Node);
    expect(names.length).toBeGreaterThan(0);
    await join({ faults: 'chaos' });
    await areAt(one, names as string[]);
    expect(await namesAt(opened.at(-1) as Node)).toEqual(names);
  });

  it('apply on a node that joins later, which reports them, and stay when the node that added them ends', async () => {
    const adder = await join();
    await adder.emulator.faults.add(busy);
    await adder.emulator.close();
    const warnings: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: object, text: string) => void warnings.push(text),
      error: () => undefined,
    };
    const late = await join({ log });
    expect(await query(late)).toBe(503);
    expect(warnings).toEqual([expect.stringMatching(/fault rules in force.* tanzanite faults clear/)]);
    await late.emulator.reset({ faults: true });
    await areAt(one, []);
    expect(await query(one)).toBe(200);
  });
});
