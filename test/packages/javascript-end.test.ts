// A runner is killed, or gets Ctrl-C, at a random moment while its tests write. The runner must leave no process, no
// used port and no folder behind. To repeat the moments of a run, set TANZANITE_TEST_SEED. Jest is not installed here.
// The same test was tried by hand with Jest, both in Jest's workers and in its main process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../support/random.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testSeed } from '../support/test-seed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const folder = 'test/packages/javascript/endless';

const runners = [
  { name: 'Vitest', words: [vitest, 'run', '--root', folder] },
  { name: 'node:test', words: ['--test', `${folder}/endless.node.mjs`] },
];

/** Ctrl-C reaches the whole process group; a kill reaches only the runner. */
const ends = [
  { name: 'kill -9', end: ({ pid = 0 }: ChildProcess) => process.kill(pid, 'SIGKILL') },
  { name: 'Ctrl-C', end: ({ pid = 0 }: ChildProcess) => process.kill(-pid, 'SIGINT') },
];

let temporary: ReturnType<typeof temporaryFolder>;
let watcher: Server;
let runner: ChildProcess;

beforeEach(async () => {
  temporary = temporaryFolder();
  watcher = createServer();
  watcher.listen(0, '127.0.0.1');
  await once(watcher, 'listening');
});

afterEach(() => {
  try {
    process.kill(-(runner.pid ?? 0), 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
  watcher.close();
  temporary.remove();
});

/** Starts a runner without the environment variables of this run. */
function start(words: readonly string[]): ChildProcess {
  const env = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_TEST_CONTEXT|NODE_OPTIONS|TEST$|TINYPOOL)/.test(name),
  );
  return spawn(process.execPath, words, {
    cwd: root,
    env: {
      ...Object.fromEntries(env),
      WATCHER_PORT: `${(watcher.address() as AddressInfo).port}`,
      TMPDIR: temporary.path,
    },
    stdio: 'ignore',
    detached: true,
  });
}

/**
 * Counts the lines that the test sends to report its progress, and calls `end` at line number `moment`. Resolves with
 * the emulator's address when the process of the test has ended.
 */
async function watch(moment: number, end: () => void): Promise<string | undefined> {
  const early = once(runner, 'exit').then(() => Promise.reject(new Error('the runner ended by itself')));
  const [worker] = (await Promise.race([once(watcher, 'connection'), early])) as [Socket];
  let url: string | undefined;
  let count = 0;
  worker.setEncoding('utf8');
  // A killed process may reset its connection, which is not an error here.
  worker.on('error', () => undefined);
  worker.on('data', (text: string) => {
    for (const line of text.split('\n').filter(Boolean)) {
      url ??= /^started (\S+)$/.exec(line)?.[1];
      if (++count === moment) end();
    }
  });
  await once(worker, 'close');
  return url;
}

async function isAnswering(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

describe.skipIf(process.platform === 'win32').each(runners)('$name', ({ name, words }) => {
  const random = new Random(testSeed + name.length);

  // The first moments are the beginning of the file and of the test. Each later moment is a write.
  it.each(ends.map((end) => ({ ...end, moment: random.integer(1, 30) })))(
    'leaves nothing after $name at moment $moment',
    async ({ end, moment }) => {
      runner = start(words);
      const ended = once(runner, 'exit');
      const url = await watch(moment, () => end(runner));
      await ended;
      if (url !== undefined) expect(await isAnswering(url)).toBe(false);
      expect(readdirSync(temporary.path).filter((entry) => entry.includes('tanzanite'))).toEqual([]);
    },
  );
});
