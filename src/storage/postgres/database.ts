// Runs statements and transactions over a bounded pool, and repeats those that certainly did not take effect.

import pg from 'pg';
import { connectMsMax, type DatabaseConfig, statementMsMax } from './database-config.ts';
import { ConnectionFailure, commitFailure, kindOf, statementFailure, uncertain, unreachable } from './failures.ts';
import { PasswordFileClient } from './password-file.ts';
import type { Statement } from './statements.ts';

/** Values of a row, as the text that PostgreSQL sends; `null` for NULL. */
export type Row = readonly (string | null)[];
type Scalar = string | number | bigint | boolean | Buffer | null;
export type Values = readonly (Scalar | readonly Scalar[])[];

/**
 * Runs a statement inside a transaction. A statement is sent without waiting for the results of earlier statements.
 * Results arrive in the order of the calls.
 */
export type Run = (statement: Statement, values: Values) => Promise<readonly Row[]>;

export interface TransactionOptions {
  /** All reads see the same state, and nothing is written. */
  readonly isSnapshot?: boolean;
  /** For copies of whole tables: no limit on the time of a statement. */
  readonly isLong?: boolean;
}

/** If the work of a transaction returns this, the transaction is rolled back. */
export class RolledBack<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

export interface OpenSnapshot {
  readonly run: Run;
  /** May be called again. */
  readonly close: () => Promise<void>;
}

/** Connections, not counting the listener and snapshots. */
const connectionsMax = 16;
const conflictsMax = 20;
/** A broken idle connection is noticed only when it is used, so a call tries up to this number of connections. */
const brokenMax = 3;

export interface DatabaseOptions {
  /** Whether the entities are distributed over Citus. */
  readonly isDistributed: boolean;
}

export class Database {
  readonly #connection: DatabaseConfig;
  readonly #pool: pg.Pool;
  readonly #sessionSettings: string;
  readonly #snapshots = new Set<() => Promise<void>>();
  /**
   * Connections on which a COMMIT possibly did not wait for the standby. No change over such a connection counts as
   * acknowledged.
   */
  readonly #doubtful = new WeakSet<pg.PoolClient>();

  constructor(connection: DatabaseConfig, { isDistributed }: DatabaseOptions) {
    this.#connection = connection;
    this.#sessionSettings = isDistributed ? distributedSettings : sessionSettings;
    this.#pool = new pg.Pool({
      ...clientConfig(connection),
      Client: PasswordFileClient,
      max: connectionsMax,
      idleTimeoutMillis: 60_000,
      onConnect: async (client) => void (await client.query(this.#sessionSettings)),
    });
    this.#pool.on('connect', (client) => {
      client.on('error', ignore);
      client.on('notice', ({ code = '' }) => {
        if (replicationWarnings.has(code)) this.#doubtful.add(client);
      });
    });
    this.#pool.on('error', ignore);
  }

  /** Runs a statement that only reads. */
  read(statement: Statement, values: Values): Promise<readonly Row[]> {
    return this.#use((client) => query(client, statement, { values, isWrite: false }));
  }

  /** Runs a statement that writes, as its own transaction. */
  write(statement: Statement, values: Values): Promise<readonly Row[]> {
    return this.#use((client) => query(client, statement, { values, isWrite: true }));
  }

  /** Runs work in a transaction. Repeats it after a conflict, or if the connection broke before COMMIT was sent. */
  transaction<T>(work: (run: Run) => Promise<T | RolledBack<T>>, options: TransactionOptions = {}): Promise<T> {
    return this.#use((client) => new Transaction(client, options).complete(work));
  }

  /** Opens a separate connection. All its reads see the state at the time of the first read. */
  async openSnapshot(): Promise<OpenSnapshot> {
    const client = createClient(this.#connection);
    const close = async (): Promise<void> => {
      if (this.#snapshots.delete(close)) await client.end().catch(ignore);
    };
    this.#snapshots.add(close);
    try {
      await client.connect();
      await client.query(`${this.#sessionSettings}; SET idle_in_transaction_session_timeout = 0`);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    } catch (error) {
      await close();
      throw unreachable(error);
    }
    const run: Run = (statement, values) =>
      query(client, statement, { values, isWrite: false }).catch((error) => {
        throw unreachable(error);
      });
    return { run, close };
  }

  /** Ends each connection as soon as it is not in use. */
  async close(): Promise<void> {
    await Promise.all([...this.#snapshots].map((close) => close()));
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let [conflicts, broken] = [0, 0];
    for (;;) {
      const client = await this.#connect();
      try {
        const result = await work(client);
        if (this.#doubtful.has(client)) throw new ConnectionFailure(notReplicated, { isUncertain: true });
        client.release();
        return result;
      } catch (error) {
        const kind = kindOf(error);
        client.release(kind !== 'own');
        if (kind === 'own' || kind === 'refused') throw error;
        if (error instanceof ConnectionFailure && error.isUncertain) throw uncertain(error);
        if (kind === 'conflict' && ++conflicts < conflictsMax) continue;
        if (kind === 'broken' && ++broken < brokenMax) continue;
        throw unreachable(error);
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unreachable(error);
    }
  }
}

/**
 * Codes of warnings. The server sends such a warning if a COMMIT took effect on the primary, but the wait for a
 * synchronous standby was cancelled. In spite of the warning, the server reports success.
 */
const replicationWarnings: ReadonlySet<string> = new Set(['01000', '57P01']);
const notReplicated = new Error('the database did not wait for its standby');

const ignore = (): void => undefined;

/** A connection outside the pool, not connected yet. */
export function createClient(connection: DatabaseConfig): pg.Client {
  const client = new PasswordFileClient(clientConfig(connection));
  client.on('error', ignore);
  return client;
}

function clientConfig({ config }: DatabaseConfig): pg.PoolConfig {
  const driver = {
    pipeline: true,
    application_name: 'tanzanite',
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
  return { ...config, ...driver };
}

/**
 * The best plan of every statement uses the primary key, whatever data the tables contain. Each connection therefore
 * plans a statement only once. If a node hangs in a transaction, the timeouts release the locks of the transaction.
 */
const sessionSettings = `SET statement_timeout = ${statementMsMax}; SET idle_in_transaction_session_timeout = ${statementMsMax};
  SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off`;

/**
 * Citus can plan most statements only after it has received their values. With `auto`, Citus decides for each statement
 * whether the plan depends on the values. A transaction has only one connection to each worker, so all reads of the
 * transaction see the same state of the worker.
 */
const distributedSettings = `${sessionSettings}; SET plan_cache_mode = auto; SET citus.max_adaptive_executor_pool_size = 1`;

/** The limit for a server that does not answer at all: not even its own timeout takes effect. */
const answerMsMax = statementMsMax + 1_500;

interface QueryOptions {
  readonly values: Values;
  readonly isWrite: boolean;
  readonly isLong?: boolean;
}

function query(
  client: pg.ClientBase,
  { name, text }: Statement,
  { values, isWrite, isLong = false }: QueryOptions,
): Promise<readonly Row[]> {
  const limits = isLong ? {} : { name, query_timeout: answerMsMax };
  const config: pg.QueryArrayConfig = { text, values: [...values], rowMode: 'array', types: asText, ...limits };
  return new Promise((resolve, reject) => {
    client.query(config, (error: Error | null, result: pg.QueryArrayResult) => {
      if (error) reject(statementFailure(error, isWrite));
      else resolve(result.rows as Row[]);
    });
  });
}

const asText = { getTypeParser: () => (value: string) => value };

class Transaction {
  readonly #client: pg.PoolClient;
  readonly #options: TransactionOptions;
  readonly #sent: Promise<unknown>[] = [];

  constructor(client: pg.PoolClient, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
  }

  async complete<T>(work: (run: Run) => Promise<T | RolledBack<T>>): Promise<T> {
    const { isSnapshot = false, isLong = false } = this.#options;
    this.#send(isSnapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY' : 'BEGIN');
    if (isLong) this.#send('SET LOCAL statement_timeout = 0');
    const result = await this.#work(work);
    if (isSnapshot || result instanceof RolledBack) void this.#send('ROLLBACK');
    else await this.#commit();
    return result instanceof RolledBack ? result.result : result;
  }

  /** If this rejects, nothing has been committed. */
  async #work<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const { isLong = false } = this.#options;
    try {
      return await work((statement, values) =>
        this.#track(query(this.#client, statement, { values, isWrite: false, isLong })),
      );
    } catch (error) {
      if (kindOf(error) === 'own') await this.#send('ROLLBACK').catch(ignore);
      throw error;
    }
  }

  /** COMMIT is sent directly after the last statements, perhaps before their answers have arrived. */
  async #commit(): Promise<void> {
    const { isLong = false } = this.#options;
    const timeout = isLong ? {} : { query_timeout: answerMsMax };
    const committing = this.#client.query({ text: 'COMMIT', ...timeout } as pg.QueryConfig).catch((error) => {
      throw commitFailure(error);
    });
    const [answer, ...others] = await Promise.allSettled([committing, ...this.#sent]);
    if (answer.status === 'rejected') throw answer.reason;
    // The server says ROLLBACK if a statement of the transaction has failed.
    if (answer.value.command === 'COMMIT') return;
    const failed = others.find((one) => one.status === 'rejected');
    throw failed ? failed.reason : new Error('the transaction was rolled back');
  }

  #send(text: string): Promise<readonly Row[]> {
    return this.#track(query(this.#client, { name: '', text }, { values: [], isWrite: false }));
  }

  #track<T>(answer: Promise<T>): Promise<T> {
    this.#sent.push(answer);
    answer.catch(ignore);
    return answer;
  }
}
