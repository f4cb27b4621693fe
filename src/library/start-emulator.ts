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
  /** With `https: 'auto'`, the certificate that clients trust, as PEM: `ca` of Node's TLS options takes it. */
  readonly certificateAuthority: string | undefined;
  /** Connection string of the first account, as the Azure SDKs take it. */
  readonly connectionString: string;
  /** Makes a new account with a key of its own, so that a test sees no other test's data. */
  account(): EmulatorAccount;
  /**
   * Empties everything, an account or a table; with `clock: true` it puts the clock back, and empties only what is named. Accounts keep their keys; a table keeps its access policies. Rejects with an
   * Error whose `code` is AccountNotFound, TableNotFound or TableBeingDeleted if there is nothing to empty, and StoreFailed
   * if some accounts cannot be emptied; all others are empty then.
   */
  reset(target?: ResetTarget): Promise<void>;
  /**
   * Fills tables from a file or a folder, or several. A table that exists is replaced whole; all files are taken, or none: an
   * Error whose message names file, line and reason says why none is. Rejects with an Error whose `code` is AccountNotFound for
   * an unknown account.
   */
  seed(path: string | readonly string[], options?: SeedOptions): Promise<FileSummary>;
  /**
   * Writes tables as files of a folder, in key order, with their access policies in tables.json. Rejects with an Error whose
   * `code` is AccountNotFound for an unknown account.
   */
  export(folder: string, options?: ExportOptions): Promise<ExportSummary>;
  /**
   * Saves an account, by default the first, or one of its tables, under a name: entities, tables, policies, and with the
   * whole account the settings of the service. Replaces the snapshot that has the name. Rejects with an Error whose `code` is
   * AccountNotFound, TableNotFound, TableBeingDeleted, TooManySnapshots, or InvalidInput for the name.
   */
  snapshot(name: string, target?: SnapshotTarget): Promise<Snapshot>;
  /**
   * Brings back at one moment what was saved, or only the table named. Rejects with an Error whose `code` is
   * AccountNotFound, SnapshotNotFound, or TableNotFound for a table that the snapshot does not hold.
   */
  restore(name: string, target?: SnapshotTarget): Promise<Snapshot>;
  /** The snapshots of an account, by default the first, in the order of their names. */
  snapshots(target?: Pick<SnapshotTarget, 'account'>): Promise<readonly Snapshot[]>;
  /** Rejects with an Error whose `code` is AccountNotFound or SnapshotNotFound. */
  deleteSnapshot(name: string, target?: Pick<SnapshotTarget, 'account'>): Promise<void>;
  /** The time of the service: docs/clock.md. */
  readonly clock: ClockAccess;
  /** What is staged to go wrong. */
  readonly faults: FaultAccess;
  /** The issuer of tokens: docs/identity.md. Its methods reject without the option `identity`. */
  readonly identity: IdentityAccess;
  /** What production would have done to the load so far: the report of GET /_emulator/capacity. */
  capacity(): CapacityReport;
  /** What Microsoft's design guides say of the requests so far. */
  readonly advisor: AdvisorAccess;
  /** Stops listening, answers the requests in progress and closes the data. May be called again; other methods then throw. */
  close(): Promise<void>;
  /** Calls close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The advisor of an emulator. */
export interface AdvisorAccess {
  /** The report of GET /_emulator/advisor; it can be had after `close` too. Rejects if the emulator runs with `advisor: false`. */
  report(options?: ReportOptions): Promise<AdvisorReport>;
  /** Begins anew: the next report covers the requests from now on. */
  clear(): void;
}

/**
 * Starts an emulator in this process, by default on a free port and in memory.
 * Throws TypeError for an unknown option, a value that does not fit, or options that contradict each other;
 * an Error that says what is wrong with `tls`;
 * StoreUnavailable if the data of `location` or SQLite itself cannot be used; and an Error whose `code` is the system's (`EADDRINUSE`) and whose
 * message says who uses the port.
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

/** Checks what is given, as a misspelt member must not restore everything. */
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
