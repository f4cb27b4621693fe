import type { AdvisorReport, ReportOptions } from '../advisor/report.ts';
import type { CapacityReport } from '../capacity/capacity-report.ts';
import { defaultEmulatorSettings, type RunningEmulator, runEmulator } from '../emulator.ts';
import type { ResetTarget } from '../model/reset-target.ts';
import type { SettingReport } from '../model/setting-report.ts';
import type { Snapshot, SnapshotTarget } from '../model/snapshot.ts';
import { summarizeRequest } from '../model/summarize-request.ts';
import { accountAt, type EmulatorAccount } from './account.ts';
import { type ClockAccess, clockAccess } from './clock-access.ts';
import { type FaultAccess, faultAccess } from './fault-access.ts';
import {
  type ExportOptions,
  type ExportSummary,
  type FileSummary,
  readFileOptions,
  readPaths,
  type SeedOptions,
} from './file-options.ts';
import { type IdentityAccess, identityAccess } from './identity-access.ts';
import { firstAccount, readOptions, readSnapshotName, readTarget } from './read-options.ts';
import type { StartOptions } from './start-options.ts';

export interface Emulator extends AsyncDisposable {
  /** Address of the table endpoint without an account, e.g. `http://127.0.0.1:49152`. */
  readonly url: string;
  /** With `https: 'auto'`, the address for HTTPS, on the same port: `https://127.0.0.1:49152`. */
  readonly httpsUrl: string | undefined;
  /**
   * The certificate that clients must trust, as PEM; undefined without `https: 'auto'`. In Node, pass the certificate
   * as `ca` in the TLS options.
   */
  readonly certificateAuthority: string | undefined;
  /** Connection string of the first account, for the Azure SDKs. */
  readonly connectionString: string;
  /** Makes a new account with its own key, so that a test does not see the data of other tests. */
  account(): EmulatorAccount;
  /**
   * Empties the account or the table that `target` names. Without `target`, empties everything. `clock: true` resets
   * the clock, and `faults: true` removes the faults. With one of these two members, data is removed only if `target`
   * also names an account or a table. Accounts keep their keys, and a table keeps its access policies. If there is
   * nothing to empty, rejects with an Error whose `code` is AccountNotFound, TableNotFound or TableBeingDeleted. If
   * some accounts cannot be emptied, the `code` is StoreFailed, and all other accounts are empty.
   */
  reset(target?: ResetTarget): Promise<void>;
  /**
   * Fills tables from files or folders. An existing table is replaced completely. Either all files are loaded or none.
   * If a file is faulty, rejects with an Error whose message names the file, the line and the reason. If the account is
   * unknown, rejects with an Error whose `code` is AccountNotFound.
   */
  seed(path: string | readonly string[], options?: SeedOptions): Promise<FileSummary>;
  /**
   * Writes the entities of each table to a file in the folder, in key order. Writes the access policies of the tables
   * to tables.json. If the account is unknown, rejects with an Error whose `code` is AccountNotFound.
   */
  export(folder: string, options?: ExportOptions): Promise<ExportSummary>;
  /**
   * Saves an account (by default the first) or one of its tables under a name. The snapshot contains entities, tables
   * and policies. A snapshot of an account also contains its service properties. Replaces an existing snapshot of that
   * name. Rejects with an Error whose `code` is AccountNotFound, TableNotFound, TableBeingDeleted or TooManySnapshots.
   * If the name is invalid, the `code` is InvalidInput.
   */
  snapshot(name: string, target?: SnapshotTarget): Promise<Snapshot>;
  /**
   * Restores a snapshot atomically: everything that was saved, or only the table that `target` names. Rejects with an
   * Error whose `code` is AccountNotFound or SnapshotNotFound. If the snapshot does not contain the table, the `code`
   * is TableNotFound.
   */
  restore(name: string, target?: SnapshotTarget): Promise<Snapshot>;
  /** The snapshots of an account, by default the first, sorted by name. */
  snapshots(target?: Pick<SnapshotTarget, 'account'>): Promise<readonly Snapshot[]>;
  /** Rejects with an Error whose `code` is AccountNotFound or SnapshotNotFound. */
  deleteSnapshot(name: string, target?: Pick<SnapshotTarget, 'account'>): Promise<void>;
  /** The time of the service: docs/clock.md. */
  readonly clock: ClockAccess;
  /** The faults that are staged: docs/faults.md. */
  readonly faults: FaultAccess;
  /** The issuer of tokens: docs/identity.md. Its methods reject without the option `identity`. */
  readonly identity: IdentityAccess;
  /** How Azure's service would have handled the load so far: the report of GET /_emulator/capacity. */
  capacity(): CapacityReport;
  /** Judges the requests so far by Microsoft's design guides. */
  readonly advisor: AdvisorAccess;
  /**
   * Stops listening, answers the requests in progress and closes the data. A second call has no further effect. After a
   * call of `close`, the other methods throw.
   */
  close(): Promise<void>;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The advisor of an emulator. */
export interface AdvisorAccess {
  /**
   * Resolves with the report of GET /_emulator/advisor, also after `close`. Rejects if the emulator was started without
   * the advisor.
   */
  report(options?: ReportOptions): Promise<AdvisorReport>;
  /** Drops the requests so far. The next report covers only later requests. */
  clear(): void;
}

/**
 * Starts an emulator in this process, by default on a free port and in memory.
 * Throws TypeError for an unknown option, an invalid value, or options that contradict each other.
 * Throws an Error that names the problem if `tls` is wrong.
 * Throws StoreUnavailable if SQLite itself cannot be used, or if the data of `location` cannot be used.
 * If the port cannot be used, throws an Error whose `code` is the system's error code, such as `EADDRINUSE`. The
 * message of this Error says what uses the port.
 */
export async function startEmulator(options: StartOptions = {}): Promise<Emulator> {
  const { settings, log, onRequest } = readOptions(options);
  const { profile } = settings;
  const describeSettings = async (): Promise<SettingReport[]> => {
    const { describeOptions } = await import('../settings/describe-options.ts');
    return describeOptions(settings, options);
  };
  const running = await runEmulator({
    ...defaultEmulatorSettings,
    ...settings,
    ...(log && { log }),
    describeSettings,
    ...(settings.otlp === 'env' && { otlpVariables: process.env }),
    ...(onRequest && { onRequest: (record) => onRequest(summarizeRequest(record)) }),
  });
  if (profile !== 'default' && log) {
    const { describeProfile } = await import('../settings/describe-options.ts');
    log.info({ profile }, describeProfile(profile, await describeSettings()));
  }
  let isClosed = false;
  const open = (): RunningEmulator => {
    if (isClosed) throw new Error('the emulator is closed');
    return running;
  };
  const close = (): Promise<void> => {
    isClosed = true;
    return running.close();
  };
  const { url, https } = running;
  const first = firstAccount(settings);
  return {
    url,
    httpsUrl: https?.url,
    certificateAuthority: https?.authority,
    connectionString: accountAt(url, first).connectionString,
    account: () => accountAt(url, open().addAccount()),
    reset: async (target = {}) => open().reset(readTarget(target, 'reset', ['account', 'table', 'clock', 'faults'])),
    seed: async (path, given = {}) => {
      const { account = first.name } = readFileOptions('seed', given);
      return { tables: await open().seed({ account, paths: readPaths(path) }) };
    },
    export: async (folder, given = {}) => {
      const { account = first.name, format = 'ndjson', tables, clean = false } = readFileOptions('export', given);
      const [path = ''] = readPaths(folder);
      return open().export(account, path, { format, isClean: clean, ...(tables && { tables }) });
    },
    ...snapshotMethods(() => open().snapshots),
    clock: clockAccess(() => open().clock),
    faults: faultAccess(() => open().faults),
    identity: identityAccess(() => open()),
    capacity: () => open().capacity(),
    advisor: {
      report: async (given) => advisorOf(running).report(given),
      clear: () => advisorOf(open()).clear(),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type SnapshotMethods = Pick<Emulator, 'snapshot' | 'restore' | 'snapshots' | 'deleteSnapshot'>;

/** Checks the arguments, because a misspelt member must not restore everything. */
function snapshotMethods(running: () => RunningEmulator['snapshots']): SnapshotMethods {
  return {
    async snapshot(name, target = {}) {
      return running().save(readSnapshotName(name, 'snapshot'), readTarget(target, 'snapshot'));
    },
    async restore(name, target = {}) {
      return running().restore(readSnapshotName(name, 'restore'), readTarget(target, 'restore'));
    },
    async snapshots(target = {}) {
      return running().list(readTarget(target, 'snapshots', ['account']));
    },
    async deleteSnapshot(name, target = {}) {
      const account = readTarget(target, 'deleteSnapshot', ['account']);
      await running().delete(readSnapshotName(name, 'deleteSnapshot'), account);
    },
  };
}

function advisorOf({ advisor }: RunningEmulator): NonNullable<RunningEmulator['advisor']> {
  if (advisor) return advisor;
  throw new Error('the advisor is off: the emulator was started with advisor: false');
}
