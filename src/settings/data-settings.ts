import type { RowsFor } from './setting.ts';
import { withoutPassword } from './store-address.ts';

export interface DataOptions {
  /** Folder for the data, created if missing. Default: none, and all data is in memory. */
  readonly location?: string;
  /** Keep all data in memory. Default: true, unless `location` or `store` is given. */
  readonly inMemory?: boolean;
  /**
   * Address of a PostgreSQL database for the data, `postgres://user@host/database`. Any number of emulators may share
   * the database. Default: none.
   */
  readonly store?: string;
  /**
   * Address of a hot standby of the database in `store`. The emulator answers requests to the secondary from this
   * standby. Default: none.
   */
  readonly storeSecondary?: string;
  /**
   * What an acknowledged write survives. `process`: the end of the process. `power`: also a loss of power. `none`:
   * neither of them. Default `process`.
   */
  readonly durability?: 'process' | 'power' | 'none';
  /**
   * Folder or file with tables that are loaded into the first account at the start, if the account has no tables.
   * Default: none.
   */
  readonly seed?: string;
  /** Folder or file with tables that replace all data of the first account at every start. Default: none. */
  readonly seedAlways?: string;
}

const databaseAddress = {
  regex: /^postgres(?:ql)?:\/\/./,
  expected: 'the address of a PostgreSQL database, such as postgres://user@host/database',
};

/** The folder at which the container image has its volume. */
export const imageVolume = '/data';

/** @internal */
export const dataRows = {
  location: {
    kind: 'text',
    flag: '-l, --location <folder>',
    flagDefault: 'tanzanite-data',
    image: imageVolume,
    help: 'keep the data in this folder; create it if missing',
  },
  inMemory: {
    kind: 'switch',
    flag: '--inMemoryPersistence',
    defaultText: 'option: true without `location` and `store`',
    help: 'keep the data in memory only',
  },
  store: {
    kind: 'text',
    flag: '--store <url>',
    isSecret: true,
    shown: withoutPassword,
    pattern: databaseAddress,
    help: 'keep the data in this PostgreSQL database, which emulators may share (or set TANZANITE_STORE)',
    details:
      '[Beyond one machine](scale-out.md) describes how to use the database. ' +
      'The password of the database can be in `PGPASSWORD` or in `~/.pgpass`.',
  },
  storeSecondary: {
    kind: 'text',
    flag: '--store-secondary <url>',
    isSecret: true,
    shown: withoutPassword,
    pattern: databaseAddress,
    help: 'answer requests to the secondary from this hot standby of the database (or set TANZANITE_STORE_SECONDARY)',
  },
  durability: {
    kind: 'choice',
    flag: '--durability <level>',
    default: 'process',
    choices: {
      process: 'an acknowledged write survives the end of the process',
      power: 'it survives a loss of power too',
      none: 'it may be lost if the process dies',
    },
    help: 'let acknowledged writes survive the end of the process, a loss of power, or neither',
  },
  seed: {
    kind: 'text',
    flag: '--seed <folder>',
    help: 'load the tables in this folder into the first account, if the account has no tables',
    details:
      '[Data as files](data.md) describes the files. If a start is interrupted while it loads the tables, the next start ' +
      'loads them again.',
  },
  seedAlways: {
    kind: 'text',
    flag: '--seed-always <folder>',
    help: 'replace all data of the first account with the tables of this folder',
    details: 'The data is replaced at every start. Together with `--seed-always`, `--seed` has no effect.',
  },
} as const satisfies RowsFor<DataOptions>;
