import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createFolder } from '../../create-folder.ts';
import { StoreUnavailable } from '../../store-unavailable.ts';

export interface LocationLock {
  /** Throws StoreUnavailable if the location was deleted or replaced since it was locked. */
  check(): void;
  /**
   * Writes the address of this process into the location. Another process that finds the location locked shows the
   * address in its error.
   */
  publishAddress(url: string): void;
  release(): void;
}

/**
 * Locks a location for this process. The lock is SQLite's lock on an empty file. The operating system releases the lock
 * when the process ends, even if the process is killed, so no stale lock is left behind.
 */
export function lockLocation(location: string): LocationLock {
  const file = join(location, 'tanzanite.lock');
  let lock: Database.Database | undefined;
  try {
    createFolder(location);
    lock = new Database(file, { timeout: 0 });
    // A journal on the disk would need space.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    // On a read-only file, BEGIN EXCLUSIVE succeeds, but gets no lock. Setting `user_version` changes the file, so it
    // fails if the file is read-only. The change is never committed.
    lock.pragma('user_version = 1');
  } catch (error) {
    lock?.close();
    throw unavailable(location, error);
  }
  const held = lock;
  const taken = identityOf(file);
  const address = join(location, addressFile);
  // Removes the file that a killed process may have left.
  forget(address);
  return {
    check() {
      if (identityOf(file) !== taken) throw replaced(location);
    },
    publishAddress: (url) => attempt(() => writeFileSync(address, `${JSON.stringify({ pid: process.pid, url })}\n`)),
    release() {
      if (identityOf(file) === taken) forget(address);
      held.close();
    },
  };
}

/** Only the process that holds the lock writes and deletes this file. */
const addressFile = 'tanzanite.address';

const forget = (file: string): void => attempt(() => rmSync(file, { force: true }));

/** Ignores errors: the address is used only in an error message. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {}
}

/** `process 4711 at http://127.0.0.1:10002` */
function holderOf(location: string): string {
  try {
    const { pid, url } = JSON.parse(readFileSync(join(location, addressFile), 'utf8')) as Record<string, unknown>;
    if (Number.isSafeInteger(pid) && typeof url === 'string' && webAddress.test(url)) return `process ${pid} at ${url}`;
  } catch {}
  return 'another process';
}

const webAddress = /^https?:\/\/[\w.:[\]-]{1,255}$/;

/** Identifies the file at a path. A file that replaces it has a different identity. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function replaced(location: string): StoreUnavailable {
  return new StoreUnavailable(
    'unwritable',
    `${location} was deleted or replaced; new writes will be lost when this process ends.`,
  );
}

function unavailable(location: string, error: unknown): StoreUnavailable {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreUnavailable('locked', `${location} is in use by ${holderOf(location)}.`);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable('unwritable', `${location} cannot be written: ${reason}.`);
}
