import type { Database } from 'better-sqlite3';
import { openAccountFile } from '../../../../src/storage/sqlite/file/account-file.ts';

/**
 * A real database that loses transactions. A write to the partition `spoiled` makes COMMIT fail, because SQLite checks
 * the constraint only then. A write to the partition `rolled back` makes SQLite roll back the transaction immediately.
 * The database is in memory or in a new file.
 */
export function openSpoilable(file?: string): Database {
  const database = openAccountFile(file, 'none');
  database.exec(`
    PRAGMA foreign_keys = ON;
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE orphans (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER spoil_commit AFTER INSERT ON entities WHEN NEW.partition_key = 'spoiled'
      BEGIN INSERT INTO orphans VALUES (1); END;
    CREATE TRIGGER spoil_transaction AFTER INSERT ON entities WHEN NEW.partition_key = 'rolled back'
      BEGIN SELECT RAISE(ROLLBACK, 'rolled back by SQLite'); END;
  `);
  return database;
}
