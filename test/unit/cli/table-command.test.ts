import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyConnectionString } from '../../../src/auth/connection-string.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { hasOpenssl, openssl } from '../../support/secure-service.ts';
import { startService } from '../../support/service.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const otherKey = Buffer.from('another key of thirty-two bytes.').toString('base64');
const service = await startService({
  accounts: [
    { name: 'devstoreaccount1', keys: [developmentKey] },
    { name: 'other', keys: [otherKey] },
  ],
});
const other = `${service.origin}/other`;
const otherString = keyConnectionString({ name: 'other', key: otherKey, url: other });
const nowhere = 'AccountName=x;AccountKey=eA==;TableEndpoint=https://127.0.0.1:1/x';

type Variables = Readonly<Record<string, string>>;
const none: Variables = {
  TANZANITE_URL: '',
  AZURE_STORAGE_CONNECTION_STRING: '',
  AZURE_TABLES_CONNECTION_STRING: '',
  AZURITE_ACCOUNTS: '',
};
const run = (words: readonly string[], env: Variables): Promise<CommandResult> =>
  runCommand(['table', ...words], { env: { ...none, ...env } });
const table = (...words: readonly string[]): Promise<CommandResult> => run(words, { TANZANITE_URL: service.origin });
const done = (stdout: string): CommandResult => ({ code: 0, stdout, stderr: '' });

describe('table', () => {
  it('creates, lists and deletes tables, and says in which account', async () => {
    expect(await table('list')).toEqual({ code: 0, stdout: '', stderr: `no tables at ${service.base}\n` });
    expect(await table('list', '--json')).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: `no tables at ${service.base}\n`,
    });
    expect(await table('create', 'Pets')).toEqual(done(`created table Pets at ${service.base}\n`));
    expect(await table('create', 'apples')).toEqual(done(`created table apples at ${service.base}\n`));
    expect(await table('list')).toEqual(done('apples\nPets\n'));
    expect(await table('list', '--json')).toEqual(done('["apples","Pets"]\n'));
    expect(await table('delete', 'apples')).toEqual(done(`deleted table apples at ${service.base}\n`));
    expect(await table('list')).toEqual(done('Pets\n'));
  });

  it.each([
    [['create', 'Pets'], 1, /table Pets at http:\S+ exists already/],
    [['delete', 'absent'], 1, /there is no table absent at http:\S+\. It has Pets\./],
    [['create', 'x'], 2, /answers 400 OutOfRangeInput: /],
    [['create', 'a\u001b[2Jb'], 2, /answers 400 /],
    [
      ['list', '--url', 'http://127.0.0.1:1'],
      1,
      /nothing answers at http:\/\/127\.0\.0\.1:1\/.* ECONNREFUSED .*tanzanite start/,
    ],
    [['lst'], 2, /unknown command lst: did you mean list\? tanzanite table --help lists the commands/],
    [['create'], 2, /^tanzanite: table create needs a <name>\. tanzanite table create --help lists the flags\n$/],
    [
      ['create', 'pets', 'x'],
      2,
      /^tanzanite: table create takes 1 word, not 2; quote a word that holds spaces\. tanzanite/,
    ],
    [['list', 'x'], 2, /^tanzanite: table list takes flags only, not a word\. tanzanite table list --help/],
    [['list', '--jsn'], 2, /^tanzanite: unknown flag --jsn: did you mean --json\? tanzanite table list --help/],
    [['create', '1abc'], 2, /The table name "1abc" begins with the digit 1; a name is a letter, then letters and/],
    [
      ['list', '--url', service.origin.replace('http:', 'https:')],
      1,
      /^tanzanite: the server at https:\S+ does not answer in HTTPS\. Give http:\S+ if it serves HTTP\.\n$/,
    ],
    [['wrong'], 2, /unknown command wrong: tanzanite table --help lists the commands/],
    [[], 2, /Usage: tanzanite table/],
  ])('%j ends with code %i and a reason', async (words, expected, reason) => {
    const { code, stdout, stderr } = await table(...words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('a connection', () => {
  it('to another machine is not used for writing if only a variable names it', async () => {
    const production =
      'DefaultEndpointsProtocol=https;AccountName=prod;AccountKey=QUJD;TableEndpoint=https://prod.table.example/';
    for (const words of [
      ['create', 'pets'],
      ['delete', 'pets'],
    ]) {
      const { code, stderr } = await run(words, { AZURE_STORAGE_CONNECTION_STRING: production });
      expect([code, stderr]).toEqual([
        2,
        'tanzanite: AZURE_STORAGE_CONNECTION_STRING names https://prod.table.example, which is not on this machine. ' +
          'To write to it, give --connection-string "$AZURE_STORAGE_CONNECTION_STRING".\n',
      ]);
    }
  });

  it.each<[string, readonly string[], Variables]>([
    ['a flag, whatever the environment', ['--connection-string', otherString], { TANZANITE_URL: 'http://127.0.0.1:1' }],
    ['AZURE_STORAGE_CONNECTION_STRING', [], { AZURE_STORAGE_CONNECTION_STRING: otherString }],
    [
      'AZURE_TABLES_CONNECTION_STRING, before the other',
      [],
      { AZURE_TABLES_CONNECTION_STRING: otherString, AZURE_STORAGE_CONNECTION_STRING: nowhere },
    ],
    [
      'the emulator of --url and an account of AZURITE_ACCOUNTS',
      ['--url', service.origin, '--account', 'other'],
      { AZURITE_ACCOUNTS: `other:${otherKey}`, AZURE_STORAGE_CONNECTION_STRING: nowhere },
    ],
    [
      'TANZANITE_URL, before connection strings',
      ['--account', 'other'],
      { TANZANITE_URL: service.origin, AZURITE_ACCOUNTS: `other:${otherKey}`, AZURE_TABLES_CONNECTION_STRING: nowhere },
    ],
  ])('comes from %s', async (_, flags, env) => {
    expect(await run(['list', ...flags], env)).toEqual({ code: 0, stdout: '', stderr: `no tables at ${other}\n` });
  });

  it.each<[string, readonly string[], Variables, RegExp]>([
    [
      'a connection string',
      ['--connection-string', otherString.replace(otherKey, developmentKey)],
      {},
      /authorized with the key of account other in --connection-string\./,
    ],
    [
      'the development key',
      ['--url', service.origin, '--account', 'other', '--accounts', 'any'],
      {},
      /authorized with the development key for account other\./,
    ],
    [
      'AZURITE_ACCOUNTS',
      ['--url', service.origin, '--account', 'other'],
      { AZURITE_ACCOUNTS: `other:${developmentKey}` },
      /authorized with the key of account other from AZURITE_ACCOUNTS\./,
    ],
  ])('that is refused names %s, and no key', async (_, flags, env, reason) => {
    const { code, stderr } = await run(['list', ...flags], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/answers 403 AuthenticationFailed: /);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(developmentKey.slice(0, 20));
  });

  it('that reaches no emulator names its address and the origin of the address', async () => {
    const { code, stderr } = await run(['list'], { AZURE_STORAGE_CONNECTION_STRING: nowhere });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^tanzanite: nothing answers at https:\/\/127\.0\.0\.1:1\/x: .*The address comes from AZURE_STORAGE_CONNECTION_STRING;/,
    );
  });

  it.each<[readonly string[], Variables, RegExp]>([
    [
      ['--connection-string', 'AccountName=x'],
      {},
      /string in --connection-string has neither an AccountKey nor a Shared/,
    ],
    [[], { AZURE_TABLES_CONNECTION_STRING: 'x' }, /string in AZURE_TABLES_CONNECTION_STRING has no name and value/],
    [['--connection-string', nowhere, '--url', 'http://a'], {}, /cannot be used with/],
    [['--account', 'absent'], {}, /--account absent is unknown. Known accounts: devstoreaccount1/],
  ])('of %j is refused with code 2', async (flags, env, reason) => {
    const { code, stderr } = await run(['list', ...flags], env);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
  });

  it.skipIf(!hasOpenssl)('over HTTPS needs a certificate that is trusted, or --insecure', async () => {
    const folder = temporaryFolder();
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    spawnSync(openssl, ['req', '-x509', '-nodes', ...curve, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert]);
    const flags = ['--inMemoryPersistence', '--tablePort', '0', '--cert', cert, '--key', key];
    const { server, origin } = await startBuiltCommand(flags);
    onTestFinished(async () => {
      await server.end('SIGKILL');
      folder.remove();
    });
    const { code, stderr } = await run(['create', 'Pets', '--url', origin], {});
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^tanzanite: the certificate of https:\S+ is not trusted: self-signed certificate\. Give --insecure/,
    );
    const created = done(`created table Pets at ${origin}/devstoreaccount1\n`);
    expect(await run(['create', 'Pets', '--url', origin, '--insecure'], {})).toEqual(created);
  });
});
