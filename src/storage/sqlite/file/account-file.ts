import Database from 'better-sqlite3';
import type { Durability } from '../../durability.ts';
import { StoreUnavailable, type StoreUnavailableReason } from '../../store-unavailable.ts';
import { checkFile } from './header.ts';
import { applicationId, everyColumn, migrations, schemaVersion } from './schema.ts';

/** When SQLite syncs the WAL: at checkpoints only, at every commit, or never. */
const synchronous: Readonly<Record<Durability, string>> = { process: 'NORMAL', power: 'FULL', none: 'OFF' };

/**
 * Opens the file of one account, and creates or migrates it if necessary. If `file` is undefined, opens a database in
 * memory.
 */
export function openAccountFile(file: string | undefined, durability: Durability): Database.Database {
  if (file === undefined) {
    const database = new Database(':memory:');
    migrate(database);
    return database;
  }
  checkFile(file);
  let database: Database.Database | undefined;
  try {
    // The driver would block while it waits for another process's lock; group-commit.ts retries instead.
    database = new Database(file, { timeout: 0 });
    database.pragma(`synchronous = ${synchronous[durability]}`);
    migrate(database);
    database.exec(everyColumn);
    database.pragma('journal_mode = WAL');
    return database;
  } catch (error) {
    database?.close();
    throw unusable(file, error);
  }
}

/**
 * Migrates the file to the current schema. Ends with a checkpoint, because checkFile reads the schema version from the
 * header of the file, not from the WAL. A new file gets its schema before it uses WAL.
 */
function migrate(database: Database.Database): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version === schemaVersion) return;
  database.transaction(() => {
    // Makes the pages of a new file movable, so that the file can get smaller (file-shrink.ts). A file that has tables
    // would ignore this pragma. The pragma is inside the transaction, because otherwise SQLite would first write a
    // header without our application id. If the process were killed at that moment, the next start would refuse the
    // file.
    if (version === 0 && !database.memory) database.pragma('auto_vacuum = INCREMENTAL');
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${schemaVersion}`);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
}

/** Explains an error of SQLite that occurred while it opened a file. */
function unusable(file: string, error: unknown): unknown {
  const explained = explainFailure(file, error);
  if (explained !== error || !(error instanceof Database.SqliteError)) return explained;
  return new StoreUnavailable('damaged', `${file} has unexpected content: ${error.message}.`, { cause: error });
}

/** Explains an error of SQLite as StoreUnavailable where it concerns the file; returns other errors unchanged. */
export function explainFailure(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const unavailable = (reason: StoreUnavailableReason, text: string): StoreUnavailable =>
    new StoreUnavailable(reason, `${file} ${text}.`, { cause: error });
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return unavailable('damaged', `is damaged: ${error.message}`);
  if (/^SQLITE_IOERR(_(READ|SHORT_READ|CORRUPTFS|DATA))?$/.test(error.code)) {
    return unavailable('damaged', `cannot be read: ${error.message} (${error.code})`);
  }
  if (error.code === 'SQLITE_FULL') return unavailable('full', `cannot be written: ${error.message} (${error.code})`);
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN|PERM)/.test(error.code)) {
    return unavailable('unwritable', `cannot be written: ${error.message} (${error.code})`);
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(error.code)) return unavailable('locked', 'is in use by another process');
  return error;
}
