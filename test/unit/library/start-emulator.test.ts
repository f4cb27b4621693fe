import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmulatorOptions, freshAccount, startEmulator } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const started: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const emulator of started) await emulator.close();
});

async function start(options?: EmulatorOptions) {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}

const pets = (connectionString: string): TableClient =>
  TableClient.fromConnectionString(connectionString, 'pets', { allowInsecureConnection: true });

const rex = { partitionKey: 'dog', rowKey: 'rex' };

/** Creates the table pets with an entity, and returns a client for it. */
async function keepRex(connectionString: string): Promise<TableClient> {
  const client = pets(connectionString);
  await client.createTable();
  await client.createEntity(rex);
  return client;
}

describe('a start on an address that cannot be used', () => {
  it('says who uses the port, and which option helps', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const owner = `another Tanzanite at ${url}, process ${process.pid}, data in memory`;
    await expect(start({ port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `port ${port} on 127.0.0.1 is in use by ${owner}. Use that emulator, stop it, or choose another with port (0 for any free one).`,
    });
  });

  it('says that a port is in use by something that is not Tanzanite', async () => {
    const other = createServer((socket) => socket.destroy());
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another with port (0 for any free one).`,
    });
  });

  it('says that a host is not an address of this machine', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'EADDRNOTAVAIL',
      message: '192.0.2.1 is not an address of this machine. Choose another with host.',
    });
  });
});

describe('account()', () => {
  it('returns an account that is usable immediately and separate from others', async () => {
    const emulator = await start();
    const [one, other] = [emulator.account(), emulator.account()];
    await keepRex(one.connectionString);
    await pets(other.connectionString).createTable();
    await expect(pets(other.connectionString).getEntity('dog', 'rex')).rejects.toMatchObject({ statusCode: 404 });
    expect(one).toEqual({
      name: one.name,
      key: one.key,
      url: `${emulator.url}/${one.name}`,
      connectionString: `DefaultEndpointsProtocol=http;AccountName=${one.name};AccountKey=${one.key};TableEndpoint=${one.url};`,
    });
  });

  it('does not allow names that it did not return, or keys of other accounts', async () => {
    const emulator = await start();
    const [one, other] = [emulator.account(), emulator.account()];
    const create = (connectionString: string) => pets(connectionString).createTable();
    await expect(create(one.connectionString.replaceAll(one.name, 'somebody'))).rejects.toMatchObject({
      statusCode: 404,
    });
    await expect(create(one.connectionString.replace(one.key, other.key))).rejects.toMatchObject({ statusCode: 403 });
  });

  it.each<[string, EmulatorOptions]>([
    ['any account is taken', { accounts: 'any' }],
    ['others are named', { accounts: [{ name: 'mine', keys: ['QUJD'] }] }],
  ])('returns a usable account if %s', async (_, options) => {
    const emulator = await start(options);
    await keepRex(emulator.account().connectionString);
    await keepRex(emulator.connectionString);
  });
});

describe('reset()', () => {
  const isEmpty = async (client: TableClient): Promise<boolean> =>
    client.getEntity('dog', 'rex').then(
      () => false,
      (error) => error.statusCode === 404,
    );

  it('empties everything, but accounts that were returned keep their keys', async () => {
    const emulator = await start();
    const account = emulator.account();
    const both = [await keepRex(emulator.connectionString), await keepRex(account.connectionString)];
    await emulator.reset();
    expect(await Promise.all(both.map(isEmpty))).toEqual([true, true]);
    await keepRex(account.connectionString);
  });

  it('empties one account, or one table, and nothing else', async () => {
    const emulator = await start();
    const account = emulator.account();
    const [first, second] = [await keepRex(emulator.connectionString), await keepRex(account.connectionString)];
    await emulator.reset({ account: account.name });
    expect([await isEmpty(first), await isEmpty(second)]).toEqual([false, true]);
    await emulator.reset({ table: 'pets' });
    expect(await isEmpty(first)).toBe(true);
    await first.createEntity(rex);
  });

  it('accepts an account that was returned but never used', async () => {
    const emulator = await start({ accounts: 'any' });
    await expect(emulator.reset({ account: emulator.account().name })).resolves.toBeUndefined();
  });

  it.each([
    ['AccountNotFound', { account: 'nobody' }],
    ['TableNotFound', { table: 'nothing' }],
  ])('throws %s for what does not exist', async (code, target) => {
    await expect((await start()).reset(target)).rejects.toMatchObject({ code });
  });

  it('does the same as the control plane', async () => {
    const emulator = await start();
    const client = await keepRex(emulator.account().connectionString);
    const answer = await fetch(`${emulator.url}/_emulator/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
    expect(await isEmpty(client)).toBe(true);
  });
});

describe('seed() and export()', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const file = join(folder.path, 'Pets.ndjson');
  const out = join(folder.path, 'out');

  it('refuse an account that does not exist, and leave nothing', async () => {
    writeFileSync(file, '{"PartitionKey":"dog","RowKey":"rex"}\n');
    const location = join(folder.path, 'location');
    const emulator = await start({ location });
    const refusal = { code: 'AccountNotFound' };
    await expect(emulator.seed(file, { account: 'nobody' })).rejects.toMatchObject(refusal);
    await expect(emulator.export(out, { account: 'nobody' })).rejects.toMatchObject(refusal);
    expect([existsSync(join(location, 'nobody.sqlite')), existsSync(out)]).toEqual([false, false]);
  });

  it('accept an account that was returned, and any name with accounts any', async () => {
    const emulator = await start();
    const { name } = emulator.account();
    const any = await start({ accounts: 'any' });
    const tables = [{ name: 'Pets', entities: 1 }];
    expect(await emulator.seed(file, { account: name })).toEqual({ tables });
    expect(await any.seed(file, { account: 'worker1' })).toEqual({ tables });
    expect(await any.export(out, { account: 'worker1' })).toMatchObject({ tables });
  });
});

describe('capacity()', () => {
  it('returns the response of the control plane', async () => {
    const emulator = await start();
    const account = emulator.account();
    await keepRex(account.connectionString);
    const report = emulator.capacity();
    expect(report.accounts.map(({ account, units }) => [account, units > 0])).toEqual([[account.name, true]]);
    const answer = await fetch(`${emulator.url}/_emulator/capacity`);
    expect(Object.keys((await answer.json()) as object)).toEqual(Object.keys(report));
    await emulator.reset();
    expect(emulator.capacity().accounts).toEqual([]);
  });
});

describe('the emulator', () => {
  it('is closed at the end of a block with `await using`, and may be closed again', async () => {
    let url = '';
    {
      await using emulator = await startEmulator();
      url = emulator.url;
      await emulator.close();
    }
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each<[string, EmulatorOptions, RegExp]>([
    ['no account', { accounts: [] }, /at least one account/],
    ['a folder and memory', { location: 'somewhere', inMemory: true }, /location cannot be given with inMemory/],
    ['a database and a folder', { store: 'postgres://db/a', location: 'b' }, /store cannot be given with location/],
    ['a database and memory', { store: 'postgres://db/a', inMemory: true }, /store cannot be given with inMemory/],
    ['a standby without its database', { storeSecondary: 'postgres://db/a' }, /storeSecondary needs a store as well/],
    ['two seeds', { seed: 'one', seedAlways: 'other' }, /seed cannot be given with seedAlways/],
    ['neither a folder nor memory', { inMemory: false }, /inMemory false needs a location or a store as well/],
    ['a capacity of nothing', { capacity: { scale: 0 } }, /capacity.scale must be a number above 0/],
    [
      'page boundaries of ranges without throttling',
      { pageBoundaries: 'range', throttle: 'off' },
      /cannot be given with throttle 'off'/,
    ],
    ['a token that is too short', { controlToken: 'short' }, /controlToken/],
  ])('does not start with %s', async (_, options, message) => {
    await expect(startEmulator(options)).rejects.toThrow(TypeError);
    await expect(startEmulator(options)).rejects.toThrow(message);
  });
});

const openssl: string = 'openssl';
const hasOpenssl = spawnSync(openssl, ['version']).status === 0;

describe.skipIf(!hasOpenssl)('HTTPS (needs the openssl command)', () => {
  it('is served with a certificate and a key, and named in the connection strings', async () => {
    const folder = temporaryFolder();
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    spawnSync(openssl, ['req', '-x509', '-nodes', ...curve, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert]);
    const emulator = await start({ tls: { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } });
    folder.remove();
    expect(emulator.account().connectionString).toMatch(/^DefaultEndpointsProtocol=https;.*TableEndpoint=https:/);
    // A client that does not trust the certificate fails because of it.
    await expect(fetch(emulator.url)).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  });
});

describe('A certificate that cannot be used', () => {
  it('is refused with its fault, before any data is created', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const location = join(folder.path, 'data');
    const started = startEmulator({ location, tls: { cert: 'c', key: 'k' } });
    await expect(started).rejects.toThrow('tls.cert holds no certificate in PEM (-----BEGIN CERTIFICATE-----).');
    expect(existsSync(location)).toBe(false);
  });
});

describe('freshAccount()', () => {
  it('creates an account of an emulator with accounts any', async () => {
    const emulator = await start({ accounts: 'any' });
    const [one, other] = [freshAccount(emulator.connectionString), freshAccount(emulator.connectionString)];
    await keepRex(one.connectionString);
    await keepRex(other.connectionString);
    expect(one.name).not.toBe(other.name);
  });

  it.each([
    undefined,
    '',
    'UseDevelopmentStorage=true',
    'AccountName=a;AccountKey=QUJD;TableEndpoint=https://a.example/',
  ])('refuses %j', (text) => {
    expect(() => freshAccount(text)).toThrow(TypeError);
  });
});
