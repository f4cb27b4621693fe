import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root, UnpackedPackage } from './unpacked-package.ts';

let unpacked: UnpackedPackage;
beforeAll(() => {
  unpacked = new UnpackedPackage();
  cpSync(join(root, 'test/package/use.cjs'), join(unpacked.folder, 'use.cjs'));
});
afterAll(() => unpacked.remove());

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a user's program in the folder of the package. */
function run(file: string, code: string): Ended {
  writeFileSync(join(unpacked.folder, file), code);
  return spawnSync(process.execPath, [file], { cwd: unpacked.folder, encoding: 'utf8' });
}

const esm = `import * as it from 'tanzanite'; import { use } from './use.cjs'; console.log(await use(it));`;
const commonJs = `require('./use.cjs').use(require('tanzanite')).then(console.log);`;

describe('the package', () => {
  it.each([
    ['an ES module', 'user.mjs', esm],
    ['a CommonJS module', 'user.cjs', commonJs],
  ])('answers in %s, and lets the process end', (_, file, code) => {
    expect(run(file, code)).toMatchObject({ status: 0, stdout: '201 201 3\n', stderr: '' });
  });

  it('closes at the end of a block with `await using`', () => {
    const code = `
      const { startEmulator } = require('tanzanite');
      startEmulator().then((emulator) => emulator[Symbol.asyncDispose]()).then(() => console.log('closed'));`;
    expect(run('using.cjs', code)).toMatchObject({ status: 0, stdout: 'closed\n', stderr: '' });
  });

  it('has a command that starts and answers', async () => {
    const args = ['start', '--tablePort', '0', '--inMemoryPersistence', '--silent'];
    const server = spawn(unpacked.own('dist/cli.js'), args, { cwd: unpacked.folder });
    try {
      let said = '';
      for await (const text of server.stdout) {
        said += text;
        const url = /listening at (http:\S+)/.exec(said)?.[1];
        if (url === undefined) continue;
        expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
        return;
      }
      expect.fail(said);
    } finally {
      server.kill();
    }
  });
});

describe('the package without a usable SQLite driver fails with one line that says what to do', () => {
  const requireHere = createRequire(import.meta.url);

  const { version } = requireHere('better-sqlite3/package.json') as { version: string };
  const isOlder = Number.parseInt(version, 10) < 13;
  const canLoadNewer = Number(process.versions.napi) >= 10;

  /** Installs only the driver's JavaScript. An install without scripts, or for another system, leaves the same. */
  function installDriver(claimed = version): void {
    const driver = dirname(requireHere.resolve('better-sqlite3/package.json'));
    const place = join(unpacked.folder, 'node_modules/better-sqlite3');
    rmSync(place, { recursive: true, force: true });
    // Version 12 contains the packages that it needs, because scripts/fit-driver.mjs installs it in this way.
    for (const name of isOlder ? ['lib', 'node_modules'] : ['lib'])
      cpSync(join(driver, name), join(place, name), { recursive: true });
    const manifest = requireHere('better-sqlite3/package.json');
    writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, version: claimed }));
  }

  const start = (): Ended => {
    const args = [unpacked.own('dist/cli.js'), 'start', '--tablePort', '0', '--inMemoryPersistence'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: unpacked.folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, stdout, stderr };
  };

  const fault = isOlder
    ? 'better-sqlite3 is without its addon: its install script was not run. Run: npm rebuild better-sqlite3.'
    : `better-sqlite3 ${version} has no addon for ${process.platform} on ${process.arch}. ` +
      'Run: npm explore better-sqlite3 -- npm run build-release.';

  it('if the driver has no addon', () => {
    installDriver();
    const stderr = `tanzanite: SQLite cannot be loaded: ${fault} Then start again.\n`;
    expect(start()).toEqual({ status: 2, stdout: '', stderr });
  });

  it('if the driver has no addon, also in a test that uses the library', () => {
    installDriver();
    const code = `require('tanzanite').startEmulator().catch((error) => console.log(error.name, error.reason, error.message));`;
    expect(run('refused.cjs', code).stdout).toBe(`StoreUnavailable driverMissing SQLite cannot be loaded: ${fault}\n`);
  });

  it.skipIf(canLoadNewer)('if the driver would crash this Node', () => {
    installDriver('13.2.0');
    const { status, stderr } = start();
    expect(stderr).toMatch(
      /better-sqlite3 13\.2\.0 needs Node 22\.14 or newer, .* Run: npm install better-sqlite3@12\./,
    );
    expect(status).toBe(2);
  });

  it.each(canLoadNewer ? ['12.11.1'] : ['12.11.1', '13.2.0'])('in a clone with the driver at version %s', (claimed) => {
    installDriver(claimed);
    mkdirSync(join(unpacked.folder, 'scripts'));
    onTestFinished(() => rmSync(join(unpacked.folder, 'scripts'), { recursive: true }));
    writeFileSync(join(unpacked.folder, 'scripts/fit-driver.mjs'), '');
    expect(start()).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('. Run: npm run prepare. Then start again.'),
    });
  });
});
