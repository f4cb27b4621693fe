import { describe, expect, it } from 'vitest';
import { bodyTooLarge, expectFrontEndRefusal } from '../support/expect-front-end-refusal.ts';
import { expectRefusal, type Refusal, refusal } from '../support/expect-refusal.ts';
import { sendRaw, signedHead } from '../support/raw-socket.ts';
import { entityPath, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
await service.createTable('limits');
let rows = 0;

type Members = Readonly<Record<string, unknown>>;

function body(members: Members): string {
  return JSON.stringify(members);
}

function insert(members: Members): Promise<WireAnswer> {
  const entity = { PartitionKey: 'p', RowKey: `r${rows++}`, ...members };
  return service.send({
    method: 'POST',
    path: '/limits',
    headers: { Prefer: 'return-no-content' },
    body: body(entity),
  });
}

function put(path: string, members: Members = {}): Promise<WireAnswer> {
  return service.send({ method: 'PUT', path, body: body(members) });
}

function merge(path: string, members: Members, headers = {}): Promise<WireAnswer> {
  return service.send({ method: 'MERGE', path, headers, body: body(members) });
}

function expectRefused(answer: WireAnswer, expected: Refusal): void {
  const others = answer.header('Preference-Applied') === undefined ? [] : ['preference-applied'];
  expectRefusal(answer, expected, { others });
}

const properties = (count: number): Members =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1]));
const binary = (bytes: number): Members => ({
  'x@odata.type': 'Edm.Binary',
  x: Buffer.alloc(bytes).toString('base64'),
});

describe('A key', () => {
  it('of 1024 UTF-16 units is stored and read; one of 1025 is refused by writes and not found by reads', async () => {
    const longest = 'k'.repeat(1024);
    await put(entityPath('limits', '', ''));
    for (const [partitionKey, rowKey] of [
      [longest, 'r'],
      ['p', longest],
      [longest, longest],
      ['\u00e9'.repeat(1024), 'r'],
      ['\u{1f600}'.repeat(512), 'r'],
    ] as const) {
      expect((await insert({ PartitionKey: partitionKey, RowKey: rowKey })).status).toBe(204);
      const path = entityPath('limits', encodeURIComponent(partitionKey), encodeURIComponent(rowKey));
      expect((await service.get(path)).status).toBe(200);
      expect((await put(path)).status).toBe(204);
    }
    for (const [partitionKey, rowKey] of [
      [`${longest}k`, 'r'],
      ['p', `${longest}k`],
    ] as const) {
      expectRefused(await insert({ PartitionKey: partitionKey, RowKey: rowKey }), refusal('PropertyValueTooLarge'));
      const path = entityPath('limits', partitionKey, rowKey);
      expectRefusal(await put(path), refusal('PropertyValueTooLarge'));
      expectRefusal(await merge(path, {}), refusal('PropertyValueTooLarge'));
      expectRefusal(await service.get(path), refusal('ResourceNotFound'));
      const removal = { method: 'DELETE', path, headers: { 'If-Match': '*' } };
      expectRefusal(await service.send(removal), refusal('ResourceNotFound'));
    }
  });
});

describe('A property name', () => {
  it('of 255 units is stored, one of 256 is refused', async () => {
    expect((await insert({ ['n'.repeat(255)]: 1 })).status).toBe(204);
    expect((await insert({ ['\u00e9'.repeat(255)]: 1 })).status).toBe(204);
    expectRefused(await insert({ ['n'.repeat(256)]: 1 }), refusal('PropertyNameTooLong'));
    expectRefusal(await put(entityPath('limits'), { ['n'.repeat(256)]: 1 }), refusal('PropertyNameTooLong'));
  });
});

describe('The number of properties', () => {
  it('is at most 252', async () => {
    expect((await insert(properties(252))).status).toBe(204);
    expectRefused(await insert(properties(253)), refusal('TooManyProperties'));
    expectRefusal(await put(entityPath('limits'), properties(253)), refusal('TooManyProperties'));
  });

  it('does not include nulls and annotations', async () => {
    expect((await insert({ ...properties(252), absent: null, 'n0@odata.type': 'Edm.Int32' })).status).toBe(204);
  });

  it('is limited in the result of a merge, not in its request', async () => {
    const path = entityPath('limits', 'p', 'merged');
    await put(path, properties(251));
    expect((await merge(path, { n0: 2, n1: 2, extra: 1 })).status).toBe(204);
    for (const headers of [{}, { 'If-Match': '*' }]) {
      expectRefusal(await merge(path, { another: 1 }, headers), refusal('TooManyProperties'));
    }
    expect((await merge(path, { extra: 3 })).status).toBe(204);
    expect((await service.get(path)).body).not.toContain('another');
  });
});

describe('A string', () => {
  it('of 32768 UTF-16 units is stored, one of 32769 is refused', async () => {
    for (const char of ['a', '\u00e9', '\u4e2d']) {
      expect((await insert({ s: char.repeat(32_768) })).status).toBe(204);
      expectRefused(await insert({ s: char.repeat(32_769) }), refusal('PropertyValueTooLarge'));
    }
    expect((await insert({ s: '\u{1f600}'.repeat(16_384) })).status).toBe(204);
    expectRefused(await insert({ s: `${'\u{1f600}'.repeat(16_384)}a` }), refusal('PropertyValueTooLarge'));
  });

  it('is measured after decoding', async () => {
    const escaped = `{"PartitionKey":"p","RowKey":"escaped","s":"${'\\u0061'.repeat(32_768)}"}`;
    expect((await service.send({ method: 'POST', path: '/limits', body: escaped })).status).toBe(201);
  });

  it('that is too long is refused by PUT and MERGE too', async () => {
    const members = { s: 'a'.repeat(32_769) };
    expectRefusal(await put(entityPath('limits'), members), refusal('PropertyValueTooLarge'));
    expectRefusal(await merge(entityPath('limits'), members), refusal('PropertyValueTooLarge'));
  });
});

describe('A binary value', () => {
  it('of 65536 bytes is stored, one of 65537 is refused', async () => {
    expect((await insert(binary(65_536))).status).toBe(204);
    expectRefused(await insert(binary(65_537)), refusal('PropertyValueTooLarge'));
  });
});

/**
 * Returns members for an entity of this size in bytes. The partition key is `p`, and the row key has five characters.
 * The size follows the storage team's published formula: 4 + 2·keys + Σ (8 + 2·name + value). The value of a string is
 * 4 + 2·length.
 */
function entityOf(bytes: number): Members {
  let rest = bytes - 4 - 2 * (1 + 5);
  const members: Record<string, string> = {};
  for (let index = 10; rest > 0; index++) {
    const overhead = 8 + 2 * 3 + 4;
    const chars = Math.min(30_000, Math.floor((rest - overhead) / 2));
    members[`s${index}`] = 'a'.repeat(chars);
    rest -= overhead + 2 * chars;
    if (rest > 0 && rest < overhead) throw new Error('the last string must be chosen otherwise');
  }
  return members;
}

describe('An entity', () => {
  const mebibyte = 1_048_576;

  it('of 1 MiB is stored, one with two bytes more is refused', async () => {
    expect((await insert({ RowKey: 'exact', ...entityOf(mebibyte) })).status).toBe(204);
    expectRefused(await insert({ RowKey: 'above', ...entityOf(mebibyte + 2) }), refusal('EntityTooLarge'));
    const path = entityPath('limits', 'p', 'exact');
    expect((await put(path, entityOf(mebibyte))).status).toBe(204);
    expectRefusal(await put(path, entityOf(mebibyte + 2)), refusal('EntityTooLarge'));
  });

  it('is measured by the formula for every type', async () => {
    const path = entityPath('limits', 'p', 'typed');
    // Each has 8 + 2·3 bytes for a name of three units. The values have 4, 8, 8, 8, 16, 1 and 3 + 4 bytes.
    const others = {
      int: 1,
      'big@odata.type': 'Edm.Int64',
      big: '1',
      dbl: 1.5,
      'dat@odata.type': 'Edm.DateTime',
      dat: '2024-01-01T00:00:00Z',
      'gui@odata.type': 'Edm.Guid',
      gui: 'a455c695-df98-5678-aaaa-81d3367e5a34',
      yes: true,
      'bin@odata.type': 'Edm.Binary',
      bin: Buffer.alloc(3).toString('base64'),
    };
    const othersBytes = 7 * 14 + 4 + 8 + 8 + 8 + 16 + 1 + 7;
    expect((await put(path, { ...others, ...entityOf(mebibyte - othersBytes) })).status).toBe(204);
    const tooMany = { ...others, ...entityOf(mebibyte - othersBytes + 2) };
    expectRefusal(await put(path, tooMany), refusal('EntityTooLarge'));
  });

  it('is limited in the result of a merge', async () => {
    const path = entityPath('limits', 'p', 'grown');
    // A Boolean under a name of three units is 8 + 6 + 1 bytes, an Int32 is 8 + 6 + 4.
    expect((await put(path, entityOf(mebibyte - 14))).status).toBe(204);
    expectRefusal(await merge(path, { two: true }), refusal('EntityTooLarge'));
    expect((await put(path, entityOf(mebibyte - 18))).status).toBe(204);
    expect((await merge(path, { one: 1 })).status).toBe(204);
    for (const headers of [{}, { 'If-Match': '*' }]) {
      expectRefusal(await merge(path, { two: true }, headers), refusal('EntityTooLarge'));
    }
    expect((await merge(path, { s10: '' })).status).toBe(204);
    expect((await merge(path, { two: true })).status).toBe(204);
  });
});

describe('A request body', () => {
  const limit = 4 * 1_048_576;
  const padded = (bytes: number): string => {
    const start = '{"PartitionKey":"p","RowKey":"body"';
    return `${start}${' '.repeat(bytes - start.length - 1)}}`;
  };

  it('of 4 MiB is read; one with a byte more is refused with 413 for any content', async () => {
    const path = '/limits';
    expect((await service.send({ method: 'POST', path, body: padded(limit) })).status).toBe(201);
    const answer = await service.send({ method: 'POST', path, body: padded(limit + 1) });
    expectFrontEndRefusal(answer, bodyTooLarge);
    expect((await service.get('/limits?$top=0')).status).toBe(200);
  });

  it('in chunks is measured as it arrives', async () => {
    const headers = {
      Host: new URL(service.origin).host,
      'Transfer-Encoding': 'chunked',
      'Content-Type': 'application/json',
    };
    const head = signedHead({ method: 'PUT', target: `/devstoreaccount1${entityPath('limits')}`, headers });
    const chunk = 65_536;
    const inChunks = (text: string): string => {
      const parts = Array.from({ length: Math.ceil(text.length / chunk) }, (_, index) =>
        text.slice(index * chunk, (index + 1) * chunk),
      );
      return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
    };
    expect(await sendRaw(service.origin, head + inChunks(padded(limit)))).toMatch(/^HTTP\/1\.1 204 /);
    expect(await sendRaw(service.origin, head + inChunks(padded(limit + 1)))).toMatch(/^HTTP\/1\.1 413 /);
  });
});
