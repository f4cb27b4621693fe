import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, hasPostgres } from '../../support/postgres.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { readStart } from './read-start.ts';

const start = ['start', '--tablePort', '0'];

async function run(args: readonly string[], store?: string): Promise<CommandResult> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return runCommand(args, { cwd: folder.path, env: store === undefined ? {} : { TANZANITE_STORE: store } });
}

/** The standard error of a refused command: one line, with exit code 2, and without a password. */
async function refusal(args: readonly string[], store?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, store);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
  expect(stderr).not.toContain('hush');
  return stderr.slice('tanzanite: '.length, -1);
}

async function database(): Promise<string> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return url;
}

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return (await client.query(text)).rows;
}

const schemas = "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema'";

const titleOf = (url: string): string => new URL(url).host + new URL(url).pathname;

const withPart = (url: string, part: 'password' | 'pathname', value: string): string => {
  const changed = new URL(url);
  changed[part] = value;
  return changed.href;
};

describe('The address of a database is refused', () => {
  it.each([
    ['mysql://db/tables', 'TANZANITE_STORE must be the address of a PostgreSQL database'],
    ['postgres://', 'TANZANITE_STORE must be the address of a PostgreSQL database'],
    ['postgres://me:hush@db:port/tables', 'The address of the database cannot be read'],
    ['postgres://db/tables?schema=No-Schema', 'A schema is lower-case letters, digits and _'],
    ['postgres://me:hush@db/tables?sslmode=prefer', 'sslmode is one of disable, require, verify-ca, verify-full.'],
    ['postgres://me:hush@db/tables?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
    ['postgres://me:hush@127.0.0.1:1/tables', 'The database 127.0.0.1:1/tables cannot be used: connect ECONNREFUSED'],
  ])('by start and by store: %s', async (store, reason) => {
    for (const args of [start, ['store', 'check'], ['store', 'migrate']]) {
      expect(await refusal(args, store)).toContain(reason);
    }
  });

  it('together with another place for the data, and if a setting needs it and it is missing', async () => {
    const store = 'postgres://me:hush@db/tables';
    expect(await refusal([...start, '--store', store, '--location', 'data'])).toBe(
      '--store and --location contradict each other. Give one of them.',
    );
    expect(await refusal([...start, '--in-memory-persistence'], store)).toBe(
      'TANZANITE_STORE and --inMemoryPersistence contradict each other. Give one of them.',
    );
    expect(await refusal([...start, '--store-secondary', store])).toBe('--store-secondary needs a --store as well.');
    expect(await refusal(['store', 'check'])).toBe('Name the database with --store or TANZANITE_STORE.');
  });
});

describe.runIf(hasPostgres)('A database is refused, and stays unchanged,', () => {
  it('if the password is wrong, or if the database does not exist', async () => {
    const url = await database();
    for (const args of [start, ['store', 'check']]) {
      expect(await refusal(args, withPart(url, 'password', 'hush'))).toMatch(/refuses the password\. Check the user/);
      expect(await refusal(args, withPart(url, 'pathname', '/nowhere'))).toMatch(
        /nowhere does not exist\. Create it with createdb, or correct the address\.$/,
      );
    }
  });

  it('if it was made by a newer version', async () => {
    const url = await database();
    expect(await run(['store', 'migrate'], url)).toMatchObject({ code: 0, stdout: 'made the schema, version 2\n' });
    await query(url, 'UPDATE tanzanite.meta SET version = 1000');
    for (const args of [start, ['store', 'check'], ['store', 'migrate']]) {
      expect(await refusal(args, url)).toBe(
        `The schema tanzanite of the database ${titleOf(url)} has version 1000, but this tanzanite knows up to version 2. ` +
          'Update tanzanite, or choose another schema with ?schema=NAME. Nothing was changed.',
      );
    }
    expect(await query(url, 'SELECT version FROM tanzanite.meta')).toEqual([{ version: 1000 }]);
  });

  it('if its schema belongs to another program', async () => {
    const url = await database();
    await query(url, 'CREATE SCHEMA tanzanite; CREATE TABLE tanzanite.entities (theirs text)');
    const before = await query(url, 'SELECT relname FROM pg_class ORDER BY relname');
    for (const args of [start, ['store', 'check'], ['store', 'migrate']]) {
      expect(await refusal(args, url)).toBe(
        `The schema tanzanite of the database ${titleOf(url)} is not Tanzanite's. ` +
          'Choose another with ?schema=NAME. Nothing was changed.',
      );
    }
    expect(await query(url, 'SELECT relname FROM pg_class ORDER BY relname')).toEqual(before);
  });
});

describe.runIf(hasPostgres)('tanzanite store', () => {
  it('check changes nothing', async () => {
    const url = await database();
    const { code, stdout } = await run(['store', 'check'], url);
    expect([code, stdout]).toEqual([
      0,
      'the database has no schema yet; the first start or tanzanite store migrate creates it\n',
    ]);
    expect(await query(url, schemas)).toEqual([{ nspname: 'public' }]);
  });

  it('migrate makes the schema once, and check describes it', async () => {
    const url = await database();
    const migrate = ['store', 'migrate', '--store', url];
    expect(await run([...migrate, '--json'])).toMatchObject({ code: 0, stdout: '{"from":0,"to":2}\n' });
    expect(await run(migrate)).toMatchObject({ code: 0, stdout: 'the schema has version 2 already\n' });
    expect(await run(['store', 'check', '--store', url])).toMatchObject({
      code: 0,
      stdout: 'the schema has version 2, with 0 accounts\n',
    });
  });

  it('refuses to distribute without Citus', async () => {
    const url = await database();
    expect(await refusal(['store', 'migrate', '--distributed', '--store', url])).toMatch(/Citus/i);
  });
});

describe.runIf(hasPostgres)('A start over a database', () => {
  it('says in its log and in its health where the data is, without the password', async () => {
    const url = await database();
    const { server, origin } = await startBuiltCommand([...start, '--log-format', 'json'], {
      env: { TANZANITE_STORE: url },
    });
    const health = await (await fetch(`${origin}/_emulator/health`)).json();
    await server.end('SIGTERM');
    const shown = withPart(url, 'password', '***');
    expect(health).toMatchObject({ location: shown });
    expect(server.stdout).toContain(shown);
    expect(server.stdout + server.stderr).not.toContain(new URL(url).password);
  });
});

describe('A start over a database notes settings without effect', () => {
  it.each([
    [['--durability', 'power'], '--durability has no effect with --store; the settings of the database decide that.'],
    [
      ['--store-secondary', 'postgres://db/tables', '--replica-lag', '5'],
      '--replica-lag has no effect with --store-secondary.',
    ],
    [['--silent'], undefined],
  ])('%j', async (words, line) => {
    const { notices, options } = await readStart('--store', 'postgres://db/tables', ...words);
    expect(notices).toEqual(line === undefined ? [] : [line]);
    expect(options.settings).toMatchObject({ store: 'postgres://db/tables' });
    expect(options.settings).not.toHaveProperty('location');
  });
});
