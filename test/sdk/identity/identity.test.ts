// Tests Azure's identity libraries, which are unmodified and configured only by environment variables. The tests run
// without network access. In each language, a program lists tables with each credential. The built-in issuer makes the
// tokens. The emulator runs with --https auto, and the programs trust only its exported authority.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { installPackages } from '../../support/python-packages.ts';
import { isInstalled, runTool, type Tool } from '../../support/run-checks.ts';

const here = import.meta.dirname;

interface Language {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** The file that lists the packages of the language. */
  readonly manifest: string;
  /** Downloads these packages. */
  readonly prepare: () => Promise<unknown>;
}

const inFolder = (name: string, command: string, args: readonly string[]) =>
  runTool({ command, args, cwd: join(here, name) });

const languages: readonly Language[] = [
  {
    name: 'js',
    tools: [['npm', '--version']],
    manifest: 'package-lock.json',
    prepare: () => inFolder('js', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
  },
  {
    name: 'python',
    tools: [['python3', '--version']],
    manifest: 'requirements.txt',
    prepare: () => installPackages(join(here, 'python')),
  },
  {
    name: 'go',
    tools: [['go', 'version']],
    manifest: 'go.sum',
    prepare: () => inFolder('go', 'go', ['build', '-o', '.cache/identity', '.']),
  },
  {
    name: 'java',
    tools: [
      ['java', '-version'],
      ['javac', '-version'],
      ['mvn', '--version'],
    ],
    manifest: 'pom.xml',
    prepare: () =>
      inFolder('java', 'mvn', ['--batch-mode', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=.cache/jars']),
  },
];

/** Runs a program in a separate network, which has only the loopback interface. */
const alone = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
const canBeAlone = spawnSync(alone[0] ?? '', [...alone.slice(1), 'true']).status === 0;
if (!canBeAlone)
  console.warn('test/sdk/identity: runs with the network of this machine, as unshare --net is not allowed');

const credentials = [
  'default',
  'secret',
  'certificate',
  'managed identity',
  'workload identity',
  'secret without discovery',
  'certificate without discovery',
];

/** Installs the packages again only if the manifest has changed since the last time. */
async function prepareOnce({ name, manifest, prepare }: Language): Promise<void> {
  const stamp = createHash('sha256')
    .update(readFileSync(join(here, name, manifest)))
    .digest('hex');
  const stampFile = join(here, name, '.cache/prepared.sha256');
  if (readOr(stampFile) === stamp) return;
  await prepare();
  mkdirSync(join(here, name, '.cache'), { recursive: true });
  writeFileSync(stampFile, stamp);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Why a language cannot be tested. Empty if it can. */
async function reasonToSkip(language: Language): Promise<string> {
  const missing = language.tools.filter((tool) => !isInstalled(tool));
  if (missing.length > 0) return `${missing.join()} is not installed`;
  return prepareOnce(language).then(
    () => '',
    (error: Error) => error.message.split('\n', 1)[0] ?? '',
  );
}

// In parallel, because a first run mostly waits for downloads.
const reasons = await Promise.all(languages.map(reasonToSkip));

for (const [at, { name }] of languages.entries()) {
  const reason = reasons[at] ?? '';
  if (reason !== '') console.warn(`test/sdk/identity: ${name} skipped, ${reason}`);
  describe.skipIf(reason !== '')(`The identity library of ${name}, with variables and without the internet`, () => {
    let reports: ReadonlyMap<string, { readonly ok: boolean; readonly error?: string }>;
    beforeAll(() => {
      const words = [process.execPath, join(here, 'run.mjs'), name];
      const [command = '', ...args] = canBeAlone ? [...alone, ...words] : words;
      const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
      const lines = output.split('\n').filter((line) => line.startsWith('{'));
      reports = new Map(lines.map((line) => JSON.parse(line)).map((report) => [report.check, report]));
    }, 600_000);

    it.each(credentials)('lists tables with the credential: %s', (credential) => {
      expect(reports.get(credential)).toEqual({ check: credential, ok: true });
    });
  });
}
