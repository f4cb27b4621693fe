// Removes the files that other versions of the executable have unpacked. If a process uses a version, all files of this
// version are kept, because a running program loads a file only when it needs the file.

import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isUsed, marksFolder, removeIfUnused } from './in-use.ts';
import type { Unpacked } from './places.ts';
import { unfinished } from './unpack.ts';

/** Limit: a start that takes longer than this to unpack loses its folder and begins again. */
const abandonedAfterMs = 3_600_000;

/** Never throws: what cannot be removed stays. */
export function removeOtherVersions({ folder, place }: Unpacked, nowMs: number): void {
  const name = basename(folder);
  // Removes the marks of this version's killed processes.
  isUsed(place, name, nowMs);
  for (const other of namesIn(place)) {
    if (other === name || other === marksFolder) continue;
    try {
      if (isUnfinished(other)) removeAbandoned(join(place, other), nowMs);
      else removeUnused(place, other, nowMs);
    } catch {
      // Another start is removing the same files.
    }
  }
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

const isUnfinished = (name: string): boolean => Object.values(unfinished).some((start) => name.startsWith(start));

function removeAbandoned(path: string, nowMs: number): void {
  if (nowMs - statSync(path).mtimeMs > abandonedAfterMs) rmSync(path, { recursive: true, force: true });
}

/** Moves an unused folder away, so that no part of it stays in its place, and removes it. */
function removeUnused(place: string, name: string, nowMs: number): void {
  const away = join(place, `${unfinished.discarded}${name}.${process.pid}`);
  removeIfUnused(place, name, nowMs, () => renameSync(join(place, name), away));
  rmSync(away, { recursive: true, force: true });
}
