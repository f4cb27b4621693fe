import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { driverFits, fitDriver } from '../../../scripts/fit-driver.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [newer, older] = [{ napi: 10 }, { napi: 9 }];
const opens = 'module.exports = class { close() {} };';
const doesNotOpen = 'throw new Error("built for another version of Node");';

let root: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  root = join(folder.path, 'clone');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  const npm = join(folder.path, 'npm-cli.js');
  env = { npm_execpath: npm, npm_config_cache: 'kept' };
  writeNpm(opens);
});

/** Writes a program in place of npm that installs a driver with this code, or fails. It records its arguments. */
function writeNpm(driver: string | undefined): void {
  const install = `
    const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const settings = Object.keys(process.env).filter((name) => /^npm_config_/i.test(name));
    writeFileSync(process.argv[1] + '.json', JSON.stringify({ words: process.argv.slice(2), settings }));
    mkdirSync('node_modules/better-sqlite3', { recursive: true });
    const version = dependencies['better-sqlite3'];
    writeFileSync('node_modules/better-sqlite3/package.json', JSON.stringify({ version }));
    writeFileSync('node_modules/better-sqlite3/index.js', ${JSON.stringify(driver)});`;
  writeFileSync(env['npm_execpath'] ?? '', driver === undefined ? 'process.exit(1);' : install);
}

const place = (name = 'better-sqlite3'): string => join(root, 'node_modules', name);

function install(version: string, code = opens): void {
  rmSync(place(), { recursive: true, force: true });
  mkdirSync(place());
  writeFileSync(join(place(), 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(place(), 'index.js'), code);
}

const versionIn = (name?: string): string =>
  JSON.parse(readFileSync(join(place(name), 'package.json'), 'utf8')).version;
const calls = (): { words: string[]; settings: string[] } | undefined => {
  const file = `${env['npm_execpath']}.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};
const prepare = ({ napi }: { readonly napi: number }, more: Readonly<Record<string, string>> = {}): void =>
  fitDriver({ root, napi, env: { ...env, ...more } });

describe('the driver of a clone', () => {
  it('stays if this Node can load it, and npm is not called', () => {
    install('13.2.0');
    prepare(newer);
    install('12.11.1');
    prepare(older);
    expect([readdirSync(place('.')), calls()]).toEqual([['better-sqlite3'], undefined]);
  });

  it('is exchanged for an older driver on an older Node, and back, with a single install', () => {
    install('13.2.0');
    expect(driverFits({ root, ...older })).toBe(false);
    prepare(older);
    expect([versionIn(), driverFits({ root, ...older })]).toEqual(['12.11.1', true]);
    expect(calls()?.words).toEqual(['ci', '--ignore-scripts=false', '--no-audit', '--no-fund']);
    prepare(newer);
    expect(versionIn()).toBe('13.2.0');
    writeNpm(undefined);
    prepare(older);
    expect(versionIn()).toBe('12.11.1');
    prepare(newer);
    expect([versionIn(), driverFits({ root, ...newer })]).toEqual(['13.2.0', true]);
  });

  it('is installed again if its addon cannot be loaded', () => {
    install('12.11.1', doesNotOpen);
    prepare(older);
    expect([driverFits({ root, ...older }), readdirSync(place('.'))]).toEqual([true, ['better-sqlite3']]);
  });

  it.each([
    ['npm fails', undefined],
    ['what npm installs does not load', doesNotOpen],
  ])('stays if %s', (_, driver) => {
    install('13.2.0');
    writeNpm(driver);
    expect(() => prepare(older)).toThrow(/^npm cannot install the SQLite driver that Node \S+ needs/);
    expect(versionIn()).toBe('13.2.0');
  });

  it('is found again if an exchange was interrupted', () => {
    install('13.2.0');
    prepare(older);
    rmSync(place(), { recursive: true });
    prepare(newer);
    expect(versionIn()).toBe('13.2.0');
  });

  it('needs npm ci on a newer Node if only the older driver is installed', () => {
    install('12.11.1');
    expect(() => prepare(newer)).toThrow('better-sqlite3 12.11.1 is for an older Node. Run: npm ci');
    expect(versionIn()).toBe('12.11.1');
  });

  it.each([{ npm_config_dry_run: 'true' }, { npm_config_package_lock_only: 'true' }])('stays with %j', (setting) => {
    install('13.2.0');
    prepare(older, setting);
    expect([versionIn(), calls()]).toEqual(['13.2.0', undefined]);
  });

  it('is not installed if no packages are installed', () => {
    prepare(older);
    expect([readdirSync(place('.')), calls()]).toEqual([[], undefined]);
  });

  it('is installed with the settings of the outer npm, except those that are only for its own install', () => {
    install('13.2.0');
    const outer = ['ignore_scripts', 'global', 'prefix', 'local_prefix', 'package_lock', 'omit', 'workspace'];
    prepare(older, Object.fromEntries(outer.map((name) => [`npm_config_${name}`, 'x'])));
    expect(calls()?.settings).toEqual(['npm_config_cache']);
    rmSync(place(), { recursive: true });
    install('13.2.0');
    prepare(older, { NPM_CONFIG_IGNORE_SCRIPTS: 'true' });
    expect(calls()?.settings).toEqual(['npm_config_cache']);
  });
});

it('npm compiles nothing in a clone: the lock file says that the driver includes its addon', () => {
  const { packages } = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));
  // npm ci reads this only from the lock file. npm install drops it, and then it must be written again.
  expect(packages['node_modules/better-sqlite3']).toMatchObject({
    version: expect.stringMatching(/^13\./),
    gypfile: false,
  });
});
