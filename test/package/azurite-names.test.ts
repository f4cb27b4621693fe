// Tests packages/azurite in the folder node_modules of a project. Some of the projects also have an imitation of
// Azurite. The tests use the command lines of programs that start `azurite`.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'packages/azurite');
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A project with the package, its dependency, and possibly Azurite. */
function project(others: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const modules = join(folder.path, 'node_modules');
  mkdirSync(modules);
  cpSync(source, join(modules, 'tanzanite-azurite'), { recursive: true });
  for (const [name, target] of Object.entries({ tanzanite: root, ...others })) symlinkSync(target, join(modules, name));
  return folder.path;
}

interface Running {
  readonly url: string;
  readonly said: () => string;
}

function run(folder: string, name: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = join(folder, 'node_modules/tanzanite-azurite', manifest.bin[name]);
  const child = spawn(process.execPath, [program, ...words], { cwd: folder, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text));
  const ready = new Promise<Running>((resolve, reject) => {
    child.stdout.on('data', () => {
      const url = /Table service is successfully listening at (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, said: () => said });
    });
    child.once('close', () => reject(new Error(said)));
  });
  ready.catch(() => undefined);
  return { ready, ended: new Promise<string>((resolve) => child.once('close', () => resolve(said))) };
}

describe('the package tanzanite-azurite', () => {
  it('has the version of tanzanite, needs that version and never azurite', () => {
    expect(manifest.version).toBe(own.version);
    expect(manifest.engines).toEqual(own.engines);
    expect(manifest.dependencies).toEqual({ tanzanite: own.version });
  });

  it('prints a version, like azurite', async () => {
    expect(await run(project(), 'azurite', ['--version']).ended).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  // Evidence: peers (Azure Functions Core Tools 5: the command line, and the three addresses to which the tools send
  // requests until each address answers).
  it('accepts the command line with which Functions starts azurite, and answers its requests', async () => {
    const folder = project({ azurite: join(root, 'test/support/fake-azurite') });
    const ports = ['--blobPort', '0', '--queuePort', '0', '--tablePort', '0'];
    const hosts = ['blob', 'queue', 'table'].flatMap((service) => [`--${service}Host`, '127.0.0.1']);
    const others = ['--disableProductStyleUrl', '--skipApiVersionCheck', '--disableTelemetry', '--silent'];
    const words = ['-l', join(folder, 'data'), ...hosts, ...ports, ...others, '--debug', join(folder, 'debug.log')];
    const { said, url } = await run(folder, 'azurite', words).ready;
    const urls = ['Blob', 'Queue'].map(
      (service) => new RegExp(`Azurite ${service} service is successfully listening at (\\S+)`).exec(said())?.[1] ?? '',
    );
    const statuses = await Promise.all(
      [...urls, url].map(async (one) => (await fetch(`${one}/devstoreaccount1?comp=list`)).status),
    );
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(existsSync(join(folder, 'data'))).toBe(true);
  });

  // Evidence: peers (Azure Toolkit for Rider, AzuriteService: the toolkit looks for --tableHost in the help, then
  // starts azurite with the words in this test).
  it('accepts the command lines with which Rider inspects and starts azurite', async () => {
    const folder = project({ azurite: join(root, 'test/support/fake-azurite') });
    const help = await run(folder, 'azurite', ['--help']).ended;
    expect(help.split('\n').some((line) => line.includes('--tableHost'))).toBe(true);
    const words = ['blob', 'queue'].flatMap((service) => [`--${service}Host`, '127.0.0.1', `--${service}Port`, '0']);
    const table = ['--tableHost', '127.0.0.1', '--tablePort', '0', '--loose'];
    const { said } = await run(folder, 'azurite', [...words, '--location', join(folder, 'data'), ...table]).ready;
    expect(said().match(/service is successfully listening at/g)).toHaveLength(3);
    const pfx = ['--oauth', 'basic', '--cert', join(root, 'nowhere.pfx'), '--pwd', 'secret'];
    // It says which services it does not have, but it knows every flag.
    expect(await run(folder, 'azurite', [...words, ...table, ...pfx]).ended).not.toContain('unknown flag');
  });

  // Evidence: peers (Azure Toolkit for IntelliJ: it waits for this text, and passes these words).
  it('accepts the command line of IntelliJ, and prints the line that IntelliJ waits for', async () => {
    const folder = project();
    const words = ['--location', join(folder, 'workspace'), '--loose', '--tablePort', '0'];
    const { said } = await run(folder, 'azurite', words).ready;
    expect(said()).toMatch(/service is successfully listening at/);
  });

  // Evidence: peers (the Visual Studio Code extension Azurite contains Azurite and runs it, and its settings have the
  // names of the flags; the extension Azure Storage runs `azurite -v` to find out whether the command exists).
  it('accepts each setting of the Visual Studio Code extension as a flag, and prints its version', async () => {
    const folder = project({ azurite: join(root, 'test/support/fake-azurite') });
    expect(await run(folder, 'azurite', ['-v']).ended).toMatch(/^.*\d+\.\d+\.\d+\n$/m);
    const services = ['blob', 'queue', 'table'].flatMap((service) => [
      ...[`--${service}Host`, '127.0.0.1', `--${service}Port`, '0'],
      ...[`--${service}KeepAliveTimeout`, '5'],
    ]);
    const switches = ['silent', 'loose', 'skipApiVersionCheck', 'disableProductStyleUrl', 'disableTelemetry'];
    const memory = ['--inMemoryPersistence', '--extentMemoryLimit', '100'];
    const words = [...services, ...switches.map((name) => `--${name}`), ...memory];
    const { said, url } = await run(folder, 'azurite', words).ready;
    expect(said().match(/service is successfully listening at/g)).toHaveLength(3);
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  });

  it('warns if azurite is installed too, because its commands have the same names', async () => {
    const folder = project({ azurite: join(root, 'test/support/fake-azurite') });
    expect(await run(folder, 'azurite', ['--version']).ended).toContain('either of the two may run');
  });

  it('serves only tables as azurite-table', async () => {
    const words = ['--tablePort', '0', '--silent', '--inMemoryPersistence'];
    const { url } = await run(project(), 'azurite-table', words).ready;
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  });
});
