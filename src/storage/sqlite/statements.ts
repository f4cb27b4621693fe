import type { Database, Statement } from 'better-sqlite3';

// Every statement the engine runs, by name. Reads of `ticks` come as whole seconds and the ticks beyond them:
// two small integers instead of one that a JavaScript number cannot hold.

const moment = 'ticks / 10000000 AS seconds, ticks % 10000000 AS fraction';
const byKey = 'table_id = ? AND partition_key = ? AND row_key = ?';

const sql = {
  lastTicks: 'SELECT last_ticks FROM account',
  setLastTicks: 'UPDATE account SET last_ticks = ?',

  insertTable: 'INSERT INTO tables (name, lookup, created_ticks) VALUES (?, ?, ?) ON CONFLICT (lookup) DO NOTHING',
  deleteTable: 'DELETE FROM tables WHERE id = ?',
  findTable: 'SELECT id, name, CAST(created_ticks AS TEXT) AS createdTicks FROM tables WHERE lookup = ?',
  listTables:
    'SELECT name, CAST(created_ticks AS TEXT) AS createdTicks FROM tables WHERE lookup >= ? ORDER BY lookup LIMIT ?',

  getEntity: `SELECT ${moment}, properties FROM entities WHERE ${byKey}`,
  getForUpdate: `SELECT id, ticks, properties FROM entities WHERE ${byKey}`,
  insertEntity:
    'INSERT INTO entities (table_id, partition_key, row_key, ticks, properties) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  upsertEntity: `INSERT INTO entities (table_id, partition_key, row_key, ticks, properties) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (table_id, partition_key, row_key) DO UPDATE SET ticks = excluded.ticks, properties = excluded.properties`,
  updateEntity: 'UPDATE entities SET ticks = ?, properties = ? WHERE id = ?',
  replaceEntity: `UPDATE entities SET ticks = ?, properties = ? WHERE ${byKey}`,
  deleteEntity: 'DELETE FROM entities WHERE id = ?',
  deleteEntityByKey: `DELETE FROM entities WHERE ${byKey}`,
  scanEntities: `SELECT partition_key AS partitionKey, row_key AS rowKey, ${moment}, properties FROM entities
    WHERE table_id = ? AND (partition_key, row_key) >= (?, ?) ORDER BY partition_key, row_key LIMIT ?`,

  markDropped: 'INSERT INTO dropped_tables (table_id) VALUES (?)',
  nextDropped: 'SELECT table_id AS tableId FROM dropped_tables LIMIT 1',
  reclaimEntities: 'DELETE FROM entities WHERE id IN (SELECT id FROM entities WHERE table_id = ? LIMIT ?)',
  forgetDropped: 'DELETE FROM dropped_tables WHERE table_id = ?',

  beginRead: 'BEGIN',
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT one',
  release: 'RELEASE one',
  rollbackTo: 'ROLLBACK TO one',
} as const;

export type Statements = { readonly [Name in keyof typeof sql]: Statement };

export function prepareStatements(database: Database): Statements {
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
  const statements = Object.fromEntries(prepared) as Statements;
  statements.getForUpdate.safeIntegers(true);
  statements.lastTicks.pluck().safeIntegers(true);
  // What is read most comes as arrays: an object a row costs more than the row.
  statements.getEntity.raw();
  statements.scanEntities.raw();
  return statements;
}
