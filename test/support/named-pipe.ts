import { execFileSync } from 'node:child_process';

/** Has a type, so that knip does not look for a package of this name. */
const command: string = 'mkfifo';

/** Makes a named pipe, which Node cannot. Windows has none. */
export function makeNamedPipe(path: string): void {
  execFileSync(command, [path]);
}
