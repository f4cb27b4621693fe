import { openAccountExport } from '../../data/account-export.ts';
import type { AccountSeed } from '../../data/account-seed.ts';
import type { Exported, ExportTablesOptions } from '../../data/export.ts';
import type { SeededTable } from '../../data/seed.ts';
import type { ResetTarget } from '../../model/reset-target.ts';
import { type ControlTools, checkAccount } from '../control-route.ts';
import { type ResetTools, reset } from './reset.ts';

/** The operations on data for a program that runs the emulator in its own process. */
export interface RunningData {
  /** The work of POST /_emulator/reset. Rejects with ControlError for an unknown account or table. */
  reset(target: ResetTarget): Promise<void>;
  /**
   * Loads tables from files. Each loaded table replaces the table of the same name. If this fails, changes nothing, and
   * rejects with FileFault, or with ControlError if the account is unknown.
   */
  seed(seed: Omit<AccountSeed, 'scope'>): Promise<readonly SeededTable[]>;
  /** Writes tables of an account as files. Rejects with FileFault, and ControlError for an unknown account. */
  export(account: string, folder: string, options: ExportTablesOptions): Promise<Exported>;
}

export type DataTools = ResetTools & Pick<ControlTools, 'accounts'>;

/** The readers and writers of files are loaded on first use. */
export function dataWith(tools: DataTools): RunningData {
  const { store, accounts, onReset } = tools;
  return {
    reset: async (target) => void (await reset(target, tools)),
    async seed(seed) {
      checkAccount(seed.account, accounts);
      const { seedAccount } = await import('../../data/account-seed.ts');
      const tables = (await seedAccount(store, { ...seed, scope: 'tables' })) ?? [];
      for (const { name } of tables) onReset(seed.account, name);
      return tables;
    },
    async export(account, folder, options) {
      checkAccount(account, accounts);
      const { exportTables } = await import('../../data/export.ts');
      const source = await openAccountExport(store, account, options.tables);
      return exportTables(source, folder, options).finally(() => source.close());
    },
  };
}
