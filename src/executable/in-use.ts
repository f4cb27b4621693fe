// Which processes run what has been unpacked.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const marksFolder = '.in-use';

/**
 * Says, until the process ends, that a folder in this place is in use. To be called before its files are compared: what removes it asks again
 * after it has moved it away. Limit: processes in several containers over one place do not see each other.
 */
export function markAsUsed(place: string, name: string): void {
  const marks = join(place, marksFolder);
  const mark = join(marks, `${name}.${process.pid}`);
  try {
    mkdirSync(marks, { recursive: true, mode: 0o700 });
    writeFileSync(mark, '');
    process.on('exit', () => rmSync(mark, { force: true }));
  } catch {
    // A disk that is full, or may only be read: nobody removes anything there either.
  }
}

export function isUsed(place: string, name: string): boolean {
  let marks: string[];
  try {
    marks = readdirSync(join(place, marksFolder)).filter((mark) => mark.startsWith(`${name}.`));
  } catch {
    return false;
  }
  const running = marks.filter((mark) => isRunning(Number(mark.slice(name.length + 1))));
  for (const mark of marks) if (!running.includes(mark)) rmSync(join(place, marksFolder, mark), { force: true });
  return running.length > 0;
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is another user's, and runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
