import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageServer } from '../cli/image-server.ts';
import { attempt, posix } from './hand-over.ts';

/**
 * Checks that the user of this process may use the files of a server. If the user may not use a file, prints a line
 * that names this user and the file's owner, and ends the process with code 2.
 */
export function checkRights({ location, cert, key }: ImageServer['files'], config: string | undefined): void {
  if (location !== undefined && existsSync(location)) {
    const own = readdirSafely(location).filter((name) => /\.(sqlite|lock)$/.test(name));
    for (const path of [location, ...own.map((name) => join(location, name))]) {
      refuseUnless(path, constants.R_OK | constants.W_OK, 'write to');
    }
  }
  for (const file of [config, cert, key]) {
    if (file !== undefined && existsSync(file)) refuseUnless(file, constants.R_OK, 'read');
  }
}

function readdirSafely(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function refuseUnless(path: string, mode: number, verb: string): void {
  if (attempt(() => accessSync(path, mode))) return;
  const { uid, gid } = statSync(path);
  const user = `${posix.getuid()}:${posix.getgid()}`;
  process.stderr.write(
    `tanzanite: user ${user} may not ${verb} ${path}, which belongs to user ${uid}:${gid}. ` +
      `Give it to the user (chown ${user} ${path}), or start the container with --user ${uid}:${gid}.\n`,
  );
  process.exit(2);
}
