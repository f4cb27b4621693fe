// Runs the executable of this machine in tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const platform = process.platform === 'win32' ? 'win' : process.platform;
const name = `tanzanite-${platform}-${process.arch}${platform === 'win' ? '.exe' : ''}`;
export const executable = fileURLToPath(new URL(`../../executables/${name}`, import.meta.url));
export const isMade = existsSync(executable);

export const versionOfPackage: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

export function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

/** Environment variables without those of the user, and without Node on the path. */
export const surroundings = (cache: string) => ({ PATH: '/nowhere', XDG_CACHE_HOME: cache, LOCALAPPDATA: cache });

export function run(words: readonly string[], env: NodeJS.ProcessEnv, program = executable) {
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly said: () => string;
}

/** Resolves when the table service accepts requests. */
export async function serve(words: readonly string[], env: NodeJS.ProcessEnv, program = executable): Promise<Served> {
  const child = spawn(program, words, { env, cwd: newFolder(), stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text) => (said += text));
    child.stdout.on('data', (text) => {
      said += text;
      const found = /Table service is successfully listening at (\S+)/.exec(said);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('close', () => reject(new Error(`it ended: ${said}`)));
  });
  return { child, url, said: () => said };
}

export const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('close', resolve));

export const connectionStringOf = (url: string): string =>
  `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=${url}/devstoreaccount1`;

export const clientOf = (url: string): TableClient =>
  TableClient.fromConnectionString(connectionStringOf(url), 'pets', { allowInsecureConnection: true });
