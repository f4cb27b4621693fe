import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let emulator: Emulator;
const good = new Map<string, Buffer>();
const formats = ['ndjson', 'csv', 'json'] as const;

const lines = [
  '{"PartitionKey":"p","RowKey":"1","Big@odata.type":"Edm.Int64","Big":"9007199254740993","Text":"a, \\"b\\"\\r\\nc"}',
  '{"PartitionKey":"p","RowKey":"2","When@odata.type":"Edm.DateTime","When":"2024-05-01T10:00:00Z","Yes":true}',
  '{"PartitionKey":"p","RowKey":"3","Bytes@odata.type":"Edm.Binary","Bytes":"AAH/","Empty":"","Ratio":1.5}',
  '{"PartitionKey":"q","RowKey":"ä漢","Guid@odata.type":"Edm.Guid","Guid":"4185404a-5818-48c3-b9be-f217df0dba6f"}',
];

beforeAll(async () => {
  emulator = await startEmulator();
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(join(folder.path, 'Pets.ndjson'), lines.join('\n'));
  await emulator.seed(join(folder.path, 'Pets.ndjson'));
  for (const format of formats) {
    const out = join(folder.path, format);
    await emulator.export(out, { format });
    good.set(format, readFileSync(join(out, `Pets.${format}`)));
  }
});
afterAll(async () => {
  await emulator.close();
  folder.remove();
});

type Damage = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const replaced = (bytes: Buffer, from: number, count: number, by: Uint8Array): Buffer => {
  const at = Math.floor(from * bytes.length);
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + count)]);
};
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc
    .constantFrom(...['"', ',', '\n', '{', '}', '[', ']', '\\', '@', '\ud83d', 'null', '""'])
    .map((text) => Buffer.from(text)),
);
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(place, fc.nat(5), anyBytes).map(
    ([from, count, by]): Damage =>
      (bytes) =>
        replaced(bytes, from, count, by),
  ),
  place.map(
    (from): Damage =>
      (bytes) =>
        bytes.subarray(0, Math.floor(from * bytes.length)),
  ),
  place.map(
    (from): Damage =>
      (bytes) =>
        Buffer.concat([bytes, bytes.subarray(Math.floor(from * bytes.length))]),
  ),
  fc.constantFrom('utf16le', 'latin1').map(
    (encoding): Damage =>
      (bytes) =>
        Buffer.from(bytes.toString(), encoding as 'latin1'),
  ),
);

/** The content of the account, in the form of its export. */
async function contents(): Promise<string> {
  const out = join(folder.path, 'now');
  await emulator.export(out);
  const other = join(out, 'Aaa.ndjson');
  return readFileSync(join(out, 'Pets.ndjson'), 'utf8') + (existsSync(other) ? 'Aaa' : '');
}

describe.each(formats)('a damaged file of %s', (format) => {
  it('is loaded completely, or refused with its name and line; then no file of the run is stored', async () => {
    const path = join(folder.path, 'run', `Pets.${format}`);
    const other = join(folder.path, 'run', 'Aaa.ndjson');
    mkdirSync(join(folder.path, 'run'), { recursive: true });
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        await emulator.seed(join(folder.path, 'ndjson'));
        const before = await contents();
        const bytes = damages.reduce((sum, one) => one(sum), good.get(format) as Buffer);
        writeFileSync(path, bytes);
        writeFileSync(other, '{"PartitionKey":"p","RowKey":"r"}');
        const outcome = await emulator.seed([other, path]).catch((error: Error) => error);
        if (outcome instanceof Error) {
          refusals += 1;
          expect(outcome.message).toMatch(/^.*Pets\.\w+:\d+: \S/);
          expect(await contents()).toBe(before);
        } else {
          const count = (await contents()).split('\n').length - 1;
          expect(outcome.tables[1]).toEqual({ name: 'Pets', entities: count });
          await emulator.reset();
        }
      }),
      { numRuns: 150 },
    );
    expect(refusals).toBeGreaterThan(20);
  });
});
