import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderSettings } from '../../../src/cli/settings-command.ts';
import { versionFlags } from '../../../src/settings/compatibility-settings.ts';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { type CommandResult, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: { path: string; remove(): void };
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

type Environment = Readonly<Record<string, string>>;

const run = (words: string, env: Environment = {}): Promise<CommandResult> =>
  runCommand(['settings', ...words.split(' ').filter((word) => word !== '')], { cwd: folder.path, env });

const writeSettings = (members: object | string, file = 'tanzanite.json'): void =>
  writeFileSync(join(folder.path, file), typeof members === 'string' ? members : JSON.stringify(members));

interface Setting {
  readonly value: unknown;
  readonly from: object;
}

async function settings(words: string, env: Environment = {}): Promise<Record<string, Setting>> {
  const { code, stdout, stderr } = await run(`${words} --json`, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, Setting>;
}

async function refusal(words: string, env: Environment = {}): Promise<string> {
  const { code, stdout, stderr } = await run(words, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
  return stderr.slice('tanzanite: '.length, -1);
}

describe('a setting', () => {
  it('comes from its flag, else its variable, else the file, else the default', async () => {
    const variable = { TANZANITE_TABLE_PORT: '2' };
    const file = { kind: 'file', name: 'tablePort', file: 'tanzanite.json' };
    expect((await settings(''))['tablePort']).toEqual({ value: 10002, from: { kind: 'default' } });
    writeSettings({ tablePort: 1 });
    expect((await settings(''))['tablePort']).toEqual({ value: 1, from: file });
    const ofVariable = { value: 2, from: { kind: 'variable', name: 'TANZANITE_TABLE_PORT' } };
    expect((await settings('', variable))['tablePort']).toEqual(ofVariable);
    const ofFlag = { value: 3, from: { kind: 'flag', name: '--tablePort' } };
    expect((await settings('--tablePort 3', variable))['tablePort']).toEqual(ofFlag);
    expect((await settings('--table-port 3', variable))['tablePort']).toEqual(ofFlag);
  });

  it('comes from the profile if nothing else sets it, and in the image from the defaults of the image', async () => {
    const from = { kind: 'profile', name: 'strict' };
    const valuesOf = (given: Record<string, Setting>): unknown[] =>
      ['strictApiVersion', 'tableDeleteDelay', 'pageBoundaries', 'replicaLag', 'throttle'].map((name) => given[name]);
    const strict = [true, 40, 'partition', 900, 'enforce'].map((value) => ({ value, from }));
    expect(valuesOf(await settings('--profile strict'))).toEqual(strict);
    expect(valuesOf(await settings('', { TANZANITE_PROFILE: 'strict' }))).toEqual(strict);
    writeSettings({ profile: 'strict', replicaLag: 0 });
    const inFile = await settings('--no-strict-api-version --throttle off', { TANZANITE_TABLE_DELETE_DELAY: '1' });
    expect(valuesOf(inFile)).toEqual([
      { value: false, from: { kind: 'flag', name: '--strict-api-version' } },
      { value: 1, from: { kind: 'variable', name: 'TANZANITE_TABLE_DELETE_DELAY' } },
      { value: 'partition', from },
      { value: 0, from: { kind: 'file', name: 'replicaLag', file: 'tanzanite.json' } },
      { value: 'off', from: { kind: 'flag', name: '--throttle' } },
    ]);
    expect((await settings('--skipApiVersionCheck'))['strictApiVersion']).toEqual({
      value: false,
      from: { kind: 'default' },
    });
    const image = { TANZANITE_IMAGE: '/volume' };
    const { tableHost, location } = await settings('--profile strict', image);
    expect([tableHost, location]).toEqual([
      { value: '0.0.0.0', from: { kind: 'image' } },
      { value: '/volume', from: { kind: 'image' } },
    ]);
    expect((await settings('--store postgres://db/tables', image))['location']?.value).toBeNull();
    const imageName = { TANZANITE_IMAGE: 'ghcr.io/owner/tanzanite:1.0.0' };
    expect((await settings('', imageName))['location']?.from).toEqual({ kind: 'default' });
    expect((await run('--profile strict', image)).stdout).toMatch(
      /--tableHost +0\.0\.0\.0 +the image\n[\s\S]*--throttle +enforce +profile strict\n/,
    );
  });

  it('that is a switch can be turned on and off in each of these places', async () => {
    writeSettings({ loose: true, noExplain: true });
    const off = { TANZANITE_LOOSE: 'false', TANZANITE_NO_EXPLAIN: 'false' };
    const values = async (words: string, env: Environment = {}): Promise<unknown[]> => {
      const { loose, noExplain } = await settings(words, env);
      return [loose?.value, noExplain?.value];
    };
    expect(await values('')).toEqual([true, true]);
    expect(await values('', off)).toEqual([false, false]);
    expect(await values('--loose --noExplain', off)).toEqual([true, true]);
    expect(await values('--loose=false --no-explain false')).toEqual([false, false]);
  });

  it('has the unit of the flag if it is a duration; a path in the file is relative to the file', async () => {
    mkdirSync(join(folder.path, 'conf'));
    writeSettings({ throttleWaitMax: 0.5, location: 'data' }, 'conf/ci.json');
    const { throttleWaitMax, location } = await settings('--config conf/ci.json', { TANZANITE_SPLIT_AFTER: '2.5' });
    expect([throttleWaitMax?.value, location?.value]).toEqual([0.5, join('conf', 'data')]);
    expect((await settings('', { TANZANITE_CONFIG: 'conf/ci.json' }))['config']?.value).toBe('conf/ci.json');
  });

  it('is a word or a path in the file, like its flag', async () => {
    mkdirSync(join(folder.path, 'conf'));
    const read = async (members: object): Promise<unknown[]> => {
      writeSettings(members, 'conf/ci.json');
      const { faults, accounts, location } = await settings('--config conf/ci.json');
      return [faults?.value, accounts?.value, location?.value];
    };
    expect(await read({ faults: 'chaos', accounts: 'any', location: 'folder' })).toEqual([
      ...['chaos', 'any', join('conf', 'folder')],
    ]);
    expect((await read({ faults: './chaos' }))[0]).toBe(join('conf', 'chaos'));
    expect((await read({ faults: 'file' }))[0]).toBe(join('conf', 'file'));
  });

  it('of Azurite may still be set by its variable, if Tanzanite’s own is not set', async () => {
    const env = { AZURITE_ACCOUNTS: 'one1:a2V5;two2:a2V5', AZURITE_SKIP_API_VERSION_CHECK: 'true' };
    const { accounts, skipApiVersionCheck } = await settings('', env);
    expect(accounts).toEqual({ value: 'one1, two2', from: { kind: 'variable', name: 'AZURITE_ACCOUNTS' } });
    expect(skipApiVersionCheck?.value).toBe(true);
    const both = await settings('', { ...env, TANZANITE_ACCOUNTS: 'any', TANZANITE_SKIP_API_VERSION_CHECK: 'false' });
    expect([both['accounts']?.value, both['skipApiVersionCheck']?.value]).toEqual(['any', false]);
  });
});

describe('tanzanite settings', () => {
  it('prints no token, password or key', async () => {
    writeSettings({ controlToken: 'token-of-sixteen-or-more' });
    for (const words of ['', '--json']) {
      const { stdout } = await run(words, { AZURITE_ACCOUNTS: 'one1:c2VjcmV0' });
      expect(stdout).toContain('(secret)');
      expect(stdout).not.toMatch(/token-of|c2VjcmV0/);
    }
  });

  it('prints the address of a database without its password', async () => {
    const { stdout } = await run('--json', {
      TANZANITE_STORE: 'postgres://me:hush-hush@db.example.com/tables?sslmode=require',
      TANZANITE_STORE_SECONDARY: 'postgres://db.example.com/tables?password=hush-hush',
    });
    const { store, storeSecondary, location } = JSON.parse(stdout);
    expect(store.value).toBe('postgres://me:***@db.example.com/tables?sslmode=require');
    expect(storeSecondary.value).toBe('postgres://db.example.com/tables?password=***');
    expect(location.value).toBeNull();
    expect(stdout).not.toContain('hush');
  });

  it('shows a default location only if the data is not in memory', async () => {
    expect((await settings(''))['location']?.value).toBe('tanzanite-data');
    expect((await settings('--in-memory-persistence'))['location']?.value).toBeNull();
  });

  it.each([40, 80, 120])('fits %i columns', (columns) => {
    const from = { kind: 'variable', name: 'TANZANITE_SKIP_API_VERSION_CHECK' } as const;
    const word = 'x'.repeat(200);
    const rows = [{ row: versionFlags.skipApiVersionCheck, word, given: { value: word, from } }];
    const lines = renderSettings([{ heading: 'Compatibility', settings: rows }], columns).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines).toHaveLength(2);
  });
});

describe('a wrong value is refused in one line that says where it is and what is allowed', () => {
  const port = 'must be a whole number from 0 to 65535, not';

  it.each([
    ['--tablePort x', {}, `--tablePort ${port} x.`],
    ['', { TANZANITE_TABLE_PORT: '1.5' }, `TANZANITE_TABLE_PORT ${port} 1.5.`],
    ['', { TANZANITE_LOOSE: '1' }, 'TANZANITE_LOOSE must be true or false, not 1.'],
    ['', { TANZANITE_THROTTLE: 'on' }, 'TANZANITE_THROTTLE must be one of off, observe, enforce, not on.'],
  ])('%s %j', async (words, env, line) => {
    expect(await refusal(words, env as Environment)).toBe(line);
  });

  it.each([
    [{ tablePort: '10002' }, `tablePort in tanzanite.json ${port} "10002".`],
    [{ loose: 'true' }, 'loose in tanzanite.json must be true or false, not "true".'],
    [{ accounts: 7 }, 'accounts in tanzanite.json must be any|file.'],
    [{ tabelPort: 1 }, 'tanzanite.json: there is no setting "tabelPort"; did you mean tablePort?'],
    [{ config: 'x.json' }, 'tanzanite.json: there is no setting "config"; tanzanite settings lists the settings'],
    [[], 'tanzanite.json must be a JSON object, such as {"tablePort": 10002}.'],
  ])('in the file: %j', async (members, line) => {
    writeSettings(members);
    expect(await refusal('')).toBe(line);
  });

  it('and a secret is not repeated', async () => {
    const fits = 'must be 16 to 1024 visible ASCII characters, without spaces.';
    expect(await refusal('--controlToken short')).toBe(`--control-token ${fits}`);
    expect(await refusal('', { TANZANITE_CONTROL_TOKEN: 'short' })).toBe(`TANZANITE_CONTROL_TOKEN ${fits}`);
    writeSettings({ controlToken: 'short' });
    expect(await refusal('')).toBe(`controlToken in tanzanite.json ${fits}`);
    writeSettings('{"pwd": "secret" "x": 1}');
    expect(await refusal('')).toMatch(/^tanzanite\.json is not JSON[^"]*\.$/);
  });

  it('and so is a named file that cannot be read', async () => {
    expect(await refusal('--config absent.json')).toMatch(/^--config absent\.json cannot be read: ENOENT/);
    expect(await refusal('', { TANZANITE_CONFIG: '.' })).toMatch(/^TANZANITE_CONFIG \. cannot be read: /);
    makeNamedPipe(join(folder.path, 'pipe'));
    expect(await refusal('--config pipe')).toBe('--config pipe cannot be read: it is not a regular file.');
  });

  it.each(['--cert pipe --key pipe', '--cert pipe --pwd x'])('and a named pipe without a writer: %s', async (words) => {
    makeNamedPipe(join(folder.path, 'pipe'));
    expect(await refusal(words)).toBe('--cert pipe cannot be read: it is not a regular file.');
  });
});

describe('a variable that is not a setting', () => {
  it('causes a notice with the nearest name', async () => {
    const { code, stderr } = await run('', { TANZANITE_TABEL_PORT: '1', TANZANITE_COLOUR: '1' });
    expect(code).toBe(0);
    expect(stderr.split('\n')).toEqual([
      'tanzanite: TANZANITE_TABEL_PORT: there is no such setting; did you mean TANZANITE_TABLE_PORT?',
      'tanzanite: TANZANITE_COLOUR: there is no such setting',
      '',
    ]);
  });

  it('causes none if another part of Tanzanite, or Kubernetes, sets it', async () => {
    const own = ['URL', 'CONNECTION_STRING', 'COPY_FROM', 'COPY_TO', 'TEST_SEED'];
    const names = [...own, 'PORT', 'SERVICE_HOST', 'SERVICE_PORT_TABLE', 'PORT_10002_TCP_ADDR'];
    const { stderr } = await run('', Object.fromEntries(names.map((name) => [`TANZANITE_${name}`, 'tcp://10.0.0.1'])));
    expect(stderr).toBe('');
  });
});

describe('the JSON schema', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../../openapi/tanzanite.schema.json', import.meta.url), 'utf8'),
  ) as object;
  const validate = new Ajv({ strict: true }).compile(schema);

  it('accepts what the command accepts, and every default', async () => {
    writeSettings({ tablePort: 0, loose: true, throttleWaitMax: 0.5, accounts: 'any', durability: 'none' });
    const file = JSON.parse(readFileSync(join(folder.path, 'tanzanite.json'), 'utf8')) as object;
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    const { config: _config, untilStdinEnds: _untilStdinEnds, ...inForce } = await settings('');
    const given = Object.entries(inForce).flatMap(([name, { value }]) => (value === null ? [] : [[name, value]]));
    expect(validate(Object.fromEntries(given)), JSON.stringify(validate.errors)).toBe(true);
    expect(Object.keys((schema as { properties: object }).properties)).toEqual([
      '$schema',
      ...Object.keys(inForce),
      'advisor',
    ]);
  });

  it.each([{ tablePort: '1' }, { tablePort: 65_536 }, { tabelPort: 1 }, { throttle: 'on' }, { splitAfter: 0 }])(
    'refuses %j, like the command',
    async (members) => {
      expect(validate(members)).toBe(false);
      writeSettings(members);
      await refusal('');
    },
  );
});
