import Database from 'better-sqlite3';
import type { Durability } from '../durability.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { judgeFile } from './header.ts';
import { applicationId, everyColumn, migrations, schemaVersion } from './schema.ts';

/** WAL with a sync at every commit, at checkpoints only, or never. */
const synchronous: Readonly<Record<Durability, string>> = { process: 'NORMAL', power: 'FULL', none: 'OFF' };

/** Opens, and where needed creates or migrates, the file of one account; without a file, memory. */
export function openAccountFile(file: string | undefined, durability: Durability): Database.Database {
  if (file === undefined) {
    const database = new Database(':memory:');
    migrate(database);
    return database;
  }
  judgeFile(file);
  let database: Database.Database | undefined;
  try {
    database = new Database(file);
    migrate(database);
    database.exec(everyColumn);
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${synchronous[durability]}`);
    database.pragma('cache_size = -65536');
    return database;
  } catch (error) {
    database?.close();
    throw unusable(file, error);
  }
}

/**
 * A new file gets its schema before it turns to WAL, and a migrated one is checkpointed: so the version in the file's
 * header, which judgeFile reads, is never behind the truth.
 */
function migrate(database: Database.Database): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version === schemaVersion) return;
  database.transaction(() => {
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${schemaVersion}`);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
}

/** What an error of SQLite says about the file it came from. */
export function unusable(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) {
    return new StoreUnavailable('damaged', `${file} is damaged: ${error.message}.`);
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|IOERR|FULL)/.test(error.code)) {
    return new StoreUnavailable('unwritable', `${file} cannot be written: ${error.message}.`);
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(error.code)) {
    return new StoreUnavailable('locked', `${file} is in use by another process.`);
  }
  return new StoreUnavailable('damaged', `${file} does not hold what it should: ${error.message}.`);
}
