import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importAzurite } from '../../../src/data/azurite-import.ts';
import { type FileEntity, fileLine } from '../../../src/data/file-entity.ts';
import { FileFault } from '../../../src/data/file-fault.ts';
import type { SeedTarget } from '../../../src/data/seed.ts';
import { unsafe } from '../../../src/model/printable-text.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { Random } from '../../support/random.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testSeed as seed } from '../../support/test-seed.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const fileName = '__azurite_db_table__.json';
const path = join(folder.path, fileName);

const account = 'first';
const entity = (rowKey: string, properties: object = {}) => ({ PartitionKey: 'p', RowKey: rowKey, properties });

interface Collection {
  readonly name: unknown;
  readonly data: unknown;
}

const collectionOf = (name: string, data: unknown): Collection => ({ name: `${account}$${name}`, data });
const fileOf = (tables: readonly unknown[], ...collections: readonly Collection[]) => ({
  collections: [{ name: '$TABLES_COLLECTION$', data: tables }, ...collections],
});
const pets = { account, table: 'Pets' };
const fileOfPets = (...documents: readonly unknown[]) => fileOf([pets], collectionOf('Pets', documents));

/** A target that refuses what the control plane would refuse. */
class Target {
  readonly finished = new Map<string, readonly string[]>();
  /** The highest number of targets that were open at the same time. */
  openMost = 0;
  bytesMost = 0;
  #open = 0;

  readonly open = async (name: string): Promise<SeedTarget> => {
    const tables = new Map<string, FileEntity[]>();
    this.#open += 1;
    this.openMost = Math.max(this.openMost, this.#open);
    const end = async (): Promise<void> => {
      this.#open -= 1;
    };
    return {
      addTable: async (table) => void tables.set(table, []),
      addEntities: async (table, entities) => {
        const rows = tables.get(table) ?? [];
        this.bytesMost = Math.max(this.bytesMost, entities.map(fileLine).join('\n').length);
        const keyOf = (one: FileEntity): string => JSON.stringify([one.partitionKey, one.rowKey]);
        for (const [at, one] of entities.entries()) {
          if (rows.some((other) => keyOf(other) === keyOf(one))) return at;
          rows.push(one);
        }
        return undefined;
      },
      finish: async () => {
        for (const [table, { length }] of tables) this.finished.set(`${name}/${table}`, [`${length}`]);
        await end();
      },
      abandon: end,
    };
  };

  get tables(): object {
    return Object.fromEntries([...this.finished].map(([table, [count]]) => [table, Number(count)]));
  }
}

async function importFile(content: object | string | Buffer, given = path) {
  const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  writeFileSync(path, text);
  const target = new Target();
  try {
    const { leftOut } = await importAzurite(given, { open: target.open });
    return { tables: target.tables, leftOut, target };
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    return { fault: error.message.replaceAll(folder.path, '…'), tables: target.tables };
  } finally {
    expect(readFileSync(path).equals(Buffer.from(text))).toBe(true);
  }
}

describe('a file of Azurite that is damaged', () => {
  it.each<[string, unknown, object, string[]]>([
    [
      'a table twice, in another case',
      fileOf([pets, { account, table: 'pets' }], collectionOf('Pets', [entity('1')]), collectionOf('pets', [])),
      { 'first/Pets': 1 },
      ['account first, table pets: occurs twice'],
    ],
    [
      'a table without its entities, which would empty an existing table',
      fileOf([pets]),
      {},
      ['account first, table Pets: the file has no list of its entities'],
    ],
    [
      'entities without their table',
      fileOf([], collectionOf('Pets', [entity('1'), entity('2')])),
      {},
      ['collection "first$Pets": 2 documents of a table that the file does not name'],
    ],
    [
      'entities in two places',
      fileOf([pets], collectionOf('Pets', [entity('1')]), collectionOf('Pets', [entity('2'), entity('1')])),
      { 'first/Pets': 2 },
      ['account first, table Pets: PartitionKey "p" and RowKey "1": occurs twice'],
    ],
    [
      'names that are not texts',
      fileOf([{ account, table: { toString: 1, valueOf: 1 } }, { table: 'Pets' }, null, 5]),
      {},
      Array.from({ length: 4 }, () => 'a table whose account or name is not a text'),
    ],
    [
      'keys that are not texts',
      fileOfPets({ ...entity('1'), PartitionKey: { toString: 1 } }, { properties: {} }, 5, null),
      { 'first/Pets': 0 },
      [
        'account first, table Pets: PartitionKey an object and RowKey "1": PartitionKey is missing',
        'account first, table Pets: PartitionKey undefined and RowKey undefined: PartitionKey is missing',
        'account first, table Pets: PartitionKey undefined and RowKey undefined: has no properties',
        'account first, table Pets: PartitionKey undefined and RowKey undefined: has no properties',
      ],
    ],
  ])('%s is named', async (_, file, tables, leftOut) => {
    expect(await importFile(file as object)).toMatchObject({ tables, leftOut });
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'cannot be read: Unexpected end of JSON input'],
    ['half of it', JSON.stringify(fileOfPets(entity('1'))).slice(0, -9), 'cannot be read: '],
    ['another program of it', '{"collections":{}}', 'is not a table file of Azurite'],
    ['brackets without end', '['.repeat(100_000), 'cannot be read: '],
    ['bytes that are not UTF-8', Buffer.from(JSON.stringify(fileOfPets(entity('é'))), 'latin1'), 'it is not UTF-8'],
  ])('%s is refused, and nothing is changed', async (_, content, reason) => {
    const { fault, tables } = await importFile(content);
    expect(fault).toContain(reason);
    expect(tables).toEqual({});
  });

  it('is imported without a value and a key that are nested too deeply, which are named', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const text = JSON.stringify(fileOfPets(entity('1', { value: 'deep' }), { ...entity('2'), PartitionKey: 'deep' }));
    const { leftOut } = await importFile(text.replaceAll('"deep"', deep));
    expect(leftOut).toEqual([
      expect.stringContaining('property "value" is "a list", which is not a value of any type'),
      expect.stringContaining('PartitionKey a list and RowKey "2"'),
    ]);
  });

  it('is read in spite of a byte order mark', async () => {
    expect(await importFile(`\ufeff${JSON.stringify(fileOfPets(entity('1')))}`)).toMatchObject({
      tables: { 'first/Pets': 1 },
      leftOut: [],
    });
  });

  it('is reported with long texts cut', async () => {
    const long = 'x'.repeat(100_000);
    const acl = [{ id: 'ok', accessPolicy: { [long]: 'bad' } }];
    const tables = [
      { account, table: long },
      { account: long, table: '-' },
      { ...pets, tableAcl: acl },
    ];
    const { leftOut = [] } = await importFile(
      fileOf(tables, collectionOf('Pets', [entity(long), entity('1', { [long]: [1] })])),
    );
    expect(leftOut).toHaveLength(5);
    for (const line of leftOut) expect(line.length).toBeLessThan(1_500);
  });

  it(`damaged anywhere, is refused without changes or imported as far as it can be read (seed ${seed})`, async () => {
    const random = new Random(seed);
    const documents = Array.from({ length: 20 }, (_, at) => entity(`${at}`, { text: 'ä', count: at, whole: true }));
    const acl = [{ id: 'reader', accessPolicy: { start: '2024-01-01T00:00:00Z', expiry: '', permission: 'r' } }];
    const whole = Buffer.from(JSON.stringify(fileOf([{ ...pets, tableAcl: acl }], collectionOf('Pets', documents))));
    const harms: readonly ((at: number) => Buffer)[] = [
      (at) => whole.subarray(0, at),
      (at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + random.integer(1, 40))]),
      (at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at >> 1)]),
      (at) => Buffer.from(whole.map((byte, index) => (index === at ? random.integer(0, 255) : byte))),
      (at) =>
        Buffer.from(
          whole.toString('latin1').replaceAll(/[\w$]+/g, (word, from) => (Math.abs(from - at) < 20 ? 'null' : word)),
          'latin1',
        ),
    ];
    for (let round = 0; round < 400; round++) {
      const harm = harms[round % harms.length] as (at: number) => Buffer;
      const { fault, tables, leftOut } = await importFile(harm(random.integer(0, whole.length - 1)));
      if (fault === undefined) expect(leftOut).toBeInstanceOf(Array);
      else expect(tables).toEqual({});
    }
  });
});

describe('a file of Azurite to import', () => {
  const refusalOf = (given: string) =>
    importAzurite(given, { open: new Target().open }).catch((error: unknown) => error);

  it('is not a named pipe, for which the import would wait', async () => {
    const pipe = join(folder.path, 'pipe');
    makeNamedPipe(pipe);
    const error = await refusalOf(pipe);
    expect(error).toBeInstanceOf(FileFault);
    expect((error as FileFault).message).toBe(`${pipe} cannot be read: it is not a file`);
  });

  it('is named if it is missing, a loop of links, or a folder', async () => {
    const loop = join(folder.path, 'loop');
    symlinkSync(loop, loop);
    const outer = join(folder.path, 'outer');
    mkdirSync(join(outer, fileName), { recursive: true });
    for (const given of [
      join(folder.path, 'nothing'),
      loop,
      outer,
      join(path, 'below'),
      `${folder.path}/${'x'.repeat(300)}`,
    ]) {
      const error = await refusalOf(given);
      expect(error).toBeInstanceOf(FileFault);
      expect((error as FileFault).message).toContain(' cannot be read: ');
    }
  });

  it('is refused if it is written during the import', async () => {
    writeFileSync(path, JSON.stringify(fileOfPets(...Array.from({ length: 50_000 }, (_, at) => entity(`${at}`)))));
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND);
    const target = new Target();
    const importing = importAzurite(path, { open: target.open });
    // Writes blanks, after which the text is still the same JSON.
    const write = (): void => {
      writeSync(descriptor, '  ');
      next = setImmediate(write);
    };
    let next = setImmediate(write);
    const error = await importing.catch((failure: unknown) => failure);
    clearImmediate(next);
    closeSync(descriptor);
    expect((error as Error).message).toContain('it was changed while it was read: stop Azurite first');
    expect(target.tables).toEqual({});
  });
});

describe('an import', () => {
  it('adds large entities in requests that the control plane accepts', async () => {
    const text = 'é'.repeat(32_000);
    const large = Array.from({ length: 40 }, (_, at) => entity(`${at}`, { a: text, b: text, c: text, d: text }));
    const { target, leftOut } = await importFile(fileOfPets(...large));
    expect(leftOut).toEqual([]);
    expect(target?.tables).toEqual({ 'first/Pets': 40 });
    expect(target?.bytesMost).toBeLessThan(4 * 1_048_576);
  });

  it('keeps one account open at a time, so that none expires while the others are filled', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `account${at}`);
    const tables = ['Pets', 'Plants'].flatMap((table) => names.map((name) => ({ account: name, table })));
    const collections = tables.map(({ account: name, table }) => ({ name: `${name}$${table}`, data: [entity('1')] }));
    const { target } = await importFile(fileOf(tables, ...collections));
    expect(target?.finished.size).toBe(60);
    expect(target?.openMost).toBe(1);
  });

  it('changes nothing if one of the accounts cannot be opened', async () => {
    const tables = ['first', 'second'].map((name) => ({ account: name, table: 'Pets' }));
    writeFileSync(
      path,
      JSON.stringify(fileOf(tables, ...tables.map(({ account: name }) => ({ name: `${name}$Pets`, data: [] })))),
    );
    const target = new Target();
    const open = async (name: string): Promise<SeedTarget> => {
      if (name === 'second') throw new Error('there is no account second');
      return target.open(name);
    };
    await expect(importAzurite(path, { open })).rejects.toThrow('there is no account second');
    expect(target.tables).toEqual({});
  });

  it('names hostile texts, which the command prints without characters that a terminal interprets', async () => {
    const { leftOut = [] } = await importFile(fileOf([{ account, table: '\u001b]0;x\u0007' }]));
    expect(leftOut).toHaveLength(1);
    expect(leftOut.join()).not.toMatch(unsafe);
  });
});
