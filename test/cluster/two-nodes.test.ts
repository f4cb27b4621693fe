// A change through one node is visible on the other, whichever part of the emulator makes it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyConnectionString } from '../../src/auth/connection-string.ts';
import { type Emulator, startEmulator } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { createDatabase, hasPostgres, type PostgresDatabase } from '../support/postgres.ts';
import { type CommandResult, runCommand } from '../support/run-command.ts';
import { entityPath } from '../support/service.ts';
import { developmentKey, openClient, type TableClient, type WireAnswer } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface TwoNodes {
  readonly database: PostgresDatabase;
  readonly emulators: readonly [Emulator, Emulator];
  readonly clients: readonly [TableClient, TableClient];
}

const folder = temporaryFolder();
const nodes = hasPostgres ? await startNodes() : undefined;
afterAll(async () => {
  await Promise.all([...(nodes?.clients ?? []), ...(nodes?.emulators ?? [])].map((one) => one.close()));
  await nodes?.database.drop();
  folder.remove();
});

/** Starts both nodes at the same time over an empty database, so that both create its schema. */
async function startNodes(): Promise<TwoNodes> {
  const database = await createDatabase();
  const start = () => startEmulator({ store: database.url, accounts: 'any' });
  const emulators = await Promise.all([start(), start()]);
  const clients = [openClient(emulators[0].url), openClient(emulators[1].url)] as const;
  return { database, emulators, clients };
}

describe.runIf(nodes)('Of two nodes over one database', () => {
  const { emulators, clients } = nodes as TwoNodes;
  const [first, second] = emulators;
  const [one, other] = clients;
  const env = { TANZANITE_URL: second?.url };

  const create = async (name: string): Promise<void> => {
    const { status } = await one.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) });
    expect(status).toBe(201);
  };
  const insert = (table: string, row: string, client = one): Promise<WireAnswer> =>
    client.send({
      method: 'POST',
      path: `/${table}`,
      body: JSON.stringify({ PartitionKey: 'p', RowKey: row, Age: 5 }),
    });
  const rowsAt = async (client: TableClient, table: string): Promise<readonly string[] | number> => {
    const { status, body } = await client.send({ method: 'GET', path: `/${table}()` });
    return status === 200 ? JSON.parse(body).value.map((found: { RowKey: string }) => found.RowKey) : status;
  };
  const run = async (...words: readonly string[]): Promise<CommandResult> => {
    const result = await runCommand(words, { cwd: folder.path, env });
    expect(result.code, result.stderr).toBe(0);
    return result;
  };

  it('each immediately sees the tables, entities and ETags that the other made', async () => {
    await create('Shared');
    for (let at = 0; at < 20; at++) {
      const [writer, reader] = at % 2 === 0 ? [one, other] : [other, one];
      const { header, status } = await insert('Shared', `r${at}`, writer);
      expect(status).toBe(201);
      const found = await reader.send({ method: 'GET', path: entityPath('Shared', 'p', `r${at}`) });
      expect([found.status, found.header('etag')]).toEqual([200, header('etag')]);
    }
    expect((await insert('Shared', 'r3')).status).toBe(409);
    await one.send({ method: 'DELETE', path: "/Tables('Shared')" });
    expect((await insert('Shared', 'late', other)).status).toBe(404);
  });

  it('only one of several writes with the same ETag is applied', async () => {
    await create('Contended');
    let etag = (await insert('Contended', 'r')).header('etag');
    for (let round = 0; round < 10; round++) {
      const headers = { 'If-Match': etag };
      const put = (client: TableClient, at: number): Promise<WireAnswer> =>
        client.send({ method: 'PUT', path: entityPath('Contended'), headers, body: JSON.stringify({ At: at }) });
      const answers = await Promise.all([0, 1, 2, 3].map((at) => put(at % 2 === 0 ? one : other, at)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 412, 412, 412]);
      etag = answers.find(({ status }) => status === 204)?.header('etag');
    }
  });

  it('a continuation token of one node is valid at the other', async () => {
    await create('Paged');
    for (let at = 0; at < 5; at++) await insert('Paged', `r${at}`);
    const rows: string[] = [];
    let query = '?$top=1';
    for (let at = 0; at < 5; at++) {
      const { body, header } = await (at % 2 === 0 ? one : other).send({ method: 'GET', path: `/Paged()${query}` });
      rows.push(...JSON.parse(body).value.map((found: { RowKey: string }) => found.RowKey));
      const [partition, row] = [header('x-ms-continuation-NextPartitionKey'), header('x-ms-continuation-NextRowKey')];
      query = `?$top=1&NextPartitionKey=${partition}&NextRowKey=${row}`;
    }
    expect(rows).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  });

  it('access policies and service properties that one node sets apply at the other', async () => {
    await create('Guarded');
    const policy =
      '<SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>' +
      '</SignedIdentifier></SignedIdentifiers>';
    const headers = { 'Content-Type': 'application/xml' };
    expect((await one.send({ method: 'PUT', path: '/Guarded?comp=acl', headers, body: policy })).status).toBe(204);
    expect((await other.send({ method: 'GET', path: '/Guarded?comp=acl' })).body).toContain('<Id>reader</Id>');
    const rule =
      '<AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>5' +
      '</MaxAgeInSeconds><ExposedHeaders></ExposedHeaders><AllowedHeaders></AllowedHeaders>';
    const properties = `<StorageServiceProperties><Cors><CorsRule>${rule}</CorsRule></Cors></StorageServiceProperties>`;
    const asOrigin = { headers: { Origin: 'http://a.example' }, method: 'GET', path: '/Tables' };
    expect((await other.send(asOrigin)).header('access-control-allow-origin')).toBeUndefined();
    const set = await one.send({
      method: 'PUT',
      path: '/?restype=service&comp=properties',
      headers,
      body: properties,
    });
    expect(set.status, set.body).toBe(202);
    await expect
      .poll(async () => (await other.send(asOrigin)).header('access-control-allow-origin'), { timeout: 60_000 })
      .toBe('http://a.example');
  });

  it('a reset, a seed and an export at one node apply to the data of both', async () => {
    await create('Filled');
    await insert('Filled', 'old');
    await second.reset({ table: 'Filled' });
    expect(await rowsAt(one, 'Filled')).toEqual([]);
    const file = join(folder.path, 'Filled.ndjson');
    writeFileSync(file, '{"PartitionKey":"p","RowKey":"seeded"}\n');
    await second.seed(file);
    expect(await rowsAt(one, 'Filled')).toEqual(['seeded']);
    await insert('Filled', 'more', other);
    await first.export(join(folder.path, 'exported'), { tables: ['Filled'] });
    const lines = readFileSync(join(folder.path, 'exported', 'Filled.ndjson'), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).RowKey)).toEqual(['more', 'seeded']);
    await second.reset({ account: 'devstoreaccount1' });
    expect(await rowsAt(one, 'Filled')).toBe(404);
  });

  it('a snapshot that one node saves can be restored by the other', async () => {
    await create('Saved');
    const { header } = await insert('Saved', 'kept');
    await first.snapshot('base');
    await insert('Saved', 'late', other);
    await one.send({ method: 'DELETE', path: entityPath('Saved', 'p', 'kept') });
    await second.restore('base');
    expect(await rowsAt(one, 'Saved')).toEqual(['kept']);
    const found = await one.send({ method: 'GET', path: entityPath('Saved', 'p', 'kept') });
    expect(found.header('etag')).toBe(header('etag'));
    expect((await first.snapshots()).map(({ name }) => name)).toEqual(['base']);
    await second.deleteSnapshot('base');
    expect(await first.snapshots()).toEqual([]);
  });

  it('the commands for data, files and query plans reach the same data through either', async () => {
    await create('Commanded');
    const connection = ['--connection-string', second.connectionString];
    await run('entity', 'put', 'Commanded', 'p', 'r', 'Age:Int32=7', ...connection);
    expect(await rowsAt(one, 'Commanded')).toEqual(['r']);
    const { stdout } = await run('explain', 'Age gt 5', '--table', 'Commanded', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ visited: 1, returned: 1 });
    const explained = await ask(first.url, { body: { filter: 'Age gt 5', table: 'Commanded' } });
    expect(explained.json).toMatchObject({ visited: 1, returned: 1 });
    const collections = [
      { name: '$TABLES_COLLECTION$', data: [{ account: 'devstoreaccount1', table: 'Imported' }] },
      {
        name: 'devstoreaccount1$Imported',
        data: [{ PartitionKey: 'p', RowKey: 'old', lastModifiedTime: '2024-05-01T10:00:00.000Z', properties: {} }],
      },
    ];
    writeFileSync(join(folder.path, '__azurite_db_table__.json'), JSON.stringify({ collections }));
    await run('import', 'azurite', '__azurite_db_table__.json');
    expect(await rowsAt(one, 'Imported')).toEqual(['old']);
  });

  it('each reports the load of both nodes', async () => {
    await create('Loaded');
    const unitsAt = ({ capacity }: Emulator): number | undefined => {
      const [account] = capacity().accounts.filter((found) => found.account === 'devstoreaccount1');
      return account?.tables.find(({ table }) => table === 'Loaded')?.units;
    };
    for (let at = 0; at < 10; at++) await insert('Loaded', `r${at}`, at % 2 === 0 ? one : other);
    await expect.poll(() => [unitsAt(first), unitsAt(second)], { timeout: 60_000 }).toEqual([10, 10]);
  });

  it('an account that is copied to one node arrives at the other', async () => {
    await create('Copied');
    for (let at = 0; at < 150; at++) await insert('Copied', `r${String(at).padStart(3, '0')}`);
    // `account()` would make an account that only one node knows. Both nodes accept the name `copied` with the
    // development key.
    const name = 'copied';
    const url = `${second.url}/${name}`;
    const env = {
      TANZANITE_COPY_FROM: first.connectionString,
      TANZANITE_COPY_TO: keyConnectionString({ name, key: developmentKey, url }),
      XDG_STATE_HOME: folder.path,
    };
    const { code, stderr } = await runCommand(['copy', '--tables', 'Copied', '--verify'], { env });
    expect(code, stderr).toBe(0);
    const reader = openClient(first.url, { prefix: `/${name}`, account: name });
    expect(await rowsAt(reader, 'Copied')).toHaveLength(150);
    await reader.close();
  });
});
