import { ServerProcess, type ServerProcessOptions } from './server-process.mjs';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command until it ends by itself. */
export async function runCommand(args: readonly string[], options: ServerProcessOptions = {}): Promise<CommandResult> {
  const command = new ServerProcess(args, options);
  const { code } = await command.ended();
  return { code, stdout: command.stdout, stderr: command.stderr };
}
