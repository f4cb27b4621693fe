import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/model/buffer-pool.ts';
import type { EntityRecord } from '../../../src/model/entity.ts';
import { type EntityRenderOptions, renderEntity, renderEntityFeed } from '../../../src/protocol/entity-response.ts';
import { parseSelect } from '../../../src/protocol/select.ts';

const timestamp = '2024-05-06T07:08:09.1234567Z';
const record = (rowKey: string, properties: string): EntityRecord => ({
  partitionKey: 'p',
  rowKey,
  timestamp,
  properties,
});
const entities = Array.from({ length: 50 }, (_, at) =>
  record(String(at).padStart(2, '0'), at % 3 === 0 ? '' : `"Age":${at},"Name":"${'n'.repeat(at * 10)}"`),
);
const base = 'http://127.0.0.1:10002/acct';
const optionsOf = (changes: Partial<EntityRenderOptions> = {}): EntityRenderOptions => ({
  level: 'minimal',
  hasMinimalEtag: true,
  base,
  account: 'acct',
  table: 'pets',
  selection: parseSelect(undefined),
  ...changes,
});
const render = (of: readonly EntityRecord[], options: EntityRenderOptions, bytesMax = 1e6) => {
  const { body, count } = renderEntityFeed(of, options, { bytesMax, buffers: new BufferPool() });
  return { text: body.toString('latin1'), count };
};
const valuesOf = (text: string): unknown[] => (JSON.parse(text) as { value: unknown[] }).value;

const variants: [string, EntityRenderOptions][] = [
  ['minimal', optionsOf()],
  ['minimal without ETags', optionsOf({ hasMinimalEtag: false })],
  ['none', optionsOf({ level: 'none' })],
  ['full', optionsOf({ level: 'full' })],
  ['a selection', optionsOf({ selection: parseSelect('Age,RowKey') })],
  ['a selection of nothing that is there', optionsOf({ level: 'none', selection: parseSelect('odata.type') })],
];

describe.each(variants)('A feed with metadata: %s', (_, options) => {
  it.each([0, 1, 2, 32, 33, 50])('of %d entities renders each entity as if it were the only one', (count) => {
    const some = entities.slice(0, count);
    const alone = some.map((entity) => {
      const { 'odata.metadata': _metadata, ...members } = JSON.parse(renderEntity(entity, options)) as Record<
        string,
        unknown
      >;
      return members;
    });
    const feed = render(some, options);
    expect(valuesOf(feed.text)).toEqual(alone);
    expect(feed.count).toBe(count);
  });

  it.each([1, 5, 33, 50])('of %d entities keeps its limit exactly to the byte', (count) => {
    const { text } = render(entities.slice(0, count), options);
    expect(render(entities.slice(0, count), options, text.length)).toEqual({ text, count });
    const less = render(entities.slice(0, count), options, text.length - 1);
    expect(less.count).toBe(Math.max(1, count - 1));
    expect(valuesOf(less.text)).toHaveLength(less.count);
  });
});

it('A page uses no more memory than its limit', () => {
  const asked: number[] = [];
  class WatchedPool extends BufferPool {
    override take(bytes: number): Buffer {
      asked.push(bytes);
      return super.take(bytes);
    }
  }
  const some = Array.from({ length: 40 }, (_, at) => record(String(at), `"Text":"${'t'.repeat(1_000)}"`));
  const { count } = renderEntityFeed(some, optionsOf(), { bytesMax: 30_000, buffers: new WatchedPool() });
  expect(count).toBeLessThan(40);
  expect(asked).toEqual([30_000]);
});
