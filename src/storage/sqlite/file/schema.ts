// The schema of an account's file. `user_version` is the version of the schema, and `application_id` marks the file as
// Tanzanite's.

/** 'TzTb' */
export const applicationId = 0x547a5462;
export const schemaVersion = 3;

/** The entry at index N migrates a file from version N to N + 1. Never edit a released entry. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE account (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    last_ticks INTEGER NOT NULL
  ) STRICT;
  INSERT INTO account (only, last_ticks) VALUES (1, 0);

  -- AUTOINCREMENT: the id of a deleted table is never used again, so its rows can be reclaimed at leisure.
  CREATE TABLE tables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    lookup TEXT NOT NULL UNIQUE,
    created_ticks INTEGER NOT NULL
  ) STRICT;

  -- Keys as key-order.ts writes them; properties as model/properties.ts writes them. Layout: docs/adr/0003.
  CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL,
    partition_key TEXT NOT NULL,
    row_key TEXT NOT NULL,
    ticks INTEGER NOT NULL,
    properties TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entities_by_key ON entities (table_id, partition_key, row_key);

  CREATE TABLE dropped_tables (table_id INTEGER PRIMARY KEY) STRICT;
  `,
  `
  -- JSON, as those who set it write it; null until then.
  ALTER TABLE tables ADD COLUMN acl TEXT;
  ALTER TABLE account ADD COLUMN service_properties TEXT;
  `,
  `
  -- A snapshot shares the rows of its tables with the account until one of them is written: docs/adr/0009.
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    saved_ticks INTEGER NOT NULL,
    is_whole INTEGER NOT NULL,
    service_properties TEXT
  ) STRICT;
  CREATE TABLE snapshot_tables (
    snapshot_id INTEGER NOT NULL,
    lookup TEXT NOT NULL,
    table_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_ticks INTEGER NOT NULL,
    acl TEXT,
    PRIMARY KEY (snapshot_id, lookup)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX snapshot_tables_by_table ON snapshot_tables (table_id);

  -- Ids of copies in progress; what a crash leaves of them is reclaimed.
  CREATE TABLE table_copies (table_id INTEGER PRIMARY KEY) STRICT;
  `,
];

/** Returns no rows, and fails if the file lacks a table, a column or an index. */
export const everyColumn = `
  SELECT only, last_ticks, service_properties, tables.id, name, lookup, created_ticks, acl, dropped_tables.table_id,
    entities.id, entities.table_id, partition_key, row_key, ticks, properties
  FROM account, tables, dropped_tables, entities INDEXED BY entities_by_key WHERE FALSE;
  SELECT snapshots.id, snapshots.name, saved_ticks, is_whole, service_properties, snapshot_id, lookup,
    snapshot_tables.table_id, snapshot_tables.name, created_ticks, acl, table_copies.table_id
  FROM snapshots, snapshot_tables INDEXED BY snapshot_tables_by_table, table_copies WHERE FALSE`;
