// The limits of an entity. Azurite accepts entities that the service refuses, and refuses a key that the service
// accepts.

import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../../support/expect-refusal.ts';
import { entityPath, startService } from '../../support/service.ts';
import type { WireAnswer } from '../../support/table-client.ts';

const service = await startService();
await service.createTable('limits');

type Members = Readonly<Record<string, unknown>>;

const numbers = (count: number): Members =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index]));

/** Strings of 30,000 characters. The service counts 60,000 bytes for each. */
const strings = (count: number, prefix = 's'): Members =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x'.repeat(30_000)]));

function insert(RowKey: string, members: Members): Promise<WireAnswer> {
  const body = JSON.stringify({ PartitionKey: 'p', RowKey, ...members });
  return service.send({ method: 'POST', path: '/limits', body });
}

function write(method: string, rowKey: string, members: Members, headers = {}): Promise<WireAnswer> {
  return service.send({ method, path: entityPath('limits', 'p', rowKey), headers, body: JSON.stringify(members) });
}

async function expectAbsent(rowKey: string): Promise<void> {
  expectRefusal(await service.get(entityPath('limits', 'p', rowKey)), refusal('ResourceNotFound'));
}

describe('An entity of 300 properties', () => {
  it('is refused with 400 TooManyProperties and not stored, by every verb that writes', async () => {
    expectRefusal(await insert('many', numbers(300)), refusal('TooManyProperties'));
    await expectAbsent('many');
    for (const method of ['PUT', 'MERGE', 'PATCH']) {
      expectRefusal(await write(method, 'many', numbers(300)), refusal('TooManyProperties'));
      await expectAbsent('many');
    }
  });
});

describe('An entity of 1.9 MB', () => {
  it('is refused with 400 EntityTooLarge and not stored, by every verb that writes', async () => {
    expectRefusal(await insert('large', strings(32)), refusal('EntityTooLarge'));
    await expectAbsent('large');
    for (const method of ['PUT', 'MERGE', 'PATCH']) {
      expectRefusal(await write(method, 'large', strings(32)), refusal('EntityTooLarge'));
      await expectAbsent('large');
    }
  });
});

describe('Merges of 0.9 MB', () => {
  it.each([
    ['with a condition', { 'If-Match': '*' }],
    ['without one', {}],
  ])('%s exceed 1 MiB with the second one, which is refused and changes nothing', async (name, headers) => {
    const rowKey = name.replaceAll(' ', '-');
    expect((await write('PUT', rowKey, {})).status).toBe(204);
    expect((await write('MERGE', rowKey, strings(15, 'a'), headers)).status).toBe(204);
    const before = (await service.get(entityPath('limits', 'p', rowKey))).body;
    for (const prefix of ['b', 'c']) {
      expectRefusal(await write('MERGE', rowKey, strings(15, prefix), headers), refusal('EntityTooLarge'));
    }
    expect((await service.get(entityPath('limits', 'p', rowKey))).body).toBe(before);
    // Writing the same properties again does not increase the size.
    expect((await write('MERGE', rowKey, strings(15, 'a'), headers)).status).toBe(204);
  });
});

describe('A key of 513 characters', () => {
  it.each([
    ['partition key', 'k'.repeat(513), 'r'],
    ['row key', 'p', 'k'.repeat(513)],
    ['row key beyond ASCII', 'p', '\u00e9'.repeat(513)],
  ])('is accepted as a %s by every operation', async (_, PartitionKey, RowKey) => {
    await service.insert('limits', { PartitionKey, RowKey, n: 1 });
    const path = entityPath('limits', encodeURIComponent(PartitionKey), encodeURIComponent(RowKey));
    const read = JSON.parse((await service.get(path)).body) as Members;
    expect(read).toMatchObject({ PartitionKey, RowKey, n: 1 });
    expect((await service.send({ method: 'MERGE', path, body: '{"n":2}' })).status).toBe(204);
    expect((await service.send({ method: 'PUT', path, body: '{"n":3}' })).status).toBe(204);
    expect((await service.send({ method: 'DELETE', path, headers: { 'If-Match': '*' } })).status).toBe(204);
  });
});
