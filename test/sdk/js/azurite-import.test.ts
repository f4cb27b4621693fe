import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AzureNamedKeyCredential, TableClient, type TableEntity } from '@azure/data-tables';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const bench = fileURLToPath(new URL('../../bench', import.meta.url));
const azurite = join(bench, 'node_modules/azurite/dist/src/table/main.js');
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Every type with its minimum and maximum, and keys that some step has to escape. */
const values: Record<string, unknown> = {
  Text: 'ä "x" \\ \r\n, 漢字 🙂',
  Empty: '',
  Yes: true,
  No: false,
  Int: 2_147_483_647,
  Negative: -2_147_483_648,
  Long: { type: 'Int64', value: '9223372036854775807' },
  Least: { type: 'Int64', value: '-9223372036854775808' },
  Double: 1.5e-7,
  Whole: { type: 'Double', value: '3' },
  NotANumber: { type: 'Double', value: 'NaN' },
  Infinite: { type: 'Double', value: 'Infinity' },
  When: { type: 'DateTime', value: '2024-05-01T10:00:00.1234567Z' },
  Guid: { type: 'Guid', value: '4185404a-5818-48c3-b9be-f217df0dba6f' },
  Bytes: new Uint8Array([0, 1, 254, 255]),
};
const keys = ['', ' ', "it's", 'a b', 'a+b', '100%', '%41', 'ü漢🙂', '"q"', '$&', '(1)', '~', '..', '=;,:@!*'];

/** Azurite accepts port 0 but does not say which port it got, so this function chooses a free port. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function savedEntities(location: string): number {
  const file = join(location, '__azurite_db_table__.json');
  if (!existsSync(file)) return 0;
  const { collections } = JSON.parse(readFileSync(file, 'utf8')) as {
    collections: { name: string; data: unknown[] }[];
  };
  return collections.find(({ name }) => name === `${account}$Every`)?.data.length ?? 0;
}

function clientOf(url: string, table: string): TableClient {
  const credential = new AzureNamedKeyCredential(account, key);
  return new TableClient(`${url}/${account}`, table, credential, { allowInsecureConnection: true });
}

async function fill(client: TableClient): Promise<void> {
  await client.createTable();
  await client.setAccessPolicy([
    {
      id: 'readers',
      accessPolicy: {
        start: new Date('2024-01-31T12:00:00Z'),
        expiry: new Date('2030-01-31T12:00:00Z'),
        permission: 'r',
      },
    },
  ]);
  for (const [at, name] of keys.entries()) {
    const entity = { partitionKey: name, rowKey: keys.at(-1 - at) ?? '', ...values } as TableEntity;
    await client.createEntity(entity);
  }
}

/**
 * Returns the entities in key order, without the properties that the server assigns. The values keep the types that
 * they have in the response.
 */
async function contentsOf(client: TableClient): Promise<unknown[]> {
  const entities: unknown[] = [];
  for await (const { etag: _etag, timestamp: _timestamp, ...entity } of client.listEntities({
    disableTypeConversion: true,
  })) {
    const { 'odata.metadata': _metadata, ...rest } = entity as Record<string, unknown>;
    entities.push(rest);
  }
  const nameOf = (entity: unknown): string => JSON.stringify([Object(entity).partitionKey, Object(entity).rowKey]);
  return entities.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** The texts of an export's files, by file name. */
function textsIn(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}

/** Copies the data of a running Azurite with `tanzanite copy`, and returns an export of the copy. */
async function copied(source: string): Promise<Record<string, string>> {
  const emulator = await startEmulator();
  const side = (url: string): string =>
    `AccountName=${account};AccountKey=${key};TableEndpoint=${url}/${account};DefaultEndpointsProtocol=http`;
  try {
    const env = {
      TANZANITE_COPY_FROM: side(source),
      TANZANITE_COPY_TO: side(emulator.url),
      XDG_STATE_HOME: join(folder.path, 'state'),
    };
    const result = await runCommand(['copy', '--verify', '--json'], { env });
    expect(result.code, result.stderr).toBe(0);
    const tables = [{ name: 'Every', entities: keys.length, refused: 0, policies: 'copied', isEqual: true }];
    expect(JSON.parse(result.stdout)).toMatchObject({
      entities: keys.length,
      entitiesRefused: 0,
      refusals: [],
      tables,
    });
    const path = join(folder.path, 'copied');
    await emulator.export(path);
    return textsIn(path);
  } finally {
    await emulator.close();
  }
}

const isInstalled = existsSync(azurite);
if (!isInstalled)
  process.stderr.write('import azurite: not run, Azurite is not installed: npm --prefix test/bench ci\n');

describe.skipIf(!isInstalled)('import azurite', () => {
  it('imports what the SDK read from the running Azurite, and copy does too; export and seed preserve it', async () => {
    const location = join(folder.path, 'azurite');
    mkdirSync(location);
    const port = await freePort();
    const flags = ['--tableHost', '127.0.0.1', '--tablePort', String(port), '--silent', '--disableTelemetry'];
    const child = spawn(process.execPath, [azurite, ...flags, '--skipApiVersionCheck'], { cwd: location });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const client = clientOf(`http://127.0.0.1:${port}`, 'Every');
    const isUp = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    await expect.poll(isUp).toBe(true);
    await fill(client);
    const before = await contentsOf(client);
    expect(before).toHaveLength(keys.length);
    const copy = await copied(`http://127.0.0.1:${port}`);
    // Azurite writes its file every few seconds, but not reliably when it is stopped.
    await expect.poll(() => savedEntities(location)).toBe(keys.length);
    child.kill('SIGTERM');
    await ended;

    const emulator = await startEmulator();
    try {
      const result = await runCommand(['import', 'azurite', location, '--url', emulator.url, '--json'], { env: {} });
      expect(JSON.parse(result.stdout)).toEqual({
        accounts: [{ account, tables: [{ name: 'Every', entities: keys.length }] }],
        leftOut: [],
      });
      expect(await contentsOf(clientOf(emulator.url, 'Every'))).toEqual(before);
      const path = join(folder.path, 'imported');
      await emulator.export(path);
      const imported = textsIn(path);
      expect(Object.keys(imported)).toEqual(['Every.ndjson', 'tables.json']);
      expect(imported).toEqual(copy);
      const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
      await emulator.export(first, { format: 'csv' });
      await emulator.seed(first);
      expect(await contentsOf(clientOf(emulator.url, 'Every'))).toEqual(before);
      await emulator.export(second, { format: 'csv' });
      expect(readFileSync(join(second, 'Every.csv'), 'utf8')).toBe(readFileSync(join(first, 'Every.csv'), 'utf8'));
    } finally {
      await emulator.close();
    }
  });
});
