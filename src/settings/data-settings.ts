import type { RowsFor } from './setting.ts';

export interface DataOptions {
  /** Folder that keeps the data, created if missing. Default: none, everything is in memory. */
  readonly location?: string;
  /** Keep everything in memory. Default: true, unless `location` is given. */
  readonly inMemory?: boolean;
  /**
   * What an acknowledged write survives: the death of the process (`process`), also a loss of power (`power`), or neither
   * (`none`). Default `process`.
   */
  readonly durability?: 'process' | 'power' | 'none';
}

/** @internal */
export const dataRows = {
  location: {
    kind: 'text',
    flag: '-l, --location <folder>',
    flagDefault: 'tanzanite-data',
    help: 'keep the data in this folder; create it if missing',
  },
  inMemory: {
    kind: 'switch',
    flag: '--inMemoryPersistence',
    defaultText: 'option: true without `location`',
    help: 'keep the data in memory only',
  },
  durability: {
    kind: 'choice',
    flag: '--durability <level>',
    default: 'process',
    choices: {
      process: 'an acknowledged write survives the death of the process',
      power: 'it survives a loss of power too',
      none: 'it may be lost with the process',
    },
    help: 'let acknowledged writes survive the death of the process, a loss of power, or neither',
  },
} as const satisfies RowsFor<DataOptions>;
