import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RestError, TableClient, TableServiceClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { ServerProcess, type ServerProcessOptions } from '../../support/server-process.mjs';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const otherKey = Buffer.from('another key of thirty-two bytes.').toString('base64');
const other = { env: { AZURITE_ACCOUNTS: `first:${otherKey};second:${developmentKey}:${otherKey}` } };
const insecure = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

async function print(args: readonly string[], options: ServerProcessOptions = {}): Promise<string> {
  const { stdout, stderr } = await printAndWarn(args, options);
  expect(stderr).toBe('');
  return stdout;
}

/** Runs the command. Returns its line of output without the line end, and the text on standard error. */
async function printAndWarn(
  args: readonly string[],
  options: ServerProcessOptions,
): Promise<Omit<CommandResult, 'code'>> {
  const { code, stdout, stderr } = await runCommand(['connection-string', ...args], options);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/[^\n]\n$/);
  return { stdout: stdout.slice(0, -1), stderr };
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const error: unknown = await promise.then(
    () => 'done',
    (reason: unknown) => reason,
  );
  return error instanceof RestError
    ? `${error.statusCode} ${(error.details as { odataError?: { code?: string } }).odataError?.code}`
    : String(error);
};

describe('connection-string prints', () => {
  it('the connection string of the development account, without an emulator', async () => {
    expect(await print([])).toBe(
      `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${developmentKey};TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;`,
    );
  });

  it.each([
    ['of --url', ['--url', 'https://tables.example:444/x'], {}],
    ['of TANZANITE_URL', [], { env: { TANZANITE_URL: 'https://tables.example:444' } }],
  ])('the address %s', async (_, args, options) => {
    const text = await print(args, options);
    expect(text).toMatch(/^DefaultEndpointsProtocol=https;/);
    expect(text).toContain(';TableEndpoint=https://tables.example:444/devstoreaccount1;');
  });

  it('with --secondary the address of the secondary too', async () => {
    const secondary = 'TableSecondaryEndpoint=http://127.0.0.1:10002/devstoreaccount1-secondary;';
    expect(await print(['--secondary'])).toMatch(new RegExp(`TableEndpoint=[^;]+/devstoreaccount1;${secondary}$`));
    expect(await print(['--secondary', '--sas'])).toMatch(
      new RegExp(`^TableEndpoint=[^;]+;${secondary}SharedAccessSignature=`),
    );
  });

  it('the first key of an account of AZURITE_ACCOUNTS, or of a file', async () => {
    expect(await print(['--account', 'first'], other)).toContain(`AccountName=first;AccountKey=${otherKey};`);
    expect(await print(['--account', 'second'], other)).toContain(`AccountName=second;AccountKey=${developmentKey};`);
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = join(folder.path, 'accounts');
    writeFileSync(file, `third:${otherKey}`);
    expect(await print(['--account', 'third', '--accounts', file])).toContain(
      `AccountName=third;AccountKey=${otherKey};`,
    );
  });

  it('the well-known key for any account, with accounts any', async () => {
    expect(await print(['--account', 'worker7', '--accounts', 'any'])).toContain(
      `AccountName=worker7;AccountKey=${developmentKey};`,
    );
  });

  it.each([
    ['sh', /^export (\w+)='(.*)'$/],
    ['fish', /^set -gx (\w+) '(.*)'$/],
    ['powershell', /^\$env:(\w+) = '(.*)'$/],
    ['cmd', /^set "(\w+)=(.*)"$/],
  ])('variables for %s', async (shell, form) => {
    const plain = await print([]);
    const lines = (await print(['--shell', shell])).split('\n').map((line) => form.exec(line)?.slice(1));
    expect(lines).toEqual([
      ['AZURE_STORAGE_CONNECTION_STRING', plain],
      ['AZURE_TABLES_CONNECTION_STRING', plain],
    ]);
    if (shell === 'sh') expect(await print(['--export'])).toBe(await print(['--shell', 'sh']));
  });
});

describe('connection-string refuses with code 2 and one line', () => {
  it.each([
    ['an account that is missing', ['--account', 'absent'], 'absent is unknown. Known accounts: devstoreaccount1'],
    ['a name no account can have', ['--account', 'A;b', '--accounts', 'any'], 'is not an account name'],
    ['a file that is missing', ['--accounts', 'absent'], '--accounts absent cannot be read'],
    ['a table without a signature', ['--table', 'People'], '--table: give --sas as well'],
    [
      'terms without a signature',
      ['--expires', '1', '--permissions', 'r', '--url-only'],
      '--permissions, --expires, --url-only',
    ],
    ['a table signature for no table', ['--sas', 'table'], '--sas table: give a --table'],
    [
      'an account signature for a table',
      ['--sas', 'account', '--table', 'People'],
      '--sas account reaches every table',
    ],
    ['letters a table does not know', ['--sas', '--table', 'People', '--permissions', 'rw'], 'for a table are raud'],
    ['no letters', ['--sas', '--permissions', ''], 'for an account are rwdlacu'],
    ['an invalid time', ['--sas', '--expires', 'tomorrow'], '--expires tomorrow is neither'],
    ['a time in no zone', ['--sas', '--expires', '2030-01-01T00:00:00'], 'is neither'],
    ['a table of no name', ['--sas', '--table', '1x'], '--table 1x is not a table name'],
    ['an address and variables', ['--sas', '--url-only', '--export'], '--url-only and --export'],
  ])('%s', async (_, args, reason) => {
    const { code, stdout, stderr } = await runCommand(['connection-string', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });
});

describe('what connection-string prints', () => {
  let server: ServerProcess;
  let url: string[];

  beforeAll(async () => {
    server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--silent'], other);
    url = ['--account', 'first', '--url', await server.ready()];
    const service = TableServiceClient.fromConnectionString(await print(url, other), insecure);
    for (const table of ['People', 'Pets']) {
      await service.createTable(table);
      const client = TableClient.fromConnectionString(await print(url, other), table, insecure);
      await client.createEntity({ partitionKey: 'a', rowKey: 'b' });
    }
  });
  afterAll(() => server.end('SIGKILL'));

  const open = async (table: string, ...args: string[]): Promise<TableClient> =>
    TableClient.fromConnectionString(await print([...url, '--sas', ...args], other), table, insecure);

  it('with the key allows everything, for every account', async () => {
    const text = await print(['--account', 'second', ...url.slice(2)], other);
    await TableServiceClient.fromConnectionString(text, insecure).createTable('Theirs');
    expect(await codeOf(TableClient.fromConnectionString(text, 'Theirs', insecure).getAccessPolicy())).toBe('done');
  });

  it('with a signature for a table allows access to its entities, and to no other table', async () => {
    const people = await open('People', '--table', 'people');
    expect(await codeOf(people.createEntity({ partitionKey: 'a', rowKey: 'c' }))).toBe('done');
    expect(await codeOf(people.upsertEntity({ partitionKey: 'a', rowKey: 'd' }))).toBe('done');
    expect(await codeOf(people.deleteEntity('a', 'c'))).toBe('done');
    expect((await people.getEntity('a', 'b')).rowKey).toBe('b');
    expect(await codeOf(people.deleteTable())).toBe('403 AuthorizationFailure');
    const pets = await open('Pets', '--table', 'People');
    expect(await codeOf(pets.getEntity('a', 'b'))).toBe('403 AuthorizationFailure');
  });

  it('allows only what --permissions says, with the letters in any order', async () => {
    const people = await open('People', '--table', 'People', '--permissions', 'ar');
    expect((await people.getEntity('a', 'b')).rowKey).toBe('b');
    expect(await codeOf(people.createEntity({ partitionKey: 'a', rowKey: 'e' }))).toBe('done');
    expect(await codeOf(people.deleteEntity('a', 'e'))).toBe('403 AuthorizationPermissionMismatch');
  });

  it('with a signature for the account allows access to all tables, and their creation', async () => {
    expect((await (await open('Pets')).getEntity('a', 'b')).rowKey).toBe('b');
    expect(await codeOf((await open('Fresh')).createTable())).toBe('done');
    expect(await codeOf((await open('Fresh', 'account', '--permissions', 'r')).deleteTable())).toBe(
      '403 AuthorizationPermissionMismatch',
    );
  });

  it.each([
    ['0', '20'],
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z has passed'],
    // A date without a time means its first moment in UTC, in any time zone of the machine.
    ['2020-01-01', '2020-01-01T00:00:00.000Z has passed'],
  ])('is refused once it has expired, with a warning line: --expires %s', async (when, warning) => {
    for (const args of [['--table', 'People'], []]) {
      const elsewhere = { env: { ...other.env, TZ: 'America/New_York' } };
      const { stdout, stderr } = await printAndWarn([...url, '--sas', ...args, '--expires', when], elsewhere);
      expect(stderr).toMatch(/^tanzanite: --expires: [^\n]+ has passed; the service refuses this signature\.\n$/);
      expect(stderr).toContain(`--expires: ${warning}`);
      const client = TableClient.fromConnectionString(stdout, 'People', insecure);
      expect(await codeOf(client.getEntity('a', 'b'))).toBe('403 AuthenticationFailed');
    }
  });

  it('works until the time of --expires', async () => {
    const client = await open('People', '--table', 'People', '--expires', '2090-01-31T12:00+02:00');
    expect((await client.getEntity('a', 'b')).rowKey).toBe('b');
  });

  it('as an address works in any HTTP client', async () => {
    const table = await print([...url, '--sas', '--table', 'People', '--url-only'], other);
    const answer = await fetch(table, { headers: { Accept: 'application/json;odata=nometadata' } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      value: expect.arrayContaining([expect.objectContaining({ RowKey: 'b' })]),
    });
    const account = await print([...url, '--sas', '--url-only'], other);
    expect(account).toMatch(/\/first\?sv=[^ ]+&sig=[^ &]+$/);
    const client = new TableClient(account, 'Pets', insecure);
    expect((await client.getEntity('a', 'b')).rowKey).toBe('b');
  });

  it('is answered in JSON, not in Atom, if it is sent as in the example of the help', async () => {
    const { stdout: help } = await runCommand(['connection-string', '--help']);
    const [, name = '', value = ''] = /^ {2}curl -H (\S+?):(\S+) /m.exec(help) ?? [];
    const table = await print([...url, '--sas', '--table', 'People', '--url-only'], other);
    const answer = await fetch(table, { headers: { [name]: value } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
