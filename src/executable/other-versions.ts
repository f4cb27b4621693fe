// Removes what other versions of the executable have unpacked, unless it is in use: a program that runs loads its parts as it needs them.

import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isUsed, marksFolder } from './in-use.ts';
import type { Unpacked } from './places.ts';
import { unfinished } from './unpack.ts';

/** Limit: a start that takes longer than this to unpack loses its place, and begins again. */
const abandonedAfterMs = 3_600_000;

/** Never throws: what cannot be removed stays. */
export function removeOtherVersions({ folder, place }: Unpacked, nowMs: number): void {
  try {
    for (const name of readdirSync(place)) {
      const path = join(place, name);
      if (Object.values(unfinished).some((start) => name.startsWith(start))) {
        if (nowMs - statSync(path).mtimeMs > abandonedAfterMs) rmSync(path, { recursive: true, force: true });
      } else if (name !== marksFolder && name !== basename(folder)) removeUnused(place, name);
    }
  } catch {
    // Another start removes the same.
  }
}

/** It is moved first, and put back where a start has marked it meanwhile: such a start finds it, or unpacks its own. */
function removeUnused(place: string, name: string): void {
  if (isUsed(place, name)) return;
  const away = join(place, `${unfinished.discarded}${name}.${process.pid}`);
  renameSync(join(place, name), away);
  if (isUsed(place, name)) {
    try {
      renameSync(away, join(place, name));
      return;
    } catch {
      // It has unpacked its own.
    }
  }
  rmSync(away, { recursive: true, force: true });
}
