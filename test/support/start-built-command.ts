import { ServerProcess, type ServerProcessOptions } from './server-process.mjs';

export interface StartedCommand {
  readonly server: ServerProcess;
  /** The address in the ready line. */
  readonly origin: string;
}

/** Starts the built command and waits for its ready line. The line may be for HTTP or HTTPS, and text or JSON. */
export async function startBuiltCommand(
  args: readonly string[],
  options: ServerProcessOptions = {},
): Promise<StartedCommand> {
  const server = new ServerProcess(args, options);
  const url = await server.ready(/successfully listening at (https?:\/\/[^\s"]+)[\s"]/);
  return { server, origin: url.replace('//0.0.0.0', '//127.0.0.1') };
}
