import type { AccountStore, Store } from '../storage/store.ts';
import { type SeededTable, type SeedTarget, seedTables } from './seed.ts';
import { findTableFiles } from './table-files.ts';

/** A table of this name is being deleted, so the name cannot be used yet. */
export class NameInDeletion extends Error {
  readonly table: string;

  constructor(table: string) {
    super(`table ${table} is being deleted`);
    this.table = table;
  }
}

/** Loads tables into an account of this process. `finish` throws NameInDeletion. */
async function openAccountSeed(account: AccountStore, scope: SeedScope): Promise<SeedTarget> {
  const load = await account.beginLoad();
  return {
    async addTable(name, policies) {
      const { kind } = await load.addTable({ name, acl: policies });
      if (kind === 'duplicate') throw new Error(`table ${name} is loaded twice`);
    },
    async addEntities(table, entities) {
      // The service assigns the timestamps.
      const untimed = entities.map(({ partitionKey, rowKey, properties }) => ({ partitionKey, rowKey, properties }));
      const outcome = await load.addEntities(table, untimed);
      return outcome.kind === 'added' ? undefined : outcome.at;
    },
    async finish() {
      const outcome = await load.finish({ replacesAccount: scope === 'account' });
      if (outcome.kind === 'tableBeingDeleted') throw new NameInDeletion(outcome.table);
    },
    abandon: () => load.abandon(),
  };
}

/**
 * What a seed replaces. `tables`: the tables that the files contain. `account`: all tables of the account. `empty`:
 * nothing, because the account must be empty.
 */
export type SeedScope = 'tables' | 'empty' | 'account';

export interface AccountSeed {
  readonly account: string;
  readonly paths: readonly string[];
  readonly scope: SeedScope;
}

/**
 * Fills the account. Returns undefined if the account must be empty but has tables. Throws FileFault or NameInDeletion.
 * If the function throws or returns undefined, the account is unchanged.
 */
export async function seedAccount(
  store: Store,
  { account: name, paths, scope }: AccountSeed,
): Promise<readonly SeededTable[] | undefined> {
  const files = await findTableFiles(paths);
  const account = store.account(name);
  if (scope === 'empty' && (await store.exists(name))) {
    const { tables } = await account.listTables({ limit: 1 });
    if (tables.length > 0) return undefined;
  }
  return seedTables(files, await openAccountSeed(account, scope));
}
