// The statements of snapshots, and of the copies that a write to a shared table makes.

/** SQL: whether a snapshot holds the entities of a table (a row of `tables`). */
export const isInSnapshot = 'EXISTS (SELECT 1 FROM snapshot_tables WHERE table_id = tables.id)';

const savedMoment = 'saved_ticks / 10000000 AS seconds, saved_ticks % 10000000 AS fraction';
const record = `SELECT id, snapshots.name, ${savedMoment}, is_whole AS isWhole, count(lookup) AS tables,
    min(snapshot_tables.name) AS firstTable
  FROM snapshots LEFT JOIN snapshot_tables ON snapshot_id = id`;
const restoreTables = `INSERT INTO tables (id, name, lookup, created_ticks, acl)
  SELECT table_id, name, lookup, created_ticks, acl FROM snapshot_tables WHERE snapshot_id = ?`;
const saveTables = `INSERT INTO snapshot_tables (snapshot_id, lookup, table_id, name, created_ticks, acl)
  SELECT ?, lookup, id, name, created_ticks, acl FROM tables`;

export const snapshotSql = {
  countSnapshots: 'SELECT count(*) AS count FROM snapshots',
  listSnapshots: `${record} GROUP BY id`,
  findSnapshot: `${record} WHERE snapshots.name = ? GROUP BY id`,
  insertSnapshot: 'INSERT INTO snapshots (name, saved_ticks, is_whole) VALUES (?, ?, ?)',
  deleteSnapshot: 'DELETE FROM snapshots WHERE id = ?',
  saveServiceProperties:
    'UPDATE snapshots SET service_properties = (SELECT service_properties FROM account) WHERE id = ?',
  restoreServiceProperties:
    'UPDATE account SET service_properties = (SELECT service_properties FROM snapshots WHERE id = ?)',

  saveTables,
  saveTable: `${saveTables} WHERE id = ?`,
  deleteSavedTables: 'DELETE FROM snapshot_tables WHERE snapshot_id = ?',
  listSavedTables: 'SELECT table_id AS tableId, lookup FROM snapshot_tables WHERE snapshot_id = ?',
  findSavedTable: 'SELECT table_id AS tableId, lookup FROM snapshot_tables WHERE snapshot_id = ? AND lookup = ?',
  listTableIds: 'SELECT id AS tableId FROM tables',
  restoreTables,
  restoreTable: `${restoreTables} AND lookup = ?`,

  isLive: 'SELECT 1 FROM tables WHERE id = ?',
  // Takes the next id of a table, like AUTOINCREMENT.
  reserveTableId: "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'tables' RETURNING seq AS tableId",
  copyRows: `INSERT INTO entities (table_id, partition_key, row_key, ticks, properties)
    SELECT ?, partition_key, row_key, ticks, properties FROM entities
    WHERE table_id = ? AND (partition_key, row_key) > (?, ?) ORDER BY partition_key, row_key LIMIT ? + 0`,
  copyFirstRows: `INSERT INTO entities (table_id, partition_key, row_key, ticks, properties)
    SELECT ?, partition_key, row_key, ticks, properties FROM entities
    WHERE table_id = ? ORDER BY partition_key, row_key LIMIT ? + 0`,
  lastKey: `SELECT partition_key AS partitionKey, row_key AS rowKey FROM entities
    WHERE table_id = ? ORDER BY partition_key DESC, row_key DESC LIMIT 1`,
  moveTable: 'UPDATE tables SET id = ? WHERE id = ?',
  noteCopy: 'INSERT OR IGNORE INTO table_copies (table_id) VALUES (?)',
  forgetCopy: 'DELETE FROM table_copies WHERE table_id = ?',
  listCopies: 'SELECT table_id AS tableId FROM table_copies',
} as const;
