// The PostgreSQL engine. Any number of nodes share one database, which holds all state of the data. The database also
// does all the locking, ordering and notification that the promises of store.ts require. docs/adr/0010 has the
// decisions and figures.

import { randomUUID } from 'node:crypto';
import type { AccountStore, ChangeListener, Store, StoreCondition, StoreOptions } from '../store.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { PostgresAccountHandle } from './account-handle.ts';
import { AccountTools, type AccountToolsOptions } from './account-tools.ts';
import { Database, type Run } from './database.ts';
import { type DatabaseConfig, explainOpening, readDatabaseUrl } from './database-config.ts';
import { PostgresEntityWrites } from './entity-writes.ts';
import { channelOf, Listener } from './listener.ts';
import { prepareSchema } from './migrate.ts';
import { Operations } from './operations.ts';
import { PointReads } from './point-reads.ts';
import { PostgresAccountStore } from './postgres-account-store.ts';
import { PostgresRowReclaim } from './row-reclaim.ts';
import { PostgresSecondary } from './secondary.ts';
import { PostgresSharedTexts } from './shared-texts.ts';
import { type PostgresStatements, preparePostgresStatements } from './statements.ts';
import { BucketTimestampAllocator, PartitionTimestampAllocator } from './timestamp-allocator.ts';

/**
 * Opens the database at `options.store`, and creates its schema if necessary. If the database cannot be used, changes
 * nothing and rejects with StoreUnavailable.
 */
export async function openPostgresStore(options: StoreOptions): Promise<Store> {
  const connection = readDatabaseUrl(options.store ?? '');
  const { isDistributed } = await prepareSchema(connection);
  if (isDistributed && options.storeSecondary !== undefined) {
    const text = `The database ${connection.title} is distributed over Citus. --store-secondary works only with a database that is not.`;
    throw new StoreUnavailable('refused', `${text} Start without --store-secondary.`);
  }
  const store = new PostgresStore(options, { connection, isDistributed });
  await store.start();
  return store;
}

interface OpenDatabase {
  readonly connection: DatabaseConfig;
  readonly isDistributed: boolean;
}

/** The standby has the same schema as its primary. */
function secondaryConnection(url: string, { schema, schemaName }: DatabaseConfig): DatabaseConfig {
  return { ...readDatabaseUrl(url), schema, schemaName };
}

const accountName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
/** Limit on memory: with `--accounts any` there may be many accounts. */
const knownAccountsMax = 10_000;

class PostgresStore implements Store {
  readonly secondary?: PostgresSecondary;
  readonly sharedTexts: PostgresSharedTexts;
  readonly #node = randomUUID();
  readonly #options: StoreOptions;
  readonly #connection: DatabaseConfig;
  readonly #database: Database;
  readonly #statements: PostgresStatements;
  readonly #listener: Listener;
  readonly #reclaim: PostgresRowReclaim;
  readonly #reads: PointReads;
  readonly #writes: PostgresEntityWrites;
  readonly #shared: AccountToolsOptions;
  readonly #handles = new Map<string, AccountStore>();
  readonly #operations = new Operations();
  readonly #listeners: ChangeListener[] = [];
  /** Accounts known to be in the database. Accounts are never removed from it. */
  readonly #known = new Set<string>();

  constructor(options: StoreOptions, { connection, isDistributed }: OpenDatabase) {
    const { machineTime, modelTime, tableDeleteDelayMs = 0 } = options;
    this.#options = options;
    this.#connection = connection;
    const database = new Database(connection, { isDistributed });
    const statements = preparePostgresStatements({ schema: connection.schema, isDistributed });
    const timestamps = isDistributed
      ? new PartitionTimestampAllocator(statements)
      : new BucketTimestampAllocator(statements);
    this.#database = database;
    this.#statements = statements;
    const announce = (account: string | undefined): void => {
      for (const listener of this.#listeners) listener(account, 'serviceProperties');
    };
    const node = this.#node;
    const notify = (run: Run, what: string): Promise<unknown> =>
      run(statements.notify, [channelOf(connection), `${node} ${what}`]);
    this.sharedTexts = new PostgresSharedTexts({ database, statements, operations: this.#operations, notify });
    const onChange = (what: string | undefined): void => {
      const isOfText = this.sharedTexts.hear(what);
      if (what === undefined || !isOfText) announce(what);
    };
    this.#listener = new Listener({ connection, node, machineTime, onChange });
    this.#reclaim = new PostgresRowReclaim({ database, statements, machineTime });
    this.#reads = new PointReads({ database, statements, machineTime, isDistributed });
    this.#writes = new PostgresEntityWrites({ database, statements, timestamps, modelTime, isDistributed });
    if (options.storeSecondary !== undefined) {
      const standby = secondaryConnection(options.storeSecondary, connection);
      this.secondary = new PostgresSecondary(standby, { modelTime, machineTime, tableDeleteDelayMs });
    }
    this.#shared = {
      database,
      statements,
      timestamps,
      isDistributed,
      modelTime,
      tableDeleteDelayMs,
      changes: new Map(),
      notify,
      onServiceProperties: announce,
      onDropped: () => this.#reclaim.start(),
      payFor: (written) => this.#reclaim.payFor(written),
    };
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#reclaim.start();
  }

  get hearsChanges(): boolean {
    return this.#listener.isListening;
  }

  account(name: string): AccountStore {
    const known = this.#handles.get(name) ?? this.#createHandle(name);
    if (this.#handles.size >= knownAccountsMax) this.#handles.clear();
    this.#handles.set(name, known);
    return known;
  }

  async exists(name: string): Promise<boolean> {
    if (this.#known.has(name)) return true;
    if (!accountName.test(name)) return false;
    return (await this.#database.read(this.#statements.hasAccount, [name])).length > 0;
  }

  async names(): Promise<readonly string[]> {
    return (await this.#database.read(this.#statements.listAccounts, [])).map(([name]) => name as string);
  }

  async openExisting(names: Iterable<string>): Promise<void> {
    for (const name of names) await this.exists(name);
  }

  async check(): Promise<StoreCondition> {
    try {
      await this.#database.read(this.#statements.hasAccount, ['']);
      return { damaged: [], isFull: false };
    } catch (error) {
      throw explainOpening(error, this.#connection);
    }
  }

  async shareLoad(load: string): Promise<readonly string[]> {
    const rows = await this.#database.read(this.#statements.shareLoad, [this.#node, load]);
    return rows.map(([other]) => other as string);
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#reclaim.close();
    await this.#operations.close();
    await this.#listener.close();
    await this.secondary?.close();
    await this.#database.close();
  }

  #createHandle(name: string): AccountStore {
    const account = new PostgresAccountStore({
      tools: new AccountTools(this.#shared, name),
      reads: this.#reads,
      writes: this.#writes,
      machineTime: this.#options.machineTime,
    });
    const use = (): Promise<void> | undefined => (this.#known.has(name) ? undefined : this.#use(name));
    return new PostgresAccountHandle({ operations: this.#operations, account, use });
  }

  async #use(name: string): Promise<void> {
    if (!accountName.test(name)) throw new Error(`${JSON.stringify(name)} is not an account name`);
    await this.#database.write(this.#statements.addAccount, [name]);
    if (this.#known.size >= knownAccountsMax) this.#known.clear();
    this.#known.add(name);
  }
}
