import type { Database, Statement } from 'better-sqlite3';
import { partitionRowText, rowText, stateText } from './row-text.ts';
import { isInSnapshot, snapshotSql } from './snapshot-sql.ts';

// All statements of the engine, by name. Statements for entities return each row as one text (row-text.ts). Other
// statements return `ticks` as two small integers, the whole seconds and the remaining ticks, because a JavaScript
// number cannot hold the value of `ticks` exactly.

const moment = 'ticks / 10000000 AS seconds, ticks % 10000000 AS fraction';
const createdMoment = 'created_ticks / 10000000 AS seconds, created_ticks % 10000000 AS fraction';
/**
 * An expression instead of a bare `LIMIT ?`. Whenever a bare `LIMIT ?` is bound, SQLite prepares the statement again,
 * which takes longer than reading ten rows.
 */
const limit = '? + 0';
const byKey = 'table_id = ? AND partition_key = ? AND row_key = ?';

const sql = {
  lastTicks: 'SELECT last_ticks FROM account',
  setLastTicks: 'UPDATE account SET last_ticks = ?',
  passTicks: 'UPDATE account SET last_ticks = last_ticks + 1',

  getServiceProperties: 'SELECT service_properties FROM account',
  setServiceProperties: 'UPDATE account SET service_properties = ?',

  getTableAcl: 'SELECT acl FROM tables WHERE id = ?',
  setTableAcl: 'UPDATE tables SET acl = ? WHERE id = ?',
  insertTable: 'INSERT INTO tables (name, lookup, created_ticks) VALUES (?, ?, ?) ON CONFLICT (lookup) DO NOTHING',
  insertLoadedTable: 'INSERT INTO tables (id, name, lookup, created_ticks, acl) VALUES (?, ?, ?, ?, ?)',
  deleteTable: 'DELETE FROM tables WHERE id = ?',
  deleteTables: 'DELETE FROM tables',
  // Replaces the row by a copy with a new id.
  renewTable: `REPLACE INTO tables (name, lookup, created_ticks, acl)
    SELECT name, lookup, created_ticks, acl FROM tables WHERE id = ?`,
  findTable: `SELECT id, name, ${createdMoment}, ${isInSnapshot} AS isShared FROM tables WHERE lookup = ?`,
  listTables: `SELECT name, ${createdMoment} FROM tables WHERE lookup >= ? ORDER BY lookup LIMIT ${limit}`,

  listHeldTables: 'SELECT id, name, acl FROM tables ORDER BY lookup',

  getEntity: `SELECT ${stateText} FROM entities WHERE ${byKey}`,
  getForUpdate: `SELECT id, ${moment}, properties FROM entities WHERE ${byKey}`,
  insertEntity:
    'INSERT INTO entities (table_id, partition_key, row_key, ticks, properties) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  upsertEntity: `INSERT INTO entities (table_id, partition_key, row_key, ticks, properties) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (table_id, partition_key, row_key) DO UPDATE SET ticks = excluded.ticks, properties = excluded.properties`,
  updateEntity: 'UPDATE entities SET ticks = ?, properties = ? WHERE id = ?',
  replaceEntity: `UPDATE entities SET ticks = ?, properties = ? WHERE ${byKey}`,
  deleteEntity: 'DELETE FROM entities WHERE id = ?',
  deleteEntityByKey: `DELETE FROM entities WHERE ${byKey}`,
  scanFrom: `SELECT ${rowText} FROM entities WHERE table_id = ? AND (partition_key, row_key) >= (?, ?)
    ORDER BY partition_key, row_key LIMIT ${limit}`,
  scanBetween: `SELECT ${rowText} FROM entities WHERE table_id = ? AND (partition_key, row_key) >= (?, ?)
    AND (partition_key, row_key) < (?, ?) ORDER BY partition_key, row_key LIMIT ${limit}`,
  // Most ranges are within one partition. Then the partition key is known and need not be read.
  readPartitionFrom: `SELECT ${partitionRowText} FROM entities
    WHERE table_id = ? AND partition_key = ? AND row_key >= ? ORDER BY row_key LIMIT ${limit}`,
  readPartitionBetween: `SELECT ${partitionRowText} FROM entities
    WHERE table_id = ? AND partition_key = ? AND row_key >= ? AND row_key < ? ORDER BY row_key LIMIT ${limit}`,
  getRow: `SELECT ${rowText} FROM entities WHERE id = ?`,
  findRow: `SELECT ${rowText} FROM entities WHERE ${byKey}`,

  // Neither statement drops rows that a snapshot holds. markDropped also keeps the rows of existing tables.
  markDropped: `INSERT OR IGNORE INTO dropped_tables (table_id) SELECT id FROM (SELECT ? AS id) AS tables
    WHERE NOT ${isInSnapshot} AND NOT EXISTS (SELECT 1 FROM main.tables AS live WHERE live.id = tables.id)`,
  markAllDropped: `INSERT INTO dropped_tables (table_id) SELECT id FROM tables WHERE NOT ${isInSnapshot}`,
  // Skips the ids in a JSON array.
  nextDropped: `SELECT table_id AS tableId FROM dropped_tables
    WHERE table_id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
  // octet_length reads only the header of a row; length would read all of it.
  listReclaimable: `SELECT id, octet_length(properties) AS bytes FROM entities WHERE table_id = ? LIMIT ${limit}`,
  forgetDropped: 'DELETE FROM dropped_tables WHERE table_id = ?',

  ...snapshotSql,

  // Reports the state of the WAL, and copies nothing.
  walState: 'PRAGMA wal_checkpoint(NOOP)',
  pageCount: 'PRAGMA page_count',
  freePages: 'PRAGMA freelist_count',

  beginRead: 'BEGIN',
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT one',
  release: 'RELEASE one',
  rollbackTo: 'ROLLBACK TO one',
} as const;

const asBigInts = new Set<keyof typeof sql>(['lastTicks']);
/** Statements that return the value of their only column instead of a row. */
const asValues = new Set<keyof typeof sql>([
  ...(['lastTicks', 'getServiceProperties', 'getTableAcl', 'getEntity', 'getRow', 'findRow'] as const),
  'freePages',
  'pageCount',
  ...(['scanFrom', 'scanBetween', 'readPartitionFrom', 'readPartitionBetween'] as const),
]);

export type Statements = { readonly [Name in keyof typeof sql]: Statement };

/**
 * Prepares each statement on first use. An account uses only a few of the statements, and all statements together take
 * more memory than the data of a small account.
 */
export function prepareStatements(database: Database): Statements {
  const statements = {} as Statements;
  for (const name of Object.keys(sql) as (keyof typeof sql)[]) {
    let prepared: Statement | undefined;
    Object.defineProperty(statements, name, {
      get() {
        prepared ??= prepare(database, name);
        return prepared;
      },
    });
  }
  return statements;
}

function prepare(database: Database, name: keyof typeof sql): Statement {
  const statement = database.prepare(sql[name]);
  if (asBigInts.has(name)) statement.safeIntegers(true);
  if (asValues.has(name)) statement.pluck();
  return statement;
}

/**
 * Rolls back a failed transaction if it is still open. Never throws: if the rollback fails, the changes are still not
 * committed.
 */
export function rollBack(statements: Statements): void {
  try {
    const { rollback } = statements;
    if (rollback.database.inTransaction) rollback.run();
  } catch {
    // Only the failure that made the rollback necessary is reported.
  }
}
