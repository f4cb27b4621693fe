// Property names that are invalid. Azurite stores all of them.

import { describe, expect, it } from 'vitest';
import { expectRefusal, type Refusal, refusal } from '../../support/expect-refusal.ts';
import { entityPath, startService } from '../../support/service.ts';
import type { WireAnswer } from '../../support/table-client.ts';

const service = await startService();
await service.createTable('names');

const keyed = (rowKey: string, name: string): string =>
  `{"PartitionKey":"p","RowKey":"${rowKey}","before":1,${JSON.stringify(name)}:1}`;

const invalid = refusal('PropertyNameInvalid');
const tooLong = refusal('PropertyNameTooLong');

const refused: readonly (readonly [name: string, refusal: Refusal])[] = [
  ['', invalid],
  ['a-b', invalid],
  ['-', invalid],
  ['1abc', invalid],
  ['a b', invalid],
  [' a', invalid],
  ['a ', invalid],
  ['a$b', invalid],
  ['$', invalid],
  ['a/b', invalid],
  ['a:b', invalid],
  ["a'b", invalid],
  ['a"b', invalid],
  ['a\\b', invalid],
  ['a\nb', invalid],
  ['a\u0000b', invalid],
  ['\u{1f600}', invalid],
  ['a\u{1f600}', invalid],
  ['a\ud800', invalid],
  ['n'.repeat(256), tooLong],
];

describe('A property name', () => {
  it.each(refused)('%j is refused, and the entity is not stored', async (name, expected) => {
    const path = entityPath('names', 'p', 'absent');
    const insert = await service.send({ method: 'POST', path: '/names', body: keyed('absent', name) });
    expectRefusal(insert, expected);
    for (const method of ['PUT', 'MERGE']) {
      expectRefusal(await service.send({ method, path, body: keyed('absent', name) }), expected);
    }
    expectRefusal(await service.get(path), refusal('ResourceNotFound'));
  });

  it.each(refused)('%j is refused, and the existing entity does not change', async (name, expected) => {
    const path = entityPath('names', 'p', 'present');
    await service.send({ method: 'PUT', path, body: '{"old":1}' });
    const before = (await service.get(path)).body;
    for (const method of ['PUT', 'MERGE']) {
      const write = { method, path, headers: { 'If-Match': '*' }, body: keyed('present', name) };
      expectRefusal(await service.send(write), expected);
    }
    expect((await service.get(path)).body).toBe(before);
  });

  // Names with a dot or an at sign are annotations, and annotations are not properties.
  it.each(['a.b', 'a@b', 'odata.foo', 'a@odata.count'])(
    '%j is an annotation: accepted and not stored',
    async (name) => {
      const rowKey = encodeURIComponent(name);
      const answer: WireAnswer = await service.send({ method: 'POST', path: '/names', body: keyed(name, name) });
      expect(answer.status).toBe(201);
      const read = JSON.parse((await service.get(entityPath('names', 'p', rowKey))).body) as Record<string, unknown>;
      expect(Object.keys(read).slice(-2)).toEqual(['Timestamp', 'before']);
    },
  );
});
