// An entity may come in a request, in a line of a load or in a file. The same rules decide whether it is valid.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { importAzurite } from '../../src/data/azurite-import.ts';
import { copyAccount } from '../../src/data/copy/copy-account.ts';
import type { FileEntity } from '../../src/data/file-entity.ts';
import type { SeedTarget } from '../../src/data/seed.ts';
import { defaultEmulatorSettings } from '../../src/emulator.ts';
import { startEmulator } from '../../src/index.ts';
import { cutMiddle } from '../../src/model/printable-text.ts';
import type { TableName } from '../../src/model/table-name.ts';
import { systemModelTime } from '../../src/model/time.ts';
import { anyKey, anyMembers, bodyOf } from '../support/arbitrary-entity.ts';
import { ask, codeOf, messageOf } from '../support/control-plane.ts';
import { copyBetween, developmentCredential as credential } from '../support/copy-options.ts';
import { keepsData, serviceAt, startService } from '../support/service.ts';
import { openClient } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await startService();
const folder = temporaryFolder();
afterAll(() => folder.remove());

await service.createTable('asked');

/** The error code with which a request with this body is refused, or `taken` if it is accepted. */
async function byRequest(body: string): Promise<string> {
  const { status, body: text } = await service.send({ method: 'POST', path: '/asked', body });
  // If the same entity was drawn before, it exists already.
  if (status === 201 || status === 409) return 'taken';
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text;
}

const { load } = (await ask(service.origin, { path: '/_emulator/seed', body: {} })).json as { load: string };
const tablePath = `/_emulator/seed/${load}/tables/asked`;
await ask(service.origin, { method: 'PUT', path: tablePath, body: {} });

async function byLoad(body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const answer = await ask(service.origin, { path: tablePath, headers, body });
  if (answer.status === 200 || codeOf(answer) === 'DuplicateEntity') return 'taken';
  expect(answer.status).toBe(400);
  return /^Line 1: ([A-Z]\w+): /.exec(messageOf(answer))?.[1] ?? 'unreadable';
}

/** By type: texts of values just inside and outside each limit. */
const edges: readonly (readonly [type: string, text: string])[] = [
  ...['0001-01-01', '0001-01-01T00:00:00Z', '1600-12-31T23:59:59.9999999Z', '1601-01-01T00:00:00Z'].map(dateTime),
  ...['1601-01-01T00:00:00+02:00', '1600-12-31T23:00:00-02:00', '9999-12-31T23:59:59.9999999Z'].map(dateTime),
  ...['9999-12-31T23:59:59-00:01', '2024-02-30T00:00:00Z', '2024-05'].map(dateTime),
  ...['x'.repeat(32_768), 'x'.repeat(32_769), '\u00e9'.repeat(32_768), '\u0000'].map(
    (text) => ['Edm.String', text] as const,
  ),
  ...[65_536, 65_537].map((bytes) => ['Edm.Binary', Buffer.alloc(bytes).toString('base64')] as const),
  ...['2147483647', '2147483648', '-2147483649', '1.5', ''].map((text) => ['Edm.Int32', text] as const),
  ...['9223372036854775807', '9223372036854775808'].map((text) => ['Edm.Int64', text] as const),
  ...['1e308', '1e309', 'NaN', '-Infinity', 'INF'].map((text) => ['Edm.Double', text] as const),
  ['Edm.Guid', '00000000-0000-0000-0000-000000000000'],
  ['Edm.Guid', 'g'.repeat(36)],
  ['Edm.Int16', '1'],
];

function dateTime(text: string): readonly [string, string] {
  return ['Edm.DateTime', text];
}

const edge = fc
  .constantFrom(...edges)
  .map(([type, text]) => `"edge@odata.type":"${type}","edge":${JSON.stringify(text)}`);
const manyNames = fc.constantFrom(252, 253).map((count) => {
  const names = Array.from({ length: count }, (_, at) => `"n${at}":${at}`);
  return names.join(',');
});
const large = fc.constantFrom(15, 16).map((count) => {
  const texts = Array.from({ length: count }, (_, at) => `"t${at}":"${'x'.repeat(32_700)}"`);
  return texts.join(',');
});
const name = fc
  .constantFrom('n'.repeat(255), 'n'.repeat(256), 'a-b', '1st', '\u00e9t\u00e9', '', 'ETag')
  .map((text) => `${JSON.stringify(text)}:1`);
const keys = fc
  .constantFrom('k'.repeat(1024), 'k'.repeat(1025), 'a/b', 'a\\b', 'a#b', 'a?b', 'a\tb', 'a\u0085b', '', '\ud800')
  .map((key) => `{"PartitionKey":"p","RowKey":${JSON.stringify(key)}}`);
const wrong = fc.oneof(edge, edge, edge, manyNames, large, name);
const body = fc.oneof(
  keys,
  fc.tuple(anyKey, anyMembers).map(([key, members]) => bodyOf(members, key)),
  fc.tuple(anyKey, anyMembers, wrong).map(([key, members, more]) => `${bodyOf(members, key).slice(0, -1)},${more}}`),
);

describe('A request and a load accept the same entities', () => {
  it('of any kind, and refuse the others with the same code', async () => {
    const verdicts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(body, async (one) => {
        const verdict = await byRequest(one);
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        const loaded = await byLoad(one);
        // A file reports a value that does not fit its type in a sentence, without a code.
        if (loaded === 'unreadable') expect(verdict).toMatch(/^[A-Z]/);
        else expect(loaded).toBe(verdict);
      }),
      { numRuns: 400 },
    );
    for (const verdict of ['taken', 'OutOfRangeInput', 'PropertyValueTooLarge'])
      expect([...verdicts.keys()]).toContain(verdict);
  });

  it.each(edges.map(([type, text]) => [type, cutMiddle(text, 40), text] as const))(
    'of %s with %j, also as a cell of CSV',
    async (type, _, text) => {
      const quoted = JSON.stringify(text);
      const verdict = await byRequest(`{"PartitionKey":"edge","RowKey":"r","v@odata.type":"${type}","v":${quoted}}`);
      const path = join(folder.path, 'Cells.csv');
      writeFileSync(path, `PartitionKey,RowKey,v,v@type\r\np,r,"${text}",${type}\r\n`);
      const emulator = await startEmulator();
      const outcome = await emulator.seed(path).then(
        () => 'taken',
        ({ message }: Error) => message,
      );
      await emulator.close();
      if (verdict === 'taken') expect(outcome).toBe('taken');
      else expect(outcome).toMatch(/Cells\.csv:2: /);
      if (/^OutOfRange|TooLarge/.test(verdict)) expect(outcome).toContain(`Cells.csv:2: ${verdict}: `);
    },
  );
});

/** An entity that only an earlier version can have stored: no request could write its DateTime now. */
const early = '{"PartitionKey":"p","RowKey":"early","When@odata.type":"Edm.DateTime","When":"0001-01-01T00:00:00Z"}';
const late = '{"PartitionKey":"p","RowKey":"late","When@odata.type":"Edm.DateTime","When":"2024-05-01T10:00:00Z"}';

async function storeEarly(location: string): Promise<void> {
  const store = await defaultEmulatorSettings.openStore({
    ...defaultEmulatorSettings,
    modelTime: systemModelTime,
    location,
  });
  const seed = await store.account('devstoreaccount1').beginLoad();
  await seed.addTable({ name: 'Old' as TableName });
  const propertiesOf = (line: string): string => line.slice(line.indexOf('"When@'), -1);
  await seed.addEntities('Old' as TableName, [
    { partitionKey: 'p', rowKey: 'early', properties: propertiesOf(early) },
    { partitionKey: 'p', rowKey: 'late', properties: propertiesOf(late) },
  ]);
  expect(await seed.finish()).toMatchObject({ kind: 'finished' });
  await store.close();
}

describe.runIf(keepsData)('A stored entity with a DateTime before 1601', async () => {
  const location = join(folder.path, 'store');
  mkdirSync(location);
  await storeEarly(location);
  const emulator = await startEmulator({ location });
  const old = serviceAt(emulator.url, () => emulator.close());

  it('is read, and so is the rest of its table', async () => {
    const read = await old.get("/Old(PartitionKey='p',RowKey='early')");
    expect([read.status, read.body]).toEqual([200, expect.stringContaining('"0001-01-01T00:00:00Z"')]);
    expect((await old.get('/Old()')).body).toContain('"late"');
  });

  it.each(['ndjson', 'json', 'csv'] as const)(
    'is exported as %s, also over an earlier export, and refused by seed',
    async (format) => {
      const out = join(folder.path, format);
      for (const _ of [1, 2]) {
        expect(await emulator.export(out, { format })).toMatchObject({ tables: [{ name: 'Old', entities: 2 }] });
      }
      const text = readFileSync(join(out, `Old.${format}`), 'utf8');
      expect(text).toContain('0001-01-01T00:00:00Z');
      if (format === 'ndjson') expect(text).toBe(`${early}\n${late}\n`);
      await expect(emulator.seed(out)).rejects.toThrow(
        new RegExp(`Old\\.${format}:\\d: OutOfRangeInput: "When" is before 1601-01-01`),
      );
      expect((await old.get('/Old()')).body).toContain('"early"');
    },
  );

  it('is left out of a copy, which names it', async () => {
    const options = copyBetween({ url: old.base, credential }, { url: service.base, credential }, ['Old']);
    expect(await copyAccount(options)).toMatchObject([{ entities: 2, refused: 1 }]);
    expect(options.tally.refusals).toMatchObject([{ key: { rowKey: 'early' }, code: 'OutOfRangeInput' }]);
  });
});

describe('A file of Azurite', () => {
  it('is imported without an entity with a DateTime before 1601, which is named', async () => {
    const entities = ['0001-01-01T00:00:00Z', '2024-05-01T10:00:00Z'].map((when, at) => ({
      PartitionKey: 'p',
      RowKey: `r${at}`,
      properties: { 'When@odata.type': 'Edm.DateTime', When: when, ETag: 'W/"of the user"' },
    }));
    const collections = [
      { name: '$TABLES_COLLECTION$', data: [{ account: 'one', table: 'Old' }] },
      { name: 'one$Old', data: entities },
    ];
    const path = join(folder.path, '__azurite_db_table__.json');
    writeFileSync(path, JSON.stringify({ collections }));
    const added: FileEntity[] = [];
    const target: SeedTarget = {
      addTable: async () => undefined,
      addEntities: async (_, some) => void added.push(...some),
      finish: async () => undefined,
      abandon: async () => undefined,
    };
    const { leftOut } = await importAzurite(path, { open: async () => target });
    expect(leftOut).toEqual([expect.stringMatching(/RowKey "r0": OutOfRangeInput: "When" is before 1601-01-01/)]);
    expect(added.map(({ rowKey }) => rowKey)).toEqual(['r1']);
    expect(added[0]?.properties).toContain('"ETag":"W/\\"of the user\\""');
  });
});

describe('A property with the name and the form of an ETag', () => {
  const lines = ['W/"1"', 'W/', 'W/"datetime\'2024-05-01T10%3A00%3A00Z\'"', 'x","ETag":"W/"y"'].map((etag, at) => ({
    PartitionKey: 'p',
    RowKey: String(at),
    ETag: etag,
    other: '"ETag":"W/"',
  }));

  it.each(['ndjson', 'json', 'csv'] as const)('is there after export and seed of %s', async (format) => {
    const emulator = await startEmulator();
    const client = openClient(emulator.url);
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Tagged"}' });
    for (const line of lines) await client.send({ method: 'POST', path: '/Tagged', body: JSON.stringify(line) });
    const rows = async (): Promise<unknown> => {
      const { body } = await client.send({
        method: 'GET',
        path: '/Tagged()',
        headers: { Accept: 'application/json;odata=nometadata' },
      });
      const { value } = JSON.parse(body) as { value: Record<string, unknown>[] };
      return value.map(({ Timestamp: _, ...row }) => row);
    };
    const out = join(folder.path, `tagged-${format}`);
    await emulator.export(out, { format });
    await emulator.reset();
    await emulator.seed(out);
    expect(await rows()).toEqual(lines);
    await client.close();
    await emulator.close();
  });
});
