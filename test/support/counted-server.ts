import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const counter = new URL('./count-work.mjs', import.meta.url).href;

/** The built command in its own process, with counters of the work that its code does. */
export interface CountedServer {
  readonly origin: string;
  /** How often functions, branches and loops run while the server handles an exchange. */
  workOf(exchange: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

export async function startCountedServer(flags: readonly string[]): Promise<CountedServer> {
  const child = fork(command, ['--tablePort', '0', '--inMemoryPersistence', ...flags], {
    execArgv: ['--import', counter],
    // Code from the command's compile cache would have no counters.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.once('exit', () => reject(new Error(`the server ended: ${text}`)));
    // The test reads the log continuously, because writing log lines for refused requests is a part of the work.
    child.stdout?.on('data', (chunk) => {
      text = `${text}${chunk}`.slice(-4_096);
      const found = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  /** The work since the last call of this function. */
  const take = async (): Promise<number> => {
    const answered = once(child, 'message');
    child.send('take');
    const [work] = await answered;
    return work as number;
  };
  return {
    origin,
    async workOf(exchange) {
      await take();
      await exchange();
      return take();
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
