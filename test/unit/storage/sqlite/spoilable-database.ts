import type { Database } from 'better-sqlite3';
import { openAccountFile } from '../../../../src/storage/sqlite/file/account-file.ts';

/**
 * Opens a real database that can lose transactions. The database is in a new file, or in memory without `file`. A write
 * to the partition `spoiled` makes COMMIT fail, because SQLite checks a constraint only at COMMIT. A write to the
 * partition `rolled back` makes SQLite roll back the transaction immediately.
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
