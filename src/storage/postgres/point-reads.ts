import type { EntityKey } from '../../model/entity.ts';
import type { MachineTime } from '../../model/time.ts';
import type { GetOutcome } from '../store.ts';
import type { Database, Row } from './database.ts';
import { encodeKeyBytes } from './key-bytes.ts';
import type { PostgresStatements } from './statements.ts';
import { createStoredTicksFormat } from './stored-ticks.ts';

interface Wanted extends EntityKey {
  readonly account: string;
  readonly lookup: string;
  readonly resolve: (outcome: GetOutcome | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface PointReadsOptions {
  readonly database: Database;
  readonly statements: PostgresStatements;
  readonly machineTime: Pick<MachineTime, 'monotonicMs'>;
  /**
   * Whether the entities are distributed over Citus. Citus can find the shard for a statement that reads one entity,
   * but not for a statement that reads several entities. With Citus, each statement therefore reads only one entity.
   */
  readonly isDistributed: boolean;
}

/** The most reads in one statement. */
const togetherMax = 128;
/**
 * The next statement begins when the previous statement is answered. If no answer has arrived after `patienceMs`, the
 * next statement may begin nevertheless, because the previous statement may be stuck.
 */
const patienceMs = 5;
const statementsMax = 4;

/**
 * Combines point reads into one statement, because a round trip to the database costs more than finding an entity. A
 * statement contains the reads of one turn of the event loop, and the reads that arrived while the previous statement
 * ran.
 */
export class PointReads {
  readonly #options: PointReadsOptions;
  readonly #formatTicks = createStoredTicksFormat();
  #wanted: Wanted[] = [];
  #statementsNow = 0;
  #lastBeginMs = Number.NEGATIVE_INFINITY;
  #isFlushing = false;

  constructor(options: PointReadsOptions) {
    this.#options = options;
  }

  /** Resolves with undefined if there is no table of this name. */
  get(account: string, lookup: string, key: EntityKey): Promise<GetOutcome | undefined> {
    return new Promise((resolve, reject) => {
      this.#wanted.push({ ...key, account, lookup, resolve, reject });
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      setImmediate(() => {
        this.#isFlushing = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    while (this.#wanted.length > 0 && this.#mayBegin()) void this.#readSome(this.#wanted.splice(0, togetherMax));
  }

  #mayBegin(): boolean {
    if (this.#statementsNow === 0) return true;
    const isStuck = this.#options.machineTime.monotonicMs() - this.#lastBeginMs > patienceMs;
    return isStuck && this.#statementsNow < statementsMax;
  }

  async #readSome(wanted: readonly Wanted[]): Promise<void> {
    this.#statementsNow += 1;
    this.#lastBeginMs = this.#options.machineTime.monotonicMs();
    try {
      const isOneByOne = wanted.length === 1 || this.#options.isDistributed;
      await (isOneByOne ? Promise.all(wanted.map((one) => this.#readOne(one))) : this.#readAll(wanted));
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
    this.#statementsNow -= 1;
    this.#flush();
  }

  async #readOne(wanted: Wanted): Promise<void> {
    const { account, lookup, partitionKey, rowKey, resolve } = wanted;
    const { database, statements, isDistributed } = this.#options;
    const key = [encodeKeyBytes(partitionKey), encodeKeyBytes(rowKey)];
    if (!isDistributed) {
      const [row] = await database.read(statements.getEntity, [account, lookup, ...key]);
      return resolve(row && this.#outcomeOf(wanted, row[0], row[1]));
    }
    const [table] = await database.read(statements.findTable, [account, lookup]);
    if (!table) return resolve(undefined);
    const [row] = await database.read(statements.getEntityOf, [table[0] as string, ...key]);
    resolve(this.#outcomeOf(wanted, row?.[0], row?.[1]));
  }

  async #readAll(wanted: readonly Wanted[]): Promise<void> {
    const { database, statements } = this.#options;
    const rows: readonly Row[] = await database.read(statements.getEntities, [
      namesLiteral(wanted.map(({ account }) => account)),
      namesLiteral(wanted.map(({ lookup }) => lookup)),
      bytesLiteral(wanted.map(({ partitionKey }) => encodeKeyBytes(partitionKey))),
      bytesLiteral(wanted.map(({ rowKey }) => encodeKeyBytes(rowKey))),
    ]);
    for (const [at, hasTable, ticks, properties] of rows) {
      const one = wanted[Number(at) - 1] as Wanted;
      one.resolve(hasTable === 't' ? this.#outcomeOf(one, ticks, properties) : undefined);
    }
  }

  #outcomeOf(
    { partitionKey, rowKey }: EntityKey,
    ticks: string | null | undefined,
    properties?: string | null,
  ): GetOutcome {
    if (ticks == null || properties == null) return { kind: 'missing' };
    const timestamp = this.#formatTicks(ticks);
    return { kind: 'found', entity: { partitionKey, rowKey, timestamp, properties } };
  }
}

/**
 * Returns a PostgreSQL array literal without escapes, because account and table names need no escapes. The conversion
 * of the driver is slower.
 */
const namesLiteral = (names: readonly string[]): string => `{"${names.join('","')}"}`;
const bytesLiteral = (parts: readonly Buffer[]): string =>
  `{"\\\\x${parts.map((part) => part.toString('hex')).join('","\\\\x')}"}`;
