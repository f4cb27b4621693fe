import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a text to a file that everybody may read. Does nothing if the file already contains exactly this text. Readers
 * never see an incomplete text. Throws an Error with a one-line message.
 */
export function publish(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    if (holds(path, text)) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o644 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot write ${path}: ${reason}`, { cause: error });
  }
}

function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}
