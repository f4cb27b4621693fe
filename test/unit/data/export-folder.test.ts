import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type ExportSource, exportTables } from '../../../src/data/export.ts';
import { fileFormats } from '../../../src/data/file-names.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The id of a user without the rights of root. */
const nobody = 65_534;
const root = temporaryFolder();
afterAll(() => root.remove());
let folders = 0;

function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root.path, String(folders++));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The names in a folder with the contents of files and the targets of links. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return [name, `link to ${readlinkSync(path)}`];
      return [name, stats.isFile() ? readFileSync(path, 'utf8') : 'no file'];
    }),
  );

const line = (key: string): string => `{"PartitionKey":"p","RowKey":"${key}","Age":5}`;
const policy = { id: 'a', permission: 'r' };

type Rows = Readonly<Record<string, readonly string[]>>;

/** A source of tables in memory. Each table has these policies. */
function sourceOf(tables: Rows, policies: ExportSource['tables'][number]['policies'] = []): ExportSource {
  return {
    tables: Object.keys(tables).map((name) => ({ name, policies })),
    async *lines(table) {
      for (const one of tables[table] ?? []) yield [one];
    },
    close: async () => undefined,
  };
}

const pets = { Pets: [line('a'), line('b')] };
const petsText = `${line('a')}\n${line('b')}\n`;

/** Files of other programs that have names like table files. */
const foreign = {
  'package.json': '{"name":"app","files":["dist"],"value":[]}',
  'tsconfig.json': '// comment\n{"compilerOptions":{"lib":["es2024"]}}',
  'budget.csv': 'month,amount\njan,5\n',
  'events.ndjson': '{"at":1}\n',
  'todo.json': '[]',
  'list.json': '[{"PartitionKey":"p"}]',
  'numbers.json': '[1,2]',
  'latin.csv': 'PartitionKey,RowKey\n',
  'broken.ndjson': '{"PartitionKey":"p","RowKey":"r"',
  'a-b.ndjson': line('a'),
  'Gone.jsonl': line('a'),
  'Gone.typed.csv': 'PartitionKey,RowKey\np,r\n',
  'Lost.NDJSON': line('a'),
};
const gone = {
  'Gone.ndjson': `${line('a')}\n`,
  'Lost.csv': 'PartitionKey,RowKey,Age,Age@type\r\np,a,5,Edm.Int32\r\n',
  'Past.json': `[\n${line('a')}\n]\n`,
  'Early.json': '[{"PartitionKey":"p","RowKey":"r","t@odata.type":"Edm.DateTime","t":"0001-01-01T00:00:00Z"}]',
  'Empty.ndjson': '',
  'Pets.csv': 'PartitionKey,RowKey\r\np,a\r\n',
};

describe('An export that cleans its folder', () => {
  it('removes exactly the files that exports wrote for tables that no longer exist, and names them', async () => {
    const folder = folderOf({ ...foreign, ...gone });
    const outside = folderOf({ 'Linked.ndjson': line('a') });
    symlinkSync(join(outside, 'Linked.ndjson'), join(folder, 'Linked.ndjson'));
    symlinkSync(join(folder, 'absent'), join(folder, 'Dangling.ndjson'));
    symlinkSync(outside, join(folder, 'Folder.csv'));
    mkdirSync(join(folder, 'Sub.json'));
    makeNamedPipe(join(folder, 'Pipe.ndjson'));
    const before = contentsOf(folder);
    const { removed, obsolete } = await exportTables(sourceOf(pets), folder, { format: 'ndjson', isClean: true });
    expect(removed?.toSorted()).toEqual(
      Object.keys(gone)
        .map((name) => join(folder, name))
        .toSorted(),
    );
    const rest = Object.entries(before).filter(([name]) => !Object.hasOwn(gone, name));
    expect(contentsOf(folder)).toEqual({ ...Object.fromEntries(rest), 'Pets.ndjson': petsText });
    expect(obsolete).toEqual(
      expect.arrayContaining(['package.json', 'Linked.ndjson'].map((name) => join(folder, name))),
    );
    expect(contentsOf(outside)).toEqual({ 'Linked.ndjson': line('a') });
  });

  it('never removes or changes files of other programs, whatever their names and contents', async () => {
    const table = fc.constantFrom(
      'Pets',
      'pets',
      'Gone',
      'tables',
      'Tables',
      'package',
      'ab',
      '..',
      '.Gone',
      'x'.repeat(64),
    );
    const ending = fc.constantFrom('.ndjson', '.json', '.csv', '.jsonl', '.typed.csv', '.JSON', '.part', '');
    const contents = fc.oneof(
      fc.constantFrom(...Object.values(foreign), ...Object.values(gone), petsText, '{}', '{"Gone":[{"id":"a"}]}'),
      fc.string({ maxLength: 40 }),
    );
    const names = fc
      .tuple(table, ending)
      .map(([one, two]) => one + two)
      .filter((name) => name !== '..');
    const files = fc.dictionary(names, contents, { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom(...fileFormats), fc.boolean(), async (some, format, hasPolicies) => {
        const folder = folderOf(some);
        const source = sourceOf(pets, hasPolicies ? [policy] : []);
        const exported = await exportTables(source, folder, { format, isClean: true }).catch((error: Error) => error);
        const after = contentsOf(folder);
        if (exported instanceof Error) {
          expect(exported.message).toMatch(/was not written by an export/);
          expect(after).toEqual(some);
          return;
        }
        const removed = (exported.removed ?? []).map((path) => path.slice(folder.length + 1));
        for (const [name, text] of Object.entries(some)) {
          if (removed.includes(name)) {
            expect(name).toMatch(/^(?!tables)[A-Za-z][A-Za-z0-9]{2,62}\.(?:ndjson|json|csv)$/);
            expect(text).toMatch(/^$|PartitionKey.*RowKey/);
          } else if (name !== `Pets.${format}` && name !== 'tables.json') expect(after[name]).toBe(text);
        }
        const written = [`Pets.${format}`, 'tables.json'];
        const others = Object.keys(after).filter((name) => !written.includes(name) && !Object.hasOwn(some, name));
        expect(others).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps files that were written since it began', async () => {
    const folder = folderOf({ 'Gone.ndjson': line('a') });
    await nextTick(folder);
    const source = sourceOf(pets);
    const slow: ExportSource = {
      ...source,
      async *lines(table) {
        await nextTick(folder);
        writeFileSync(join(folder, 'Late.ndjson'), line('a'));
        yield* source.lines(table);
      },
    };
    const { removed, obsolete } = await exportTables(slow, folder, { format: 'ndjson', isClean: true });
    expect(removed).toEqual([join(folder, 'Gone.ndjson')]);
    expect(obsolete).toEqual([join(folder, 'Late.ndjson')]);
  });

  it('is complete even if it may not read a file, which it keeps and names', async () => {
    const folder = folderOf({ 'Cats.ndjson': petsText, 'Dogs.ndjson': petsText });
    chmodSync(join(folder, 'Cats.ndjson'), 0);
    const isSuperuser = process.getuid?.() === 0;
    if (isSuperuser) {
      chmodSync(root.path, 0o755);
      chownSync(folder, nobody, nobody);
      process.seteuid?.(nobody);
    }
    try {
      const { obsolete, removed } = await exportTables(sourceOf(pets), folder, { format: 'ndjson', isClean: true });
      expect({ obsolete, removed }).toEqual({
        obsolete: [join(folder, 'Cats.ndjson')],
        removed: [join(folder, 'Dogs.ndjson')],
      });
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
    expect(readdirSync(folder)).toEqual(['Cats.ndjson', 'Pets.ndjson']);
  });
});

/** Waits until the clock of the file system, which moves every few milliseconds, has moved. */
async function nextTick(folder: string): Promise<void> {
  const probe = join(folder, 'probe');
  const now = (): bigint => {
    writeFileSync(probe, '');
    return lstatSync(probe, { bigint: true }).ctimeNs;
  };
  const start = now();
  await expect.poll(() => now() > start).toBe(true);
}

describe('An export', () => {
  it.each(fileFormats)(
    'replaces files of exports, even of empty tables, and files that begin with an entity: %s',
    async (format) => {
      const folder = folderOf();
      const tables = {
        Empty: [],
        Old: ['{"PartitionKey":"p","RowKey":"r","t@odata.type":"Edm.DateTime","t":"0001-01-01T00:00:00Z"}'],
        ...pets,
      };
      await exportTables(sourceOf(tables, [policy]), folder, { format });
      const first = contentsOf(folder);
      await exportTables(sourceOf(tables, [policy]), folder, { format });
      expect(contentsOf(folder)).toEqual(first);
      expect(Object.keys(first)).toHaveLength(4);
    },
  );

  it.each([
    ['package', 'json', 'package.json'],
    ['budget', 'csv', 'budget.csv'],
    ['events', 'ndjson', 'events.ndjson'],
    ['tsconfig', 'json', 'tsconfig.json'],
  ] as const)('of a table %s does not replace the file of another program: %s', async (table, format, name) => {
    const folder = folderOf({ ...foreign, 'Pets.ndjson': 'old' });
    const before = contentsOf(folder);
    await expect(exportTables(sourceOf({ [table]: [line('a')] }), folder, { format })).rejects.toThrow(
      `${join(folder, name)} was not written by an export`,
    );
    expect(contentsOf(folder)).toEqual(before);
  });

  it('does not replace a link, and does not write through one', async () => {
    const folder = folderOf();
    const outside = folderOf({ 'kept.ndjson': petsText });
    for (const to of ['kept.ndjson', 'absent']) {
      const other = folderOf();
      symlinkSync(join(outside, to), join(other, 'Pets.ndjson'));
      await expect(exportTables(sourceOf(pets), other, { format: 'ndjson' })).rejects.toThrow(
        /was not written by an export/,
      );
      expect(contentsOf(other)).toEqual({ 'Pets.ndjson': `link to ${join(outside, to)}` });
    }
    symlinkSync(join(folder, 'absent'), join(folder, 'Dangling.csv'));
    expect(await exportTables(sourceOf(pets), folder, { format: 'ndjson' })).toMatchObject({
      tables: [{ entities: 2 }],
    });
    expect(contentsOf(outside)).toEqual({ 'kept.ndjson': petsText });
  });

  it.each(['{"rows":[1]}', '{"columns":{}}', '[]', 'no JSON', ''])(
    'keeps a tables.json with %j, and ends before it writes if there are access policies to write',
    async (text) => {
      const folder = folderOf({ 'tables.json': text });
      await exportTables(sourceOf(pets), folder, { format: 'ndjson' });
      const before = { 'tables.json': text, 'Pets.ndjson': petsText };
      expect(contentsOf(folder)).toEqual(before);
      const other = sourceOf({ Pets: [line('c')] }, [policy]);
      await expect(exportTables(other, folder, { format: 'ndjson' })).rejects.toThrow(
        /tables\.json was not written by an export/,
      );
      expect(contentsOf(folder)).toEqual(before);
    },
  );

  it('of some tables keeps the access policies of the others', async () => {
    const folder = folderOf();
    const policiesIn = (): unknown => JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8'));
    const all = { Pets: [line('a')], plants: [line('a')], Zoo: [line('a')] };
    await exportTables(sourceOf(all, [policy]), folder, { format: 'ndjson' });
    const text = readFileSync(join(folder, 'tables.json'), 'utf8');
    await exportTables(sourceOf(all, [policy]), folder, { format: 'ndjson', tables: ['Pets'] });
    expect(readFileSync(join(folder, 'tables.json'), 'utf8')).toBe(text);
    await exportTables(sourceOf(all), folder, { format: 'ndjson', tables: ['zoo'] });
    expect(policiesIn()).toEqual({ Pets: [policy], plants: [policy] });
    await exportTables(sourceOf({ plants: [] }, [policy]), folder, { format: 'ndjson', isClean: true });
    expect(policiesIn()).toEqual({ plants: [policy] });
    await exportTables(sourceOf({ plants: [] }), folder, { format: 'ndjson' });
    expect(readFileSync(join(folder, 'tables.json'), 'utf8')).toBe('{}\n');
  });

  it.each(['../Pets', '/Pets', 'a/b', 'Pets\0', '..', 'tables', ''])(
    'refuses a table named %j, which no emulator can have',
    async (name) => {
      const folder = folderOf();
      await expect(exportTables(sourceOf({ [name]: [line('a')] }), folder, { format: 'ndjson' })).rejects.toThrow(
        /is not the name of a table/,
      );
      expect(contentsOf(folder)).toEqual({});
    },
  );
});

describe('Exports at the same time into one folder', () => {
  it('all succeed, and each file is completely from one of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...fileFormats), { minLength: 2, maxLength: 8 }), async (formats) => {
        const folder = folderOf();
        const tables = { Pets: Array.from({ length: 300 }, (_, at) => line(String(at))), Zoo: [line('z')] };
        const run = (format: (typeof fileFormats)[number]) =>
          exportTables(sourceOf(tables, [policy]), folder, { format, isClean: true });
        const outcomes = await Promise.allSettled(formats.map(run));
        for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'fulfilled' });
        const files = contentsOf(folder);
        for (const format of new Set(formats)) {
          const alone = folderOf();
          await exportTables(sourceOf(tables, [policy]), alone, { format });
          for (const [name, text] of Object.entries(contentsOf(alone)))
            if (name in files) expect(files[name]).toBe(text);
        }
        const last = Object.keys(files).filter((name) => name.startsWith('Pets.'));
        expect(last.length).toBeGreaterThan(0);
        expect(Object.keys(files).filter((name) => name.startsWith('.'))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('An export that fails', () => {
  it('at any point does not change any file, and leaves nothing else', async () => {
    const before = { ...gone, ...foreign, 'Pets.ndjson': petsText, 'Pets.json': '[]', 'tables.json': '{}\n' };
    const place = fc.nat(10);
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...fileFormats), fc.boolean(), async (at, format, isAborted) => {
        const folder = folderOf(before);
        const abort = new AbortController();
        const source = sourceOf({
          Pets: Array.from({ length: 5 }, (_, row) => line(String(row))),
          Zoo: pets.Pets,
          Ape: pets.Pets,
        });
        let count = 0;
        const failing: ExportSource = {
          ...source,
          async *lines(table) {
            for await (const lines of source.lines(table)) {
              if (count++ === at) {
                if (!isAborted) throw new Error('the source fails');
                abort.abort(new Error('the user interrupts'));
              }
              yield lines;
            }
          },
        };
        const options = { format, isClean: true, signal: abort.signal };
        const failed = exportTables(failing, folder, options);
        if (at >= 9) return void (await failed);
        await expect(failed).rejects.toThrow(isAborted ? 'the user interrupts' : 'the source fails');
        expect(contentsOf(folder)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('because another program has made a file with one of its names keeps that file and all others', async () => {
    const folder = folderOf();
    const source = sourceOf({ Aaa: [line('a')], ...pets });
    const late: ExportSource = {
      ...source,
      async *lines(table) {
        if (table === 'Pets') writeFileSync(join(folder, 'Aaa.ndjson'), 'mine');
        yield* source.lines(table);
      },
    };
    await expect(exportTables(late, folder, { format: 'ndjson' })).rejects.toThrow(
      /Aaa\.ndjson was not written by an export/,
    );
    expect(contentsOf(folder)).toEqual({ 'Aaa.ndjson': 'mine' });
  });
});

describe('Drafts of other exports', () => {
  it('are removed if their process has ended or they are old, and kept if that is not certain', async () => {
    const ended = spawnSync(process.execPath, ['--version']).pid;
    const token = '0123456789abcdef';
    const other = '00000000';
    const stay = [
      `.Pets.csv.${process.pid}.part`,
      `.Pets.csv.${ended}.${other}-${token}.part`,
      `.film.${ended}.part`,
      `.Pets.ndjson.backup.${ended}.part`,
    ];
    const old = [
      `.Pets.csv.${ended}.${other}-${token.replace('0', '1')}.part`,
      `.Zoo.json.${process.pid}.${other}-${token}.part`,
    ];
    const leave = [`.Pets.csv.${ended}.part`, `.Pets.csv.${ended}.part.rows`, ...old];
    const folder = folderOf(Object.fromEntries([...stay, ...leave].map((name) => [name, ''])));
    for (const name of old) utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
    await exportTables(sourceOf(pets), folder, { format: 'ndjson' });
    expect(readdirSync(folder).toSorted()).toEqual([...stay, 'Pets.ndjson'].toSorted());
  });
});
