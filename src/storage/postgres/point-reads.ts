import type { EntityKey } from '../../model/entity.ts';
import { createTicksFormat } from '../../model/ticks.ts';
import type { GetOutcome } from '../store.ts';
import type { Database, Row } from './database.ts';
import { encodeKeyPart } from './key-bytes.ts';
import type { Statements } from './statements.ts';

interface Wanted extends EntityKey {
  readonly account: string;
  readonly lookup: string;
  readonly resolve: (outcome: GetOutcome | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads in one statement. */
const togetherMax = 64;

/**
 * Carries out the point reads of one turn of the event loop in one statement: a message to the database and back costs more
 * than finding an entity.
 */
export class PointReads {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #formatTicks = createTicksFormat();
  #wanted: Wanted[] = [];

  constructor(database: Database, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** Undefined if there is no table of the name. */
  get(account: string, lookup: string, key: EntityKey): Promise<GetOutcome | undefined> {
    return new Promise((resolve, reject) => {
      this.#wanted.push({ ...key, account, lookup, resolve, reject });
      if (this.#wanted.length === 1) setImmediate(() => this.#flush());
      else if (this.#wanted.length === togetherMax) this.#flush();
    });
  }

  #flush(): void {
    const wanted = this.#wanted;
    if (wanted.length === 0) return;
    this.#wanted = [];
    const [only, second] = wanted;
    const reading = only && !second ? this.#readOne(only) : this.#readAll(wanted);
    reading.catch((error) => {
      for (const { reject } of wanted) reject(error);
    });
  }

  async #readOne(wanted: Wanted): Promise<void> {
    const { account, lookup, partitionKey, rowKey, resolve } = wanted;
    const values = [account, lookup, encodeKeyPart(partitionKey), encodeKeyPart(rowKey)];
    const [row] = await this.#database.read(this.#statements.getEntity, values);
    resolve(row && this.#outcomeOf(wanted, row[0], row[1]));
  }

  async #readAll(wanted: readonly Wanted[]): Promise<void> {
    const rows: readonly Row[] = await this.#database.read(this.#statements.getEntities, [
      wanted.map(({ account }) => account),
      wanted.map(({ lookup }) => lookup),
      wanted.map(({ partitionKey }) => encodeKeyPart(partitionKey)),
      wanted.map(({ rowKey }) => encodeKeyPart(rowKey)),
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
    const timestamp = this.#formatTicks(BigInt(ticks));
    return { kind: 'found', entity: { partitionKey, rowKey, timestamp, properties } };
  }
}
