// Faults that the simulation must find. Each replaces text of src in the bundle that the simulation runs.

import type { Patch } from '../bundle.ts';

export interface PlantedFault {
  readonly name: string;
  readonly patches: readonly Patch[];
}

const sqlite = 'storage/sqlite';

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'load-id-kept',
    // If the transaction of a load is rolled back, the rows that the load added in it remain.
    patches: [
      {
        file: `${sqlite}/account/table-load.ts`,
        text: 'rolledBack(): void {\n    this.#added.clear();',
        by: 'rolledBack(): void {',
      },
    ],
  },
  {
    name: 'file-deleted-under-load',
    // An abandoned load removes the file of an account that another load still uses.
    patches: [
      {
        file: `${sqlite}/open-accounts.ts`,
        text: 'if (!isOfLoads || loads > 0 ||',
        by: 'if (!isOfLoads ||',
      },
    ],
  },
  {
    name: 'reclaim-starves',
    // The rows of a load in progress prevent the rows of other tables from being reclaimed.
    patches: [
      {
        file: `${sqlite}/account/row-reclaim.ts`,
        text: `const dropped = nextDropped.get(kept) as { tableId: number } | undefined;
      if (!dropped) return { kind: 'none' };`,
        by: `const dropped = nextDropped.get('[]') as { tableId: number } | undefined;
      if (!dropped || kept.slice(1, -1).split(',').includes(String(dropped.tableId))) return { kind: 'none' };`,
      },
    ],
  },
  {
    name: 'lost-sync',
    // A commit is acknowledged before it is synced.
    patches: [{ file: `${sqlite}/file/account-file.ts`, text: "power: 'FULL'", by: "power: 'NORMAL'" }],
  },
  {
    name: 'stale-column-cache',
    // When an entity is written, its old columns stay in the cache.
    patches: [
      {
        file: `${sqlite}/account/written-tables.ts`,
        text: 'this.#blocks.get(tableId)?.invalidate(what);',
        by: '',
      },
    ],
  },
  {
    name: 'torn-batch',
    // If a batch is refused, the writes before the refused one remain.
    patches: [{ file: `${sqlite}/file/group-commit.ts`, text: 'if (!done.keep) rollbackTo.run();', by: '' }],
  },
  {
    name: 'timestamp-repeats',
    // The last timestamp is lost when the process ends.
    patches: [
      {
        file: `${sqlite}/account/timestamp-allocator.ts`,
        text: 'lastWriteTicks(statements.lastTicks.get() as Ticks)',
        by: 'lastWriteTicks(statements.lastTicks.get() as Ticks) * 0n',
      },
    ],
  },
  {
    name: 'policy-cached',
    // The policies of a table are read only once.
    patches: [
      {
        file: 'service/stored-policies.ts',
        text: 'return async (account, table, id) => {',
        by: `const cached = new Map<string, any>();
  return async (account, table, id) => {`,
      },
      {
        file: 'service/stored-policies.ts',
        text: 'const found = (await store.exists(account)) ? await store.account(account).getTableAcl(table) : undefined;',
        by: `const name = account + '/' + table;
    const found = cached.get(name) ?? (await store.exists(account) ? await store.account(account).getTableAcl(table) : undefined);
    if (found?.kind === 'found') cached.set(name, found);`,
      },
    ],
  },
  {
    name: 'snapshot-follows-table',
    // A write changes the rows of a snapshot too.
    patches: [
      {
        file: `${sqlite}/account/entity-writes.ts`,
        text: 'if (table.isShared || views.holds(table.id)',
        by: 'if (views.holds(table.id)',
      },
    ],
  },
  {
    name: 'etag-compared-early',
    // A condition is checked when the request arrives, and not in its transaction.
    patches: [
      {
        file: `${sqlite}/account/entity-writes.ts`,
        text: 'const entities: AppliedEntity[] = [];',
        by: `const entities: AppliedEntity[] = [];
    const found = this.#options.directory.find(table);
    if (found) mutations = mutations.map((one) => this.#mutations.early(found.id, one));`,
      },
      {
        file: `${sqlite}/account/mutation-writer.ts`,
        text: '  #currentOf(',
        by: `  early(tableId: number, mutation: any): any {
    const key = [tableId, encodeKeyPart(mutation.partitionKey), encodeKeyPart(mutation.rowKey)];
    const row = this.#statements.getForUpdate.get(...key) as CurrentRow | undefined;
    const { kind } = decideMutation(row && this.#currentOf(row), mutation);
    const holds = mutation.ifMatch !== undefined && (kind === 'write' || kind === 'delete');
    return holds ? { ...mutation, ifMatch: { kind: 'any' } } : mutation;
  }

  #currentOf(`,
      },
    ],
  },
];
