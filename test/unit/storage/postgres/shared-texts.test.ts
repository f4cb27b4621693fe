import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SharedTexts } from '../../../../src/storage/shared-texts.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { createNodes, type Node, type Nodes } from './nodes.ts';

describe.runIf(hasPostgres)('Shared texts of nodes over one database', () => {
  let nodes: Nodes;
  let [a, b]: Node[] = [];
  beforeAll(async () => {
    nodes = await createNodes();
    [a, b] = await Promise.all([nodes.open(), nodes.open()]);
  });
  afterAll(() => nodes.close());
  const textsOf = (node: Node | undefined): SharedTexts => {
    if (!node?.store.sharedTexts) throw new Error('the engine has shared texts');
    return node.store.sharedTexts;
  };
  const both = (): [SharedTexts, SharedTexts] => [textsOf(a), textsOf(b)];

  it('contain what any node wrote last, also for a node that joins later', async () => {
    const [one, other] = both();
    expect(await one.read('seen')).toBeUndefined();
    expect(await one.update('seen', (current) => `${current}1`)).toBe('undefined1');
    expect(await other.update('seen', (current) => `${current}2`)).toBe('undefined12');
    expect(await one.read('seen')).toBe('undefined12');
    expect(await textsOf(await nodes.open()).read('seen')).toBe('undefined12');
    expect(await one.read('other')).toBeUndefined();
  });

  it.each([
    ['', ''],
    ["it's", "'; DROP TABLE x; --"],
    ['# a', '{"name":"ä😀\\u0000","n":1}'],
    ['a b', 'x'.repeat(1_000_000)],
  ])('can be stored and read under the name %j', async (name, text) => {
    const [one, other] = both();
    await one.update(name, () => text);
    expect((await other.read(name)) === text).toBe(true);
  });

  it('lose no change if several are made at the same time', async () => {
    const [one, other] = both();
    const add = (current = '0'): string => String(Number(current) + 1);
    await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other).update('counted', add)));
    expect(await one.read('counted')).toBe('40');
  });

  it('stay unchanged when a change throws', async () => {
    const [one, other] = both();
    await one.update('kept', () => 'before');
    const refuse = (): never => {
      throw new RangeError('mine');
    };
    await expect(other.update('kept', refuse)).rejects.toThrow(new RangeError('mine'));
    await expect(other.update('absent', refuse)).rejects.toThrow(RangeError);
    expect([await one.read('kept'), await one.read('absent')]).toEqual(['before', undefined]);
  });

  it('notify other nodes of the name of a changed text, or of any change while they could not listen', async () => {
    const [one, other] = both();
    const heard: unknown[] = [];
    const settings: unknown[] = [];
    other.onChange((name) => heard.push(name));
    b?.store.onChange((account) => settings.push(account));
    // Waits until notices of changes by earlier tests have arrived.
    await one.update('first', () => 'x');
    await expect.poll(() => heard).toContain('first');
    heard.length = 0;
    await other.update('own', () => 'x');
    await one.update('told', () => 'x');
    await expect.poll(() => heard).toEqual(['told']);
    expect(settings).toEqual([]);
    await nodes.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'`,
    );
    await expect.poll(() => heard.length).toBeGreaterThan(1);
    expect(heard[1]).toBeUndefined();
    await expect.poll(() => b?.store.hearsChanges).toBe(true);
    await one.update('later', () => 'x');
    await expect.poll(() => heard).toContain('later');
  });

  it('cannot be used after the store was closed', async () => {
    const { store } = await nodes.open();
    const texts = textsOf({ ...(a as Node), store });
    await store.close();
    await expect(texts.read('seen')).rejects.toThrow('the store is closed');
    await expect(texts.update('seen', () => 'x')).rejects.toThrow('the store is closed');
  });
});
