// The tables in the database, all in one schema. `meta` marks the schema as Tanzanite's and holds its version.

export const postgresSchemaVersion = 2;

/** The value of `product` in `meta`. */
export const product = 'tanzanite';

/** Buckets of partitions that share a last timestamp: see timestamp-allocator.ts. */
export const timestampSlots = 4096;

/**
 * Distributes the entities over Citus. The last timestamps of the partitions are stored on the same workers as the
 * entities, so a write to a partition changes only one worker. All other tables stay on the coordinator. The table
 * `moments` (the buckets) is dropped, so a node that does not know of the distribution cannot write. After a table of
 * an account is dropped, a statement may still use the table's id for a few seconds. The rows of such a table are
 * therefore kept for longer than these seconds.
 */
export const distribution = (schema: string, schemaName: string): string => `
  CREATE TABLE ${schema}.partition_moments (
    partition_key bytea NOT NULL PRIMARY KEY,
    last_ticks bigint NOT NULL
  ) WITH (fillfactor = 50);
  SELECT create_distributed_table('${schemaName}.entities', 'partition_key');
  SELECT create_distributed_table('${schemaName}.partition_moments', 'partition_key', colocate_with => '${schemaName}.entities');
  INSERT INTO ${schema}.partition_moments (partition_key, last_ticks)
    SELECT DISTINCT partition_key, (SELECT max(last_ticks) FROM ${schema}.moments) FROM ${schema}.entities;
  DROP TABLE ${schema}.moments;
  ALTER TABLE ${schema}.dropped_tables ALTER not_before SET DEFAULT now() + interval '20 seconds';
  UPDATE ${schema}.meta SET is_distributed = true;
`;

/** The entry at index N migrates a schema from version N to N + 1. Never edit a released entry. */
export const postgresMigrations: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE TABLE ${schema}.meta (
    product text NOT NULL PRIMARY KEY,
    version integer NOT NULL,
    is_distributed boolean NOT NULL DEFAULT false
  );
  INSERT INTO ${schema}.meta (product, version) VALUES ('${product}', 0);

  -- last_ticks: the last timestamp of a change to the set of tables or snapshots. Such changes lock the row first.
  CREATE TABLE ${schema}.accounts (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    last_ticks bigint NOT NULL DEFAULT 0,
    service_properties text
  );

  -- Of tables, of loads and of the copies that snapshots hold. An id is never used again, so that rows can be reclaimed at leisure.
  CREATE SEQUENCE ${schema}.table_ids;

  -- The tables that exist. A cleared table gets another id. The id is unique so that changing it waits for the writers,
  -- who hold FOR KEY SHARE on the row.
  CREATE TABLE ${schema}.tables (
    account text COLLATE "C" NOT NULL,
    lookup text COLLATE "C" NOT NULL,
    id bigint NOT NULL UNIQUE DEFAULT nextval('${schema}.table_ids'),
    name text NOT NULL,
    created_ticks bigint NOT NULL,
    acl text,
    PRIMARY KEY (account, lookup)
  );

  -- Names that cannot be used yet, in milliseconds since 1970 of model time.
  CREATE TABLE ${schema}.deleted_names (
    account text COLLATE "C" NOT NULL,
    lookup text COLLATE "C" NOT NULL,
    free_at_ms bigint NOT NULL,
    PRIMARY KEY (account, lookup)
  );

  -- Keys as key-bytes.ts encodes them; properties as model/properties.ts writes them, ASCII.
  CREATE TABLE ${schema}.entities (
    table_id bigint NOT NULL,
    partition_key bytea NOT NULL,
    row_key bytea NOT NULL,
    ticks bigint NOT NULL,
    properties text NOT NULL,
    PRIMARY KEY (table_id, partition_key, row_key)
  );

  -- The last timestamp of each bucket of partitions, by a hash of account, table name and PartitionKey: it outlives the
  -- entities. Writers lock the row of their bucket, which also serialises the writes to a partition.
  CREATE TABLE ${schema}.moments (
    slot integer NOT NULL PRIMARY KEY,
    last_ticks bigint NOT NULL
  ) WITH (fillfactor = 20);
  INSERT INTO ${schema}.moments (slot, last_ticks) SELECT slot, 0 FROM generate_series(0, ${timestampSlots - 1}) AS slot;

  -- Table ids whose rows are to be reclaimed, after a time: those of a load are here from the beginning.
  CREATE TABLE ${schema}.dropped_tables (
    table_id bigint NOT NULL PRIMARY KEY,
    not_before timestamptz NOT NULL DEFAULT now()
  );

  -- Names as bytes: they may hold any text.
  CREATE TABLE ${schema}.snapshots (
    id bigint NOT NULL PRIMARY KEY DEFAULT nextval('${schema}.table_ids'),
    account text COLLATE "C" NOT NULL,
    name bytea NOT NULL,
    saved_ticks bigint NOT NULL,
    is_whole boolean NOT NULL,
    service_properties text,
    UNIQUE (account, name)
  );
  CREATE TABLE ${schema}.snapshot_tables (
    snapshot_id bigint NOT NULL,
    lookup text COLLATE "C" NOT NULL,
    source_id bigint NOT NULL,
    table_id bigint NOT NULL,
    name text NOT NULL,
    created_ticks bigint NOT NULL,
    acl text,
    PRIMARY KEY (snapshot_id, lookup)
  );

  -- What each node has said of its load, once a second; of no use after a crash.
  CREATE UNLOGGED TABLE ${schema}.node_loads (
    node text NOT NULL PRIMARY KEY,
    said_at timestamptz NOT NULL,
    load text NOT NULL
  ) WITH (fillfactor = 20);
  `,

  (schema) => `
  -- What the nodes share in addition to the data: see storage/shared-texts.ts.
  CREATE TABLE ${schema}.shared_texts (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    text text
  );
  `,
];
