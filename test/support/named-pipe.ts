import { execFileSync } from 'node:child_process';

/** The type annotation keeps knip from looking for a package of this name. */
const command: string = 'mkfifo';

/** Makes a named pipe, which Node cannot do itself. Windows does not have named pipes in folders. */
export function makeNamedPipe(path: string): void {
  execFileSync(command, [path]);
}
