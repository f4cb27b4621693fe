// Runs the GitHub Action as the runner does: each part of the action runs in its own process, with files for its
// outputs. A local server replaces the releases. The server offers an executable that starts dist/cli.js.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error: without types
import { downloadExecutable } from '../../scripts/action/download.mjs';
// @ts-expect-error: without types
import { unpack } from '../../scripts/action/unpack.mjs';
// @ts-expect-error: without types
import { splitWords } from '../../scripts/action/workflow.mjs';
// @ts-expect-error: without types
import { tarGz, zip } from '../../scripts/release/archives.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'dist/cli.js');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const archiveName = `tanzanite-${process.platform}-${process.arch}.tar.gz`;
const script = `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`;
const archive: Buffer = tarGz([
  { name: 'LICENSE', contents: Buffer.from('a licence'), isProgram: false },
  { name: 'tanzanite', contents: Buffer.from(script), isProgram: true },
]);
const sumOf = (contents: Buffer): string => createHash('sha256').update(contents).digest('hex');

let folder: string;
let server: Server;
let respond: (name: string, response: ServerResponse) => void;
let requested: string[];
/** The jobs of a test. Their processes are ended after it. */
let jobs: Job[];

/** Makes a release. `files` replace some of its files. */
function release(files: Readonly<Record<string, Buffer>> = {}): void {
  const all: Record<string, Buffer> = {
    SHA256SUMS: Buffer.from(`${sumOf(archive)}  ${archiveName}\n`),
    [archiveName]: archive,
    ...files,
  };
  respond = (name, response) => {
    response.statusCode = all[name] ? 200 : 404;
    response.end(all[name]);
  };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tanzanite-action-'));
  jobs = [];
  requested = [];
  release();
  server = createServer((request, response) => {
    requested.push(request.url ?? '');
    respond((request.url ?? '').replace(/^.*\//, ''), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const job of jobs) await job.post();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Step {
  readonly status: number | null;
  readonly stdout: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** A job on a runner. Variables, the path and the state pass from one part to the next. */
class Job {
  readonly variables: Record<string, string> = {};
  readonly state: Record<string, string> = {};
  path = process.env['PATH'] ?? '';
  private parts = 0;

  private readonly environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv = {}) {
    this.environment = environment;
    jobs.push(this);
  }

  main(inputs: Readonly<Record<string, string>> = {}): Promise<Step> {
    return this.part('start.mjs', { args: '--tablePort 0', ...inputs });
  }

  post(inputs: Readonly<Record<string, string>> = {}): Promise<Step> {
    return this.part('stop.mjs', inputs);
  }

  private async part(name: string, inputs: Readonly<Record<string, string>>): Promise<Step> {
    const given = Object.entries(inputs).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value]);
    const state = Object.entries(this.state).map(([key, value]) => [`STATE_${key}`, value]);
    const kinds = ['OUTPUT', 'ENV', 'STATE', 'PATH', 'STEP_SUMMARY'];
    this.parts += 1;
    const files = kinds.map((kind) => [`GITHUB_${kind}`, join(folder, `${jobs.indexOf(this)}-${this.parts}-${kind}`)]);
    for (const [, path = ''] of files) writeFileSync(path, '');
    const { status, stdout } = await this.run([process.execPath, join(root, 'scripts/action', name)], {
      RUNNER_TEMP: join(folder, 'temp'),
      RUNNER_TOOL_CACHE: join(folder, 'tools'),
      TANZANITE_DOWNLOAD: address(),
      ...Object.fromEntries([...given, ...state, ...files]),
      ...this.environment,
    });
    const [outputs = '', variables = '', kept = '', paths = '', summary = ''] = files.map(([, path = '']) =>
      readFileSync(path, 'utf8'),
    );
    Object.assign(this.variables, readNamed(variables));
    Object.assign(this.state, readNamed(kept));
    for (const one of paths.split('\n').filter(Boolean)) this.path = `${one}:${this.path}`;
    return { status, stdout, outputs: readNamed(outputs), summary };
  }

  /** Runs a later step. */
  async run([command, ...args]: readonly [string, ...string[]], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, PATH: this.path, ...this.variables, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [status] = (await once(child, 'close')) as [number | null];
    expect(stderr).toBe('');
    return { status, stdout };
  }
}

const readNamed = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n\2\n/gm)].map(([, name, , value]) => [name, value]));

const refused = (message: string) => ({
  status: 1,
  stdout: `::error title=Tanzanite::tanzanite: ${message}\n`,
  outputs: {},
  summary: '',
});

async function isAnswering(url: string): Promise<boolean> {
  return fetch(`${url}/_emulator/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Queries a table with a filter on a property, for which the advisor has a rule. */
async function scanTable(connectionString: string, title = 'Pets'): Promise<void> {
  const client = TableClient.fromConnectionString(connectionString, title, { allowInsecureConnection: true });
  await client.createTable();
  const pets = Array.from({ length: 100 }, (_, index) => ({ partitionKey: 'p', rowKey: `${index}`, colour: 'red' }));
  await client.submitTransaction(pets.map((pet) => ['create', pet]));
  for (let index = 0; index < 30; index++) {
    for await (const _ of client.listEntities({ queryOptions: { filter: "colour eq 'blue'" } }));
  }
}

describe.skipIf(process.platform === 'win32')('The GitHub Action', () => {
  it('downloads a release once, starts it for the steps that follow, and ends it with a report', async () => {
    const job = new Job();
    const started = await job.main({ version: `v${version}` });
    expect(started).toMatchObject({ status: 0, stdout: `Tanzanite answers at ${started.outputs['url']}\n` });
    await scanTable(started.outputs['connection-string'] ?? '');
    const listed = await job.run(['tanzanite', 'table', 'list']);
    expect(listed).toEqual({ status: 0, stdout: expect.stringContaining('Pets') });
    const stopped = await job.post();
    expect(stopped).toMatchObject({ status: 0, stdout: '' });
    expect(stopped.summary).toContain('Pets');
    expect(await isAnswering(started.outputs['url'] ?? '')).toBe(false);

    const count = requested.length;
    const next = new Job();
    expect(await next.main()).toMatchObject({ status: 0 });
    expect(requested.slice(count)).toEqual(['/SHA256SUMS']);
  });

  it('writes a SARIF file, and fails the job on findings, when a later step stops it', async () => {
    const job = new Job();
    const { outputs } = await job.main({ 'fail-on': 'note', sarif: 'made/advice.sarif' });
    await scanTable(outputs['connection-string'] ?? '');
    const stopped = await job.main({ stop: 'true' });
    expect(stopped).toMatchObject({
      status: 1,
      stdout:
        '::error title=Tanzanite::tanzanite: the advisor has findings of at least the severity note: see the summary of the job.\n',
    });
    expect(stopped.summary).toContain('Pets');
    expect(JSON.parse(readFileSync(join(folder, 'made/advice.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(await isAnswering(outputs['url'] ?? '')).toBe(false);
    expect(await job.post()).toEqual({ status: 0, stdout: '', outputs: {}, summary: '' });
  });

  it('passes if no finding has the severity, with an empty SARIF file', async () => {
    const job = new Job();
    await job.main({ 'fail-on': 'note', sarif: 'advice.sarif' });
    expect(await job.post()).toMatchObject({ status: 0, stdout: '' });
    expect(JSON.parse(readFileSync(join(folder, 'advice.sarif'), 'utf8')).runs[0].results).toEqual([]);
  });

  it('accepts an executable that the job built, a folder of tables, and flags', async () => {
    mkdirSync(join(folder, 'the data'));
    writeFileSync(join(folder, 'the data/People.ndjson'), '{"PartitionKey":"a","RowKey":"1","name":"Ada"}\n');
    const job = new Job();
    const { status, outputs, stdout } = await job.main({
      executable: cli,
      seed: 'the data',
      args: "--tablePort 0\n--debug 'the requests.log'",
    });
    expect(status, stdout).toBe(0);
    expect(requested).toEqual([]);
    expect((await job.run(['tanzanite', 'entity', 'query', 'People'])).stdout).toContain('Ada');
    // A line is written a moment after its answer.
    await expect.poll(() => readFileSync(join(folder, 'the requests.log'), 'utf8')).toContain('People');
    expect(outputs['connection-string']).toContain(`TableEndpoint=${outputs['url']}/devstoreaccount1;`);
  });

  it('says that the emulator ended before the job did', async () => {
    const job = new Job();
    const { outputs } = await job.main();
    const { pid } = JSON.parse(readFileSync(job.state['started'] ?? '', 'utf8'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAnswering(outputs['url'] ?? '')).toBe(false);
    const ended = await job.post();
    expect(ended).toEqual(refused('the emulator ended before the job did: it said nothing.'));
  });

  it('makes no report if the advisor is off, unless the job asks for one', async () => {
    const quiet = new Job();
    await quiet.main({ args: '--tablePort 0 --no-advisor' });
    expect(await quiet.post()).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^::notice title=Tanzanite::there is no report of the advisor: .+\n$/),
    });
    const strict = new Job();
    const { outputs } = await strict.main({ args: '--tablePort 0 --no-advisor', 'fail-on': 'warning' });
    expect(await strict.post()).toMatchObject({ status: 1, summary: '' });
    expect(await isAnswering(outputs['url'] ?? '')).toBe(false);
  });

  it('refuses a port that is in use', async () => {
    const { port } = server.address() as AddressInfo;
    const { status, stdout } = await new Job().main({ args: `--tablePort ${port}` });
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(
        new RegExp(`^::error title=Tanzanite::tanzanite: the emulator did not start: .*${port}.*\n$`),
      ),
    });
  });

  it.each([
    [{ 'fail-on': 'fatal' }, 'the input fail-on must be note, warning or error, not fatal.'],
    [{ version: 'newest' }, 'the input version must be one like 1.2.3, not newest.'],
    [{ stop: 'later' }, 'the input stop must be true or false, not later.'],
    [{ stop: 'true' }, 'no earlier step of this job started an emulator.'],
    [{ args: "--location 'data" }, "the input args has a ' that is not closed."],
    [{ executable: 'missing/tanzanite' }, 'the input executable names no file: missing/tanzanite.'],
    [{ executable: cli, version: '9.9.9' }, `the version of node ${cli} is ${version}, and the step wants 9.9.9.`],
  ])('refuses %j', async (inputs, message) => {
    expect(await new Job().main(inputs)).toEqual(refused(message));
  });

  it('prints one line for an unknown flag, and for a missing folder of tables', async () => {
    const flag = await new Job().main({ args: '--tablePort 0 --no-such-flag' });
    const seed = await new Job().main({ seed: 'missing' });
    for (const { status, stdout } of [flag, seed]) {
      expect({ status, stdout }).toEqual({
        status: 1,
        stdout: expect.stringMatching(/^::error title=Tanzanite::tanzanite: the emulator did not start: .+\n$/),
      });
    }
    expect(seed.stdout).toContain('missing');
  });
});

describe.skipIf(process.platform === 'win32')('A download of the GitHub Action', () => {
  const left = (): string[] => {
    const cache = join(folder, 'tools/tanzanite');
    return existsSync(cache) ? readdirSync(cache) : [];
  };

  it('says that the release does not exist', async () => {
    respond = (_, response) => void response.writeHead(404).end();
    expect(await new Job().main({ version: '9.9.9' })).toEqual(
      refused(`there is no release 9.9.9 at ${address()}/SHA256SUMS.`),
    );
  });

  it('says that a release has no executable for this machine', async () => {
    release({ SHA256SUMS: Buffer.from(`${sumOf(archive)}  tanzanite-plan9-x64.tar.gz\n`) });
    expect(await new Job().main({ version })).toEqual(
      refused(`release ${version} has no executable for ${process.platform}-${process.arch}.`),
    );
  });

  it('refuses an archive with another checksum, and keeps nothing of it', async () => {
    const other = randomBytes(1000);
    release({ [archiveName]: other });
    expect(await new Job().main()).toEqual(
      refused(`${address()}/${archiveName} has the SHA-256 ${sumOf(other)}; the release says ${sumOf(archive)}.`),
    );
    expect(left()).toEqual([]);
  });

  it('refuses a damaged archive, even with the right checksum', async () => {
    const damaged = archive.subarray(0, archive.length - 20);
    release({ SHA256SUMS: Buffer.from(`${sumOf(damaged)}  ${archiveName}\n`), [archiveName]: damaged });
    expect(await new Job().main()).toEqual(
      refused(`${address()}/${archiveName} cannot be unpacked: unexpected end of file.`),
    );
    expect(left()).toEqual([]);
  });

  it('that breaks off keeps nothing, and the next download is complete', async () => {
    const whole = respond;
    respond = (name, response) => {
      if (name === 'SHA256SUMS') return whole(name, response);
      response.writeHead(200, { 'content-length': archive.length });
      response.write(archive.subarray(0, 100), () => response.destroy());
    };
    const { status, stdout } = await new Job().main();
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^::error title=Tanzanite::tanzanite: the download of \S+ stopped: .+\.\n$/),
    });
    expect(left()).toEqual([]);
    respond = whole;
    expect(await new Job().main()).toMatchObject({ status: 0 });
  });

  it('that receives no data is given up', async () => {
    respond = (_, response) => void response.writeHead(200).flushHeaders();
    process.env['TANZANITE_DOWNLOAD'] = address();
    try {
      await expect(downloadExecutable(version, { stalledAfterMs: 20 })).rejects.toThrow(
        `the download of ${address()}/SHA256SUMS stopped: no data for 0.02 s.`,
      );
    } finally {
      delete process.env['TANZANITE_DOWNLOAD'];
    }
  });

  it('by several jobs at the same time leaves one executable', async () => {
    const steps = await Promise.all([1, 2, 3].map(() => new Job().main()));
    expect(steps.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(left()).toEqual([`${version}-${sumOf(archive).slice(0, 16)}`]);
  });

  it('without a server prints one line', async () => {
    const job = new Job({ TANZANITE_DOWNLOAD: 'http://127.0.0.1:1/' });
    expect((await job.main()).stdout).toMatch(
      /^::error title=Tanzanite::tanzanite: the download of \S+ stopped: .+\n$/,
    );
  });
});

describe('The scripts of the GitHub Action', () => {
  it('unpack the archives of a release, also for Windows', () => {
    const contents = randomBytes(100_000);
    const files = (name: string) => [
      { name: 'LICENSE', contents: Buffer.from('a licence'), isProgram: false },
      { name, contents, isProgram: true },
    ];
    expect(unpack(tarGz(files('tanzanite')), { name: 'tanzanite', isZip: false })).toEqual(contents);
    expect(unpack(zip(files('tanzanite.exe')), { name: 'tanzanite.exe', isZip: true })).toEqual(contents);
    expect(() => unpack(zip(files('other')), { name: 'tanzanite.exe', isZip: true })).toThrow(
      'it has no tanzanite.exe',
    );
  });

  it.each([
    ['', []],
    ['  --a b\n\t--c=d ', ['--a', 'b', '--c=d']],
    [`--a "b c" --d='e "f"' ''`, ['--a', 'b c', '--d=e "f"', '']],
    ['C:\\data\\x', ['C:\\data\\x']],
  ])('split %j into arguments', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('exist, and read the inputs that action.yml describes', () => {
    const { inputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
    expect([runs.main, runs.post].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const source = readFileSync(join(root, 'scripts/action/workflow.mjs'), 'utf8');
    const read = [...source.matchAll(/input\('([a-z-]+)'\)/g)].map(([, name]) => name);
    expect(read.sort()).toEqual(Object.keys(inputs).sort());
  });
});
