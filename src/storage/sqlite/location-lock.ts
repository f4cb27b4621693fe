import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../store-unavailable.ts';

export interface LocationLock {
  /** Throws StoreUnavailable if the location was deleted or replaced since it was locked. */
  check(): void;
  release(): void;
}

/**
 * Locks a location for this process. The lock is SQLite's own on an empty file: the operating system releases it when the
 * process ends, however it ends, so no stale lock is ever left behind.
 */
export function lockLocation(location: string): LocationLock {
  const file = join(location, 'tanzanite.lock');
  let lock: Database.Database | undefined;
  try {
    createFolder(location);
    lock = new Database(file, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    // On a read-only file BEGIN EXCLUSIVE succeeds without a lock; a change fails. This one is never committed.
    lock.pragma('user_version = 1');
  } catch (error) {
    lock?.close();
    throw unavailable(location, error);
  }
  const held = lock;
  const taken = identityOf(file);
  return {
    check() {
      if (identityOf(file) !== taken) throw replaced(location);
    },
    release: () => void held.close(),
  };
}

/**
 * Creates a folder and its parents. Node's `recursive` is not used: where a file system refuses a folder with ENOENT, as
 * /proc does, Node 20 tries for ever.
 */
function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it since.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Identifies the file at a path: another file there has another identity. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function replaced(location: string): StoreUnavailable {
  return new StoreUnavailable(
    'unwritable',
    `${location} was deleted or replaced; what is written now is lost at the end.`,
  );
}

function unavailable(location: string, error: unknown): StoreUnavailable {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreUnavailable('locked', `${location} is in use by another process.`);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable('unwritable', `${location} cannot be written: ${reason}.`);
}
