import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the state of a file, or of each file below a folder: its size, the time of its last change and, if `hashed`,
 * a hash of its contents. A process that has a lock on a SQLite file must not use `hashed`: when a process closes any
 * handle on a file, it loses its locks on this file.
 */
export function contentsOfFolder(path: string, { hashed }: { hashed: boolean }): Record<string, string> {
  if (!existsSync(path)) return {};
  const { mtimeMs, size } = statSync(path);
  if (!statSync(path).isDirectory()) {
    const hash = hashed ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
    return { [path]: `${size} bytes, changed ${mtimeMs} ${hash}` };
  }
  const below = readdirSync(path).map((name) => contentsOfFolder(join(path, name), { hashed }));
  return Object.assign({ [path]: `folder, changed ${mtimeMs}` }, ...below) as Record<string, string>;
}
