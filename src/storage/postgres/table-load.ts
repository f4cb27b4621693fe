// Loads complete tables. The rows of a load are stored under ids that belong to no table yet. Before any row of a table
// is written, the load puts the table's id on the list of dropped tables, with a time one hour later. Each call that
// adds rows to the table moves this time to one hour after the call. If the load is not finished at this time, any node
// deletes the rows, even if the load's own node has ended.

import { type TableName, tableLookup } from '../../model/table-name.ts';
import { lastDayTicks, type Ticks } from '../../model/ticks.ts';
import type {
  AddEntitiesOutcome,
  AddTableOutcome,
  AddTableParams,
  FinishLoadOutcome,
  FinishLoadParams,
  LoadedEntity,
  TableLoad,
} from '../table-load.ts';
import type { AccountTools } from './account-tools.ts';
import { RolledBack, type Run } from './database.ts';
import { decodeKeyBytes, encodeKeyBytes } from './key-bytes.ts';
import { nowTicks } from './timestamp-allocator.ts';

interface LoadedTable {
  readonly id: string;
  readonly name: TableName;
  readonly lookup: string;
  readonly acl: string | undefined;
}

interface StampedEntity extends LoadedEntity {
  readonly ticks: Ticks;
}

/** How long a load may be idle. */
const idleInterval = '1 hour';
/** The most entities in one statement, and the approximate bytes of their properties. */
const togetherMax = 1_000;
const togetherBytesMax = 1 << 20;

export class PostgresTableLoad implements TableLoad {
  readonly #tools: AccountTools;
  /** By lookup name. */
  readonly #tables = new Map<string, LoadedTable>();
  #isOver = false;
  /** Settles when the call of `finish` in progress has ended. */
  #finishing: Promise<unknown> | undefined;

  constructor(tools: AccountTools) {
    this.#tools = tools;
  }

  async addTable({ name, acl }: AddTableParams): Promise<AddTableOutcome> {
    const { database, statements } = this.#tools.options;
    const lookup = tableLookup(name);
    this.#refuseWhenOver();
    if (this.#tables.has(lookup)) return { kind: 'duplicate' };
    const [row] = await database.write(statements.addLoadTable, [idleInterval]);
    this.#tables.set(lookup, { id: row?.[0] as string, name, lookup, acl });
    return { kind: 'added' };
  }

  async addEntities(table: string, entities: readonly LoadedEntity[]): Promise<AddEntitiesOutcome> {
    const loaded = this.#tables.get(tableLookup(table));
    this.#refuseWhenOver();
    if (!loaded) throw new Error(`the load has no table ${table}`);
    for (let start = 0; start < entities.length; ) {
      const end = endOfPart(entities, start);
      const outcome = await this.#add(loaded, entities.slice(start, end));
      if (outcome.kind === 'duplicate') return { kind: 'duplicate', at: start + outcome.at };
      await this.#tools.options.payFor({ rows: end - start });
      start = end;
    }
    return { kind: 'added' };
  }

  async finish(params: FinishLoadParams = {}): Promise<FinishLoadOutcome> {
    this.#refuseWhenOver();
    const finishing = this.#finish(params);
    this.#finishing = finishing.catch(() => undefined);
    return finishing;
  }

  /** If `finish` is in progress, waits for it. */
  async abandon(): Promise<void> {
    await this.#finishing;
    if (this.#isOver) return;
    this.#isOver = true;
    const { database, statements, onDropped } = this.#tools.options;
    await database.write(statements.releaseTables, [[...this.#tables.values()].map(({ id }) => id)]);
    onDropped();
  }

  async #finish({ replacesAccount = false }: FinishLoadParams): Promise<FinishLoadOutcome> {
    const { statements, onServiceProperties, onDropped } = this.#tools.options;
    const tables = [...this.#tables.values()];
    const account = this.#tools.name;
    const outcome = await this.#tools.change<FinishLoadOutcome>(async (run, firstTicks) => {
      const busy = replacesAccount ? undefined : await this.#nameBeingDeleted(run, tables);
      if (busy !== undefined) return new RolledBack({ kind: 'tableBeingDeleted', table: busy });
      const taken = await run(statements.takeLoadTables, [tables.map(({ id }) => id)]);
      if (taken.length < tables.length) throw idleForTooLong();
      const kept = tables.map(({ lookup }) => lookup);
      if (replacesAccount) await this.#tools.removeAll(run, kept);
      for (const [at, { lookup, id, name, acl }] of tables.entries()) {
        void run(statements.putTable, [account, lookup, id, name, firstTicks + BigInt(at), acl ?? null]);
      }
      return { kind: 'finished' };
    });
    if (outcome.kind !== 'finished') return outcome;
    this.#isOver = true;
    if (replacesAccount) onServiceProperties(account);
    onDropped();
    return outcome;
  }

  #refuseWhenOver(): void {
    if (this.#isOver) throw new Error('the load is over');
  }

  /** The name of a table of the load that cannot be used yet, because a table of that name was deleted. */
  async #nameBeingDeleted(run: Run, tables: readonly LoadedTable[]): Promise<string | undefined> {
    const { findTable } = this.#tools.options.statements;
    for (const { name, lookup } of tables) {
      const target = { account: this.#tools.name, lookup };
      if ((await this.#tools.absenceOf(run, target)) === 'tableMissing') continue;
      if ((await run(findTable, [target.account, lookup])).length === 0) return name;
    }
    return undefined;
  }

  #add(table: LoadedTable, entities: readonly LoadedEntity[]): Promise<AddEntitiesOutcome> {
    const { database, statements } = this.#tools.options;
    return database.transaction<AddEntitiesOutcome>(async (run) => {
      const kept = await run(statements.keepLoadTables, [[table.id], idleInterval]);
      if (kept.length === 0) throw idleForTooLong();
      const stamped = await this.#stamp(run, table, entities);
      const inserted = await run(statements.insertLoaded, [
        table.id,
        stamped.map(({ partitionKey }) => encodeKeyBytes(partitionKey)),
        stamped.map(({ rowKey }) => encodeKeyBytes(rowKey)),
        stamped.map(({ ticks }) => ticks),
        stamped.map(({ properties }) => properties),
      ]);
      if (inserted.length === stamped.length) return { kind: 'added' };
      const isNew = new Set(inserted.map((row) => pairOf(decodeKeyBytes(row[0] ?? ''), decodeKeyBytes(row[1] ?? ''))));
      // Of two entities with the same key, the first was inserted.
      const at = stamped.findIndex(({ partitionKey, rowKey }) => !isNew.delete(pairOf(partitionKey, rowKey)));
      const later = stamped.slice(at + 1).filter(({ partitionKey, rowKey }) => isNew.has(pairOf(partitionKey, rowKey)));
      await run(statements.deleteLoaded, [
        table.id,
        later.map(({ partitionKey }) => encodeKeyBytes(partitionKey)),
        later.map(({ rowKey }) => encodeKeyBytes(rowKey)),
      ]);
      return { kind: 'duplicate', at };
    });
  }

  /**
   * Returns the entities with timestamps: an entity without a timestamp gets a new one. Later writes to the same
   * partitions get later timestamps.
   */
  async #stamp(
    run: Run,
    { lookup }: LoadedTable,
    entities: readonly LoadedEntity[],
  ): Promise<readonly StampedEntity[]> {
    const { timestamps, modelTime } = this.#tools.options;
    const target = { account: this.#tools.name, lookup };
    const partitionKeys = [...new Set(entities.map(({ partitionKey }) => partitionKey))];
    const before = await timestamps.lock(run, target, partitionKeys);
    let next = nowTicks(modelTime);
    if (before >= next) next = before + 1n;
    const stamped = entities.map((entity) => ({ ...entity, ticks: entity.ticks ?? next++ }));
    let last = 0n;
    for (const { ticks } of stamped) if (ticks > last && ticks <= lastDayTicks) last = ticks;
    timestamps.raise(run, target, { partitionKeys, last }).catch(() => undefined);
    return stamped;
  }
}

const idleForTooLong = (): Error => new Error('the load was idle for too long, and has been removed');

/** The index at which the part for one statement ends. */
function endOfPart(entities: readonly LoadedEntity[], start: number): number {
  let bytes = 0;
  for (let at = start; at < entities.length; at++) {
    bytes += entities[at]?.properties.length ?? 0;
    if (at > start && (at - start === togetherMax || bytes > togetherBytesMax)) return at;
  }
  return entities.length;
}

const pairOf = (partitionKey: string, rowKey: string): string => JSON.stringify([partitionKey, rowKey]);
