import { ServerProcess, type ServerProcessOptions } from '../crash/server-process.mjs';

export interface StartedCommand {
  readonly server: ServerProcess;
  /** The address in the ready line. */
  readonly origin: string;
}

const readyTimeoutMs = 90_000;

/** Starts the built command and waits for its ready line, for HTTP or HTTPS, as text or JSON. */
export async function startBuiltCommand(
  args: readonly string[],
  options: ServerProcessOptions = {},
): Promise<StartedCommand> {
  const server = new ServerProcess(args, options);
  const end = server.ended().then(() => true);
  const giveUpAt = performance.now() + readyTimeoutMs;
  for (;;) {
    const url = /successfully listening at (https?:\/\/[^\s"]+)/.exec(server.stdout)?.[1];
    if (url !== undefined) return { server, origin: url.replace('//0.0.0.0', '//127.0.0.1') };
    const hasEnded = await Promise.race([end, new Promise<false>((resolve) => setTimeout(resolve, 10, false))]);
    if (hasEnded || performance.now() > giveUpAt) {
      server.kill('SIGKILL');
      throw new Error(`the command ${args.join(' ')} did not become ready: ${server.stdout}${server.stderr}`);
    }
  }
}
