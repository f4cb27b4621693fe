import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The source texts of the built modules that a command loads. V8 reports them when the command ends. */
async function textsLoadedBy(words: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  await runCommand(words, { cwd: folder.path, env: { NODE_V8_COVERAGE: join(folder.path, 'coverage') } });
  const [report = ''] = readdirSync(join(folder.path, 'coverage'));
  const { result }: Coverage = JSON.parse(readFileSync(join(folder.path, 'coverage', report), 'utf8'));
  const urls = result.map(({ url }) => url).filter((url) => url.includes('/dist/'));
  return urls.map((url) => readFileSync(fileURLToPath(url), 'utf8'));
}

const ofEmulator = /from"better-sqlite3"|FastifyError/;
const ofPostgres = /scramMaxIterations/;
const absent = 'http://127.0.0.1:1';

describe('a command that starts no emulator', () => {
  it.each([
    ['health', '--url', absent],
    ['wait', '--timeout', '0', '--url', absent],
    ['reset', '--url', absent],
    ['advise', '--url', absent],
    ['top', '--url', absent],
    ['connection-string'],
    ['table', 'list', '--url', absent],
    ['entity', 'query', 'People', '--url', absent],
    ['explain', 'Age gt 5'],
    ['store', 'check'],
    ['exec', '--help'],
    ['exec', '--env', 'A=1', '--', 'true'],
    ['chaos', '--env', 'A=1', '--', 'true'],
    ['completion', 'bash'],
    ['mcp', '--url', absent],
    ['--help'],
  ])('loads no module of the emulator: %s', async (...words) => {
    const texts = await textsLoadedBy(words);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.filter((text) => ofEmulator.test(text))).toEqual([]);
  });
});

it('start loads the modules of the emulator, and the driver of PostgreSQL only with --store', async () => {
  const start = ['--tablePort', '0', '--tableHost', '192.0.2.1'];
  const texts = await textsLoadedBy([...start, '--inMemoryPersistence']);
  expect(texts.filter((text) => ofEmulator.test(text)).length).toBeGreaterThan(0);
  expect(texts.filter((text) => ofPostgres.test(text))).toEqual([]);
  const withStore = await textsLoadedBy([...start, '--store', 'postgres://user@127.0.0.1:1/none']);
  expect(withStore.filter((text) => ofPostgres.test(text)).length).toBeGreaterThan(0);
});

it('start does not load the code that compiles the schemas of the control plane', async () => {
  const texts = await textsLoadedBy(['--tablePort', '0', '--tableHost', '192.0.2.1', '--inMemoryPersistence']);
  expect(texts.filter((text) => /strictTuples/.test(text))).toEqual([]);
});

it('only mcp loads the code for the Model Context Protocol, in a chunk of at most 500 KB', async () => {
  const ofProtocol = /notifications\/cancelled/;
  const start = ['--tablePort', '0', '--tableHost', '192.0.2.1', '--inMemoryPersistence'];
  const [started, served] = [await textsLoadedBy(start), await textsLoadedBy(['mcp', '--url', absent])];
  expect(started.filter((text) => ofProtocol.test(text))).toEqual([]);
  const chunks = served.filter((text) => ofProtocol.test(text));
  expect(chunks.length).toBeGreaterThan(0);
  expect(chunks.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(500_000);
});

it('start loads the code that makes certificates only with --https auto, and only if there are none', async () => {
  const ofCertificates = /certificateGenerator|X509CertificateGenerator/;
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  // No machine has this address, so the start ends by itself.
  const start = ['--tablePort', '0', '--tableHost', '192.0.2.1', '--location', folder.path];
  const secure = [...start, '--https', 'auto'];
  const loads = [];
  for (const words of [start, secure, secure])
    loads.push((await textsLoadedBy(words)).some((text) => ofCertificates.test(text)));
  expect(loads).toEqual([false, true, false]);
});

it('start loads the code that sends spans only with --otlp', async () => {
  const ofTraces = /resourceSpans/;
  const start = ['--tablePort', '0', '--tableHost', '192.0.2.1', '--inMemoryPersistence'];
  const loads = [];
  for (const words of [start, [...start, '--otlp', 'http://127.0.0.1:1']])
    loads.push((await textsLoadedBy(words)).some((text) => ofTraces.test(text)));
  expect(loads).toEqual([false, true]);
});
