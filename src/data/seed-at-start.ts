import { developmentAccount } from '../auth/accounts.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { Store } from '../storage/store.ts';

interface SeedSettings {
  readonly seed?: string;
  readonly seedAlways?: string;
  readonly log?: EmulatorLog;
}

/** Fills the first account before the server accepts requests. If the start is interrupted, the account is unchanged. */
export async function seedAtStart(
  { seed, seedAlways, log }: SeedSettings,
  store: Store,
  accounts: Iterable<string>,
): Promise<void> {
  const path = seedAlways ?? seed;
  if (path === undefined) return;
  const { seedAccount } = await import('./account-seed.ts');
  const [account = developmentAccount.name] = accounts;
  const scope = seedAlways === undefined ? 'empty' : 'account';
  const tables = await seedAccount(store, { account, paths: [path], scope });
  const entities = tables?.reduce((sum, table) => sum + table.entities, 0);
  if (tables) log?.info({ account, tables: tables.length, entities }, `seeded from ${path}`);
}
