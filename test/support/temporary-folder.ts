import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a new, empty folder. Returns its path and a function that removes it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tanzanite-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
