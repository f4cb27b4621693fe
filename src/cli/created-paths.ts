// Removes the empty files and folders that a start created before it failed.

import { rmdirSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Notes which of the given paths, and which folders above these paths, do not exist yet. Returns a function that
 * removes the noted files and folders if they are empty.
 */
export function findAbsent(paths: readonly string[]): () => void {
  const absent = new Set(paths.flatMap((path) => absentUpTo(resolve(path))));
  // A longer path is never a parent of a shorter one.
  const deepestFirst = [...absent].toSorted((a, b) => b.length - a.length);
  return () => deepestFirst.forEach(removeEmpty);
}

function absentUpTo(path: string): string[] {
  if (statOf(path) !== undefined || dirname(path) === path) return [];
  return [path, ...absentUpTo(dirname(path))];
}

function removeEmpty(path: string): void {
  const found = statOf(path);
  try {
    if (found?.isDirectory()) rmdirSync(path);
    else if (found?.isFile() && found.size === 0) unlinkSync(path);
  } catch {
    // A path that is in use or not empty stays.
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
