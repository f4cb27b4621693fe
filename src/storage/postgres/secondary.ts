import type { MachineTime, ModelTime } from '../../model/time.ts';
import type { AccountStore, SecondaryStore } from '../store.ts';
import { PostgresAccountHandle } from './account-handle.ts';
import { AccountTools } from './account-tools.ts';
import { Database } from './database.ts';
import type { DatabaseConfig } from './database-config.ts';
import { PostgresEntityWrites } from './entity-writes.ts';
import { Operations } from './operations.ts';
import { PointReads } from './point-reads.ts';
import { PostgresAccountStore } from './postgres-account-store.ts';
import { type PostgresStatements, preparePostgresStatements } from './statements.ts';
import { BucketTimestampAllocator, type PostgresTimestampAllocator } from './timestamp-allocator.ts';

export interface SecondaryOptions {
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  readonly tableDeleteDelayMs: number;
}

/**
 * A hot standby of the database. Only requests to the secondary endpoint use the standby, so a node can start without
 * it. PostgreSQL itself refuses writes to a standby.
 */
export class PostgresSecondary implements SecondaryStore {
  readonly #options: SecondaryOptions;
  readonly #database: Database;
  readonly #statements: PostgresStatements;
  readonly #timestamps: PostgresTimestampAllocator;
  readonly #reads: PointReads;
  readonly #operations = new Operations();

  constructor(connection: DatabaseConfig, options: SecondaryOptions) {
    this.#options = options;
    this.#database = new Database(connection, { isDistributed: false });
    this.#statements = preparePostgresStatements({ schema: connection.schema, isDistributed: false });
    this.#timestamps = new BucketTimestampAllocator(this.#statements);
    const { machineTime } = options;
    const parts = { database: this.#database, statements: this.#statements };
    this.#reads = new PointReads({ ...parts, machineTime, isDistributed: false });
  }

  account(name: string): AccountStore {
    const { modelTime, machineTime, tableDeleteDelayMs } = this.#options;
    const parts = { database: this.#database, statements: this.#statements, timestamps: this.#timestamps };
    const tools = { ...parts, isDistributed: false, modelTime, tableDeleteDelayMs };
    const account = new PostgresAccountStore({
      tools: new AccountTools({ ...tools, ...changesNothing, changes: new Map() }, name),
      reads: this.#reads,
      writes: new PostgresEntityWrites(tools),
      machineTime,
    });
    return new PostgresAccountHandle({ operations: this.#operations, account, use: () => undefined });
  }

  async lastSyncMs(): Promise<number> {
    const [row] = await this.#operations.run(() => this.#database.read(this.#statements.lastSync, []));
    return Math.floor(Number(row?.[0] ?? 0));
  }

  async close(): Promise<void> {
    await this.#operations.close();
    await this.#database.close();
  }
}

const changesNothing = {
  notify: async (): Promise<void> => undefined,
  onServiceProperties: (): void => undefined,
  onDropped: (): void => undefined,
  payFor: async (): Promise<void> => undefined,
};
