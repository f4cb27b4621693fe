import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailable } from '../store-unavailable.ts';

/**
 * Takes a location for this process alone. The lock is SQLite's own on an empty file: the operating system lets go of
 * it when the process ends, however it ends, so no stale lock is ever left behind.
 */
export function lockLocation(location: string): { release(): void } {
  let lock: Database.Database | undefined;
  try {
    mkdirSync(location, { recursive: true });
    lock = new Database(join(location, 'tanzanite.lock'), { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    // On a file that can only be read BEGIN EXCLUSIVE succeeds and locks nothing; a change, never committed, does not.
    lock.pragma('user_version = 1');
  } catch (error) {
    lock?.close();
    throw unavailable(location, error);
  }
  const held = lock;
  return { release: () => void held.close() };
}

function unavailable(location: string, error: unknown): StoreUnavailable {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new StoreUnavailable('locked', `${location} is in use by another process.`);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable('unwritable', `${location} cannot be written: ${reason}.`);
}
