import type { MachineTime, ModelTime } from '../../model/time.ts';
import type { AccountStore, SecondaryStore } from '../store.ts';
import { PostgresAccountHandle } from './account-handle.ts';
import { AccountTools } from './account-tools.ts';
import type { Connection } from './connection.ts';
import { Database } from './database.ts';
import { EntityWrites } from './entity-writes.ts';
import { Operations } from './operations.ts';
import { PointReads } from './point-reads.ts';
import { PostgresAccountStore } from './postgres-account-store.ts';
import { prepareStatements, type Statements } from './statements.ts';

export interface SecondaryOptions {
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  readonly tableDeleteDelayMs: number;
  readonly isDistributed: boolean;
}

/**
 * A hot standby of the database. It is asked only when a request is for the secondary, so a node starts without it; PostgreSQL
 * itself refuses to write there.
 */
export class PostgresSecondary implements SecondaryStore {
  readonly #options: SecondaryOptions;
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #reads: PointReads;
  readonly #operations = new Operations();

  constructor(connection: Connection, options: SecondaryOptions) {
    this.#options = options;
    this.#database = new Database(connection);
    this.#statements = prepareStatements(connection.schema);
    const { machineTime, isDistributed } = options;
    const parts = { database: this.#database, statements: this.#statements };
    this.#reads = new PointReads({ ...parts, machineTime, isDistributed });
  }

  account(name: string): AccountStore {
    const { modelTime, machineTime, tableDeleteDelayMs, isDistributed } = this.#options;
    const tools = { database: this.#database, statements: this.#statements, modelTime, tableDeleteDelayMs };
    const account = new PostgresAccountStore({
      tools: new AccountTools({ ...tools, ...changesNothing, changes: new Map() }, name),
      reads: this.#reads,
      writes: new EntityWrites({ ...tools, isDistributed }),
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
};
