// All statements that run often, by name. Each connection prepares a statement once. Results contain values in
// PostgreSQL's text format.

import { ticksMax } from '../../model/ticks.ts';

/** A statement with the name under which a connection prepares it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const row = `e.ticks, encode(e.partition_key, 'escape'), encode(e.row_key, 'escape'), e.properties`;
const keyOrder = 'e.partition_key, e.row_key';
/** The columns of a row whose partition is known. */
const partitionRow = `e.ticks, encode(e.row_key, 'escape'), e.properties`;

/** Locks the table of a writer: it cannot be deleted or replaced before the writer's transaction ends. */
const lockedTable = (schema: string): string =>
  `SELECT id, created_ticks FROM ${schema}.tables WHERE account = $1 AND lookup = $2 FOR KEY SHARE`;

/**
 * Returns the SQL for the timestamp of earlier writes. For a timestamp beyond the year 9999 (see lastWriteTicks), the
 * SQL gives NULL, which `greatest` ignores.
 */
const lastWrite = (column: string): string => `CASE WHEN ${column} <= ${ticksMax} THEN ${column} END`;

/** A timestamp later than all timestamps of the bucket, and not earlier than the node's clock. */
const nextTicks = (count: string): string =>
  `greatest(${lastWrite('m.last_ticks')}, $4::bigint - 1, ${lastWrite('t.created_ticks')}) + ${count}`;

/** The beginning of a statement that writes one entity: takes a timestamp for this entity. */
const onceWritable = (schema: string): string => `WITH t AS (${lockedTable(schema)}),
  m AS (UPDATE ${schema}.moments AS m SET last_ticks = ${nextTicks('1')} FROM t WHERE m.slot = $3 RETURNING t.id, m.last_ticks)`;

/** Whether the table exists, and whether the write was done. */
const written = 'SELECT (SELECT last_ticks FROM m), EXISTS (SELECT 1 FROM w)';

interface ScanText {
  readonly columns: string;
  /** The condition for the range of keys. The condition for the table is added to it. */
  readonly bounds: string;
  readonly order: string;
  /** Number of the parameter for the row limit. The parameters for the bytes and for the table follow it. */
  readonly limit: number;
}

/**
 * Returns the SQL for the id of a table. The parameters that identify the table begin at number `place`. Over Citus,
 * only one parameter identifies the table: its id.
 */
type TableAt = (place: number) => string;

/**
 * Returns a SELECT for rows up to a total size. The last row may exceed that size. If the range has two or more rows,
 * at least two rows are selected. Citus merges the results of the innermost SELECT, so no worker reads more rows than
 * the limit of that SELECT.
 */
function scan(schema: string, tableAt: TableAt, { columns, bounds, order, limit }: ScanText): string {
  return `SELECT ${columns} FROM (
    SELECT e.ticks, e.partition_key, e.row_key, e.properties,
      row_number() OVER keys AS at, sum(octet_length(e.properties)) OVER keys - octet_length(e.properties) AS bytes_before
    FROM (
      SELECT e.table_id, e.ticks, e.partition_key, e.row_key, e.properties FROM ${schema}.entities AS e
      WHERE e.table_id = ${tableAt(limit + 2)} AND ${bounds}
      ORDER BY e.table_id, e.partition_key, e.row_key LIMIT $${limit}::bigint
    ) AS e
    WINDOW keys AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
  ) AS e WHERE e.bytes_before <= $${limit + 1}::bigint OR e.at <= 2 ORDER BY ${order}`;
}

/** Bounds of a page that begins at the keys $1, $2. */
const scanTexts = (s: string, tableAt: TableAt) => ({
  scanFrom: scan(s, tableAt, {
    columns: row,
    order: keyOrder,
    bounds: '(e.partition_key, e.row_key) >= ($1, $2)',
    limit: 3,
  }),
  scanBetween: scan(s, tableAt, {
    columns: row,
    order: keyOrder,
    bounds: '(e.partition_key, e.row_key) >= ($1, $2) AND (e.partition_key, e.row_key) < ($3, $4)',
    limit: 5,
  }),
  // Most ranges are within one partition. Then the partition key is known and need not be read.
  scanPartitionFrom: scan(s, tableAt, {
    columns: partitionRow,
    order: 'e.row_key',
    bounds: 'e.partition_key = $1 AND e.row_key >= $2',
    limit: 3,
  }),
  scanPartitionBetween: scan(s, tableAt, {
    columns: partitionRow,
    order: 'e.row_key',
    bounds: 'e.partition_key = $1 AND e.row_key >= $2 AND e.row_key < $3',
    limit: 4,
  }),
});

const accountTexts = (s: string) => ({
  addAccount: `INSERT INTO ${s}.accounts (name) VALUES ($1) ON CONFLICT DO NOTHING`,
  hasAccount: `SELECT 1 FROM ${s}.accounts WHERE name = $1`,
  listAccounts: `SELECT name FROM ${s}.accounts ORDER BY name`,
  // Locks the account against other changes to the set of its tables and snapshots.
  lockAccount: `INSERT INTO ${s}.accounts AS a (name, last_ticks) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET last_ticks = greatest(${lastWrite('a.last_ticks')} + 1, excluded.last_ticks)
    RETURNING last_ticks`,

  // The time up to which a standby has the primary's writes, in milliseconds since 1970. If the standby has replayed
  // everything that it received, this is the current time. If not, this is the time of the last commit that the standby
  // replayed.
  lastSync: `SELECT extract(epoch FROM CASE
      WHEN NOT pg_is_in_recovery() THEN now()
      WHEN EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
        AND pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN now()
      ELSE pg_last_xact_replay_timestamp() END) * 1000`,

  getServiceProperties: `SELECT service_properties FROM ${s}.accounts WHERE name = $1`,
  setServiceProperties: `UPDATE ${s}.accounts SET service_properties = $2 WHERE name = $1`,
  notify: 'SELECT pg_notify($1, $2)',

  readSharedText: `SELECT text FROM ${s}.shared_texts WHERE name = $1`,
  lockSharedText: `INSERT INTO ${s}.shared_texts (name) VALUES ($1)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING text`,
  setSharedText: `UPDATE ${s}.shared_texts SET text = $2 WHERE name = $1`,

  shareLoad: `WITH mine AS (INSERT INTO ${s}.node_loads (node, said_at, load) VALUES ($1, now(), $2)
      ON CONFLICT (node) DO UPDATE SET said_at = excluded.said_at, load = excluded.load),
    gone AS (DELETE FROM ${s}.node_loads WHERE said_at < now() - interval '1 minute' AND node <> $1)
    SELECT load FROM ${s}.node_loads WHERE node <> $1 AND said_at > now() - interval '5 seconds'`,

  findTable: `SELECT id, name, created_ticks, acl FROM ${s}.tables WHERE account = $1 AND lookup = $2`,
  listTables: `SELECT name, created_ticks FROM ${s}.tables WHERE account = $1 AND lookup >= $2 ORDER BY lookup LIMIT $3`,
  listViewTables: `SELECT name, acl, id FROM ${s}.tables WHERE account = $1 ORDER BY lookup`,
  insertTable: `INSERT INTO ${s}.tables (account, lookup, name, created_ticks) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING RETURNING id`,
  setTableAcl: `UPDATE ${s}.tables SET acl = $3 WHERE account = $1 AND lookup = $2 RETURNING 1`,
  deleteTable: `WITH gone AS (DELETE FROM ${s}.tables WHERE account = $1 AND lookup = $2 RETURNING id)
    INSERT INTO ${s}.dropped_tables (table_id) SELECT id FROM gone RETURNING table_id`,
  // All tables except the named ones.
  deleteTables: `WITH gone AS (DELETE FROM ${s}.tables WHERE account = $1 AND lookup <> ALL($2::text[]) RETURNING id)
    INSERT INTO ${s}.dropped_tables (table_id) SELECT id FROM gone`,
  renewTable: `WITH old AS (SELECT id FROM ${s}.tables WHERE account = $1 AND lookup = $2 FOR UPDATE),
    renewed AS (UPDATE ${s}.tables AS t SET id = nextval('${s}.table_ids') FROM old WHERE t.id = old.id RETURNING old.id)
    INSERT INTO ${s}.dropped_tables (table_id) SELECT id FROM renewed RETURNING table_id`,

  deletedName: `SELECT 1 FROM ${s}.deleted_names WHERE account = $1 AND lookup = $2 AND free_at_ms > $3 AND free_at_ms <= $4`,
  addDeletedName: `INSERT INTO ${s}.deleted_names (account, lookup, free_at_ms) VALUES ($1, $2, $3)
    ON CONFLICT (account, lookup) DO UPDATE SET free_at_ms = excluded.free_at_ms`,
  forgetDeletedNames: `DELETE FROM ${s}.deleted_names WHERE account = $1 AND free_at_ms <= $2`,
  freeDeletedNames: `DELETE FROM ${s}.deleted_names WHERE account = $1`,
});

const entityTexts = (s: string) => ({
  getEntity: `SELECT e.ticks, e.properties FROM ${s}.tables AS t
    LEFT JOIN ${s}.entities AS e ON e.table_id = t.id AND e.partition_key = $3 AND e.row_key = $4
    WHERE t.account = $1 AND t.lookup = $2`,
  // The limits make the planner search the index for each key.
  getEntities: `SELECT q.at, t.id IS NOT NULL, e.ticks, e.properties
    FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) WITH ORDINALITY AS q (account, lookup, pk, rk, at)
    LEFT JOIN LATERAL (SELECT id FROM ${s}.tables WHERE account = q.account AND lookup = q.lookup LIMIT 1) AS t ON true
    LEFT JOIN LATERAL (SELECT ticks, properties FROM ${s}.entities
      WHERE table_id = t.id AND partition_key = q.pk AND row_key = q.rk LIMIT 1) AS e ON true`,

  insertOne: `${onceWritable(s)}, w AS (INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT id, $5, $6, last_ticks, $7 FROM m ON CONFLICT DO NOTHING RETURNING 1) ${written}`,
  upsertOne: `${onceWritable(s)}, w AS (INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT id, $5, $6, last_ticks, $7 FROM m ON CONFLICT (table_id, partition_key, row_key)
    DO UPDATE SET ticks = excluded.ticks, properties = excluded.properties RETURNING 1) ${written}`,

  lockPartition: `WITH t AS (${lockedTable(s)}) UPDATE ${s}.moments AS m SET last_ticks = ${nextTicks('$5::integer')}
    FROM t WHERE m.slot = $3 RETURNING t.id, m.last_ticks`,
  lockTable: lockedTable(s),
  lockSlots: `SELECT last_ticks FROM ${s}.moments WHERE slot = ANY($1::integer[]) ORDER BY slot FOR UPDATE`,
  setSlots: `UPDATE ${s}.moments SET last_ticks = greatest(${lastWrite('last_ticks')}, $2) WHERE slot = ANY($1::integer[])`,
  readForWrite: `SELECT encode(e.row_key, 'escape'), e.ticks, e.properties
    FROM ${s}.tables AS t JOIN ${s}.entities AS e ON e.table_id = t.id
    WHERE t.account = $1 AND t.lookup = $2 AND e.partition_key = $3 AND e.row_key = ANY($4::bytea[])`,
  putEntities: `INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT $1, $2, u.row_key, u.ticks, u.properties
    FROM unnest($3::bytea[], $4::bigint[], $5::text[]) AS u (row_key, ticks, properties)
    ON CONFLICT (table_id, partition_key, row_key) DO UPDATE SET ticks = excluded.ticks, properties = excluded.properties`,
  deleteEntities: `DELETE FROM ${s}.entities WHERE table_id = $1 AND partition_key = $2 AND row_key = ANY($3::bytea[])`,
});

/**
 * Statements for one partition. The parameter for a table is the table's id. Citus sends such a statement to one shard
 * without planning.
 */
const shardTexts = (s: string) => ({
  getEntityOf: `SELECT e.ticks, e.properties FROM ${s}.entities AS e
    WHERE e.table_id = $1 AND e.partition_key = $2 AND e.row_key = $3`,
  // Locks the partition's row, and creates it if there is none.
  lockTimestamp: `INSERT INTO ${s}.partition_moments AS m (partition_key, last_ticks) VALUES ($1, $2::bigint + $3::integer)
    ON CONFLICT (partition_key) DO UPDATE SET last_ticks = greatest(${lastWrite('m.last_ticks')}, $2::bigint) + $3::integer
    RETURNING last_ticks`,
  readForWriteOf: `SELECT encode(e.row_key, 'escape'), e.ticks, e.properties FROM ${s}.entities AS e
    WHERE e.table_id = $1 AND e.partition_key = $2 AND e.row_key = ANY($3::bytea[])`,
  // For one row: see putRows.
  putRow: `INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (table_id, partition_key, row_key) DO UPDATE SET ticks = excluded.ticks, properties = excluded.properties`,
});

/** One statement for each number of rows: Citus can send values to a shard without planning, but not a list. */
export const putRows = ({ text, name }: Statement, rows: number): Statement => ({
  name: `${name}${rows}`,
  text: text.replace(
    '($1, $2, $3, $4, $5)',
    Array.from({ length: rows }, (_, at) => `($1, $2, $${at * 3 + 3}, $${at * 3 + 4}, $${at * 3 + 5})`).join(', '),
  ),
});

/** Statements over many partitions. */
const shardsTexts = (s: string) => ({
  raiseTimestamps: `INSERT INTO ${s}.partition_moments AS m (partition_key, last_ticks)
    SELECT partition_key, $2::bigint FROM unnest($1::bytea[]) AS partition_key
    ON CONFLICT (partition_key) DO UPDATE SET last_ticks = greatest(${lastWrite('m.last_ticks')}, excluded.last_ticks) RETURNING last_ticks`,
  copyTable: `INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT $2::bigint, partition_key, row_key, ticks, properties FROM ${s}.entities WHERE table_id = $1`,
  // Waits for the writers of these tables, and makes new ones wait.
  lockTables: `SELECT id FROM ${s}.tables WHERE account = $1 AND ($2::text IS NULL OR lookup = $2) FOR UPDATE`,
  // Begins the transaction on each worker.
  touchShards: `SELECT count(*) FROM ${s}.entities WHERE table_id = 0`,
});

const wholeTableTexts = (s: string) => ({
  insertLoaded: `INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT $1, u.* FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::text[]) AS u ON CONFLICT DO NOTHING
    RETURNING encode(partition_key, 'escape'), encode(row_key, 'escape')`,
  deleteLoaded: `DELETE FROM ${s}.entities AS e USING unnest($2::bytea[], $3::bytea[]) AS u (pk, rk)
    WHERE e.table_id = $1 AND e.partition_key = u.pk AND e.row_key = u.rk`,
  addLoadTable: `INSERT INTO ${s}.dropped_tables (table_id, not_before)
    VALUES (nextval('${s}.table_ids'), now() + $1::interval) RETURNING table_id`,
  // keepLoadTables and takeLoadTables do not find tables whose rows are already being reclaimed.
  keepLoadTables: `UPDATE ${s}.dropped_tables SET not_before = now() + $2::interval
    WHERE table_id = ANY($1::bigint[]) AND not_before > '-infinity' RETURNING table_id`,
  takeLoadTables: `DELETE FROM ${s}.dropped_tables
    WHERE table_id = ANY($1::bigint[]) AND not_before > '-infinity' RETURNING table_id`,
  releaseTables: `UPDATE ${s}.dropped_tables SET not_before = '-infinity'
    WHERE table_id = ANY($1::bigint[]) AND not_before > '-infinity'`,
  // Updates an existing row, so that a writer that waits for the row continues with the new id. If the row were deleted
  // and inserted again, the waiting writer would not find it. The INSERT reads from `old`, so that PostgreSQL runs
  // `old` before the update. After the update, `old` would not find the previous row.
  putTable: `WITH old AS (SELECT id FROM ${s}.tables WHERE account = $1 AND lookup = $2 FOR UPDATE),
    dropped AS (INSERT INTO ${s}.dropped_tables (table_id) SELECT id FROM old)
    INSERT INTO ${s}.tables (account, lookup, id, name, created_ticks, acl)
    SELECT $1, $2, $3::bigint, $4::text, $5::bigint, $6::text FROM (SELECT count(*) FROM old) AS looked
    ON CONFLICT (account, lookup) DO UPDATE
    SET id = excluded.id, name = excluded.name, created_ticks = excluded.created_ticks, acl = excluded.acl`,

  nextDropped: `SELECT table_id FROM ${s}.dropped_tables WHERE not_before <= now() ORDER BY not_before LIMIT 1
    FOR UPDATE SKIP LOCKED`,
  reclaim: `DELETE FROM ${s}.entities WHERE table_id = $1 AND (partition_key, row_key) IN
    (SELECT partition_key, row_key FROM ${s}.entities WHERE table_id = $1 LIMIT $2) RETURNING 1`,
  forgetDropped: `DELETE FROM ${s}.dropped_tables WHERE table_id = $1`,
});

const snapshotTexts = (s: string) => ({
  listSnapshots: `SELECT encode(n.name, 'escape'), n.saved_ticks, n.is_whole, count(st.lookup), min(st.name)
    FROM ${s}.snapshots AS n LEFT JOIN ${s}.snapshot_tables AS st ON st.snapshot_id = n.id
    WHERE n.account = $1 GROUP BY n.id ORDER BY n.name`,
  findSnapshot: `SELECT n.id, n.saved_ticks, n.is_whole, count(st.lookup), min(st.name)
    FROM ${s}.snapshots AS n LEFT JOIN ${s}.snapshot_tables AS st ON st.snapshot_id = n.id
    WHERE n.account = $1 AND n.name = $2 GROUP BY n.id`,
  countSnapshots: `SELECT count(*) FROM ${s}.snapshots WHERE account = $1`,
  insertSnapshot: `INSERT INTO ${s}.snapshots (account, name, saved_ticks, is_whole, service_properties)
    SELECT name, $2, last_ticks, $3, CASE WHEN $3 THEN service_properties END FROM ${s}.accounts WHERE name = $1 RETURNING id`,
  saveTables: `INSERT INTO ${s}.snapshot_tables (snapshot_id, lookup, source_id, table_id, name, created_ticks, acl)
    SELECT $1, lookup, id, nextval('${s}.table_ids'), name, created_ticks, acl
    FROM ${s}.tables WHERE account = $2 AND ($3::text IS NULL OR lookup = $3) RETURNING source_id, table_id`,
  // One statement, so all tables are copied in the same state.
  saveEntities: `INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT st.table_id, e.partition_key, e.row_key, e.ticks, e.properties
    FROM ${s}.snapshot_tables AS st JOIN ${s}.entities AS e ON e.table_id = st.source_id WHERE st.snapshot_id = $1`,
  deleteSnapshot: `WITH tables AS (DELETE FROM ${s}.snapshot_tables WHERE snapshot_id = $1 RETURNING table_id),
    dropped AS (INSERT INTO ${s}.dropped_tables (table_id) SELECT table_id FROM tables)
    DELETE FROM ${s}.snapshots WHERE id = $1`,
  // The copies of a restore are like a load: they are put in place only when complete.
  copyTables: `SELECT lookup, table_id, nextval('${s}.table_ids'), name, created_ticks, acl
    FROM ${s}.snapshot_tables WHERE snapshot_id = $1 AND ($2::text IS NULL OR lookup = $2) ORDER BY lookup`,
  copyEntities: `WITH copied AS (INSERT INTO ${s}.entities (table_id, partition_key, row_key, ticks, properties)
    SELECT u.target, e.partition_key, e.row_key, e.ticks, e.properties
    FROM unnest($1::bigint[], $2::bigint[]) AS u (source, target) JOIN ${s}.entities AS e ON e.table_id = u.source RETURNING 1)
    SELECT count(*) FROM copied`,
  restoreServiceProperties: `UPDATE ${s}.accounts AS a SET service_properties = n.service_properties
    FROM ${s}.snapshots AS n WHERE a.name = $1 AND n.id = $2`,
});

const texts = (s: string, tableAt: TableAt) => ({
  ...accountTexts(s),
  ...entityTexts(s),
  ...scanTexts(s, tableAt),
  ...shardTexts(s),
  ...shardsTexts(s),
  ...wholeTableTexts(s),
  ...snapshotTexts(s),
});

export type PostgresStatements = { readonly [Name in keyof ReturnType<typeof texts>]: Statement };

export interface StatementsOptions {
  /** The schema as written in SQL. */
  readonly schema: string;
  /**
   * Whether Citus distributes the entities. If true, reads do not join with `tables`, because Citus would plan such a
   * join each time.
   */
  readonly isDistributed: boolean;
}

export function preparePostgresStatements({ schema, isDistributed }: StatementsOptions): PostgresStatements {
  const byName: TableAt = (at) => `(SELECT id FROM ${schema}.tables WHERE account = $${at} AND lookup = $${at + 1})`;
  const byId: TableAt = (at) => `$${at}::bigint`;
  const named = Object.entries(texts(schema, isDistributed ? byId : byName));
  return Object.fromEntries(
    named.map(([name, text]) => [name, { name: `tz_${name}`, text }]),
  ) as unknown as PostgresStatements;
}
