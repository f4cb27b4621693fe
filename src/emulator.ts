// The composition root: it assembles the emulator from its parts. No other file names the storage engines.

import { Advisor } from './advisor/advisor.ts';
import { describePattern } from './advisor/pattern-rules.ts';
import { createGrowingAccounts, developmentAccount, type GrowingAccounts } from './auth/accounts.ts';
import { type AccountsFile, openAccounts } from './auth/accounts-file.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { CapacityReport } from './capacity/capacity-report.ts';
import type { LoadExchange } from './capacity/load-exchange.ts';
import { openCapacity } from './capacity/open-capacity.ts';
import { createControlPlane } from './control/control-plane.ts';
import type { ControlTools } from './control/control-route.ts';
import { dataWith, type RunningData } from './control/data/running-data.ts';
import { type RunningSnapshots, snapshotsWith } from './control/data/snapshots.ts';
import { ServiceFaults } from './control/faults/service-faults.ts';
import { stageAtStart } from './control/faults/stage-at-start.ts';
import { type GuardOptions, guardOf, mayUse } from './control/guard.ts';
import { identityWith, type RunningIdentity } from './control/identity/running-identity.ts';
import { logAnswered } from './control/log-answered.ts';
import { observeWith } from './control/observe/observe-request.ts';
import { ServiceClock } from './control/time/service-clock.ts';
import { seedAtStart } from './data/seed-at-start.ts';
import { checkCertificate, type Tls } from './http/certificate.ts';
import { createServer, type HttpServer } from './http/server.ts';
import type { ServedHttps } from './identity/open-https.ts';
import { openHttpsIfAsked, openIssuerIfAsked, openTokensIfAsked } from './identity/open-if-asked.ts';
import type { OpenTokenJudge } from './identity/token-judge.ts';
import type { AccountKeys } from './model/account-keys.ts';
import { type AdjustableTime, createAdjustableTime } from './model/adjustable-time.ts';
import { BufferPool } from './model/buffer-pool.ts';
import { offsetMsOf } from './model/clock-state.ts';
import type { EmulatorLog } from './model/emulator-log.ts';
import { requestAgeMsMax } from './model/limits.ts';
import type { RequestRecord } from './model/request-record.ts';
import { type Schedule, systemSchedule } from './model/schedule.ts';
import type { SettingReport } from './model/setting-report.ts';
import { type MachineTime, systemMachineTime } from './model/time.ts';
import { openRecorderIfAsked } from './parity/open-if-asked.ts';
import type { Recorder } from './parity/recorder.ts';
import { createFilterReader } from './query/read-filter.ts';
import { CorsRules } from './service/cors-rules.ts';
import { responseOf } from './service/http-message.ts';
import { InFlight } from './service/in-flight.ts';
import type { TableService } from './service/serve-request.ts';
import { type StagedFaults, stageFaults } from './service/stage-faults.ts';
import { findPolicyIn } from './service/stored-policies.ts';
import { describePlace } from './settings/data-place.ts';
import { defaultSettings as defaultsOfTable, type Settings } from './settings/settings.ts';
import { storedBytes } from './storage/measure-table.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';
import type { OpenStore, Store, StoreOptions } from './storage/store.ts';
import { openTracesIfAsked, recordWith } from './traces/open-if-asked.ts';
import { KeyHeat } from './traffic/key-heat.ts';
import { RequestFeed } from './traffic/request-feed.ts';
import { TrafficTotals } from './traffic/traffic-totals.ts';

/** The input of an emulator: the settings (src/settings), and the parts that its process hands over. */
export interface EmulatorSettings extends Omit<Settings, 'accounts' | 'tls'> {
  readonly accounts: readonly AccountKeys[] | 'any';
  /** A file of accounts and keys, in place of `accounts`; read again when it changes. */
  readonly accountsFile?: string;
  /** Present: HTTPS instead of HTTP. */
  readonly tls?: Tls;
  /** Opens the engine that keeps the data. */
  readonly openStore: OpenStore;
  /** Drives timestamps, signatures, access policies, deletion delay, replica and capacity. Default: real time. */
  readonly modelTime?: AdjustableTime;
  /** Drives deadlines and time slices of this process, and measures the age of requests. */
  readonly machineTime: MachineTime;
  readonly schedule: Schedule;
  /** Creates the HTTP server that passes requests to the table service. */
  readonly createServer: typeof createServer;
  readonly log?: EmulatorLog;
  /** Gets the record of each request once its response is handed to the socket. Its errors are written to `log`. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called after the last request is answered, while the data can still be read. */
  readonly onStopped?: (advisor: Advisor | undefined) => Promise<void>;
  /** Returns the value and the source of each setting, for GET /_emulator/settings. */
  readonly describeSettings?: () => Promise<readonly SettingReport[]>;
  /** The environment variables that `otlp: 'env'` reads. */
  readonly otlpVariables?: Readonly<Record<string, string | undefined>>;
  /** Whether requests to the control plane are written to `log`. */
  readonly logsControlPlane: boolean;
}

type TimedSettings = EmulatorSettings & Required<Pick<EmulatorSettings, 'modelTime'>>;

/** Loads the PostgreSQL driver only if the options name a PostgreSQL database. */
async function openStore(options: StoreOptions): Promise<Store> {
  if (options.store === undefined) return openSqliteStore(options);
  const { openPostgresStore } = await import('./storage/postgres/postgres-store.ts');
  return openPostgresStore(options);
}

/** Loads the functions behind the command `tanzanite store`. */
export const storeTools = (): Promise<typeof import('./storage/postgres/migrate.ts')> =>
  import('./storage/postgres/migrate.ts');

/** The defaults of the settings, and of the parts that a process hands over. */
export const defaultEmulatorSettings = {
  ...defaultsOfTable,
  openStore,
  accounts: [{ name: developmentAccount.name, keys: [developmentAccount.key] }],
  machineTime: systemMachineTime,
  schedule: systemSchedule,
  createServer,
  logsControlPlane: false,
} satisfies EmulatorSettings;

export interface RunningEmulator extends RunningData {
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly port: number;
  /** Present with `https: 'auto'`: the HTTPS address (on the same port), and the authority's certificate as PEM. */
  readonly https: ServedHttps | undefined;
  /** Creates an account with a new name and key; it can be used immediately. */
  addAccount(): { readonly name: string; readonly key: string };
  /** The functions behind /_emulator/snapshots. They reject with the same errors as `reset`. */
  readonly snapshots: RunningSnapshots;
  /** The clock behind /_emulator/clock. */
  readonly clock: ServiceClock;
  /** The rules of /_emulator/faults. */
  readonly faults: ServiceFaults;
  /** The functions behind /_emulator/identity. Without the setting `identity`, they reject with ControlError. */
  readonly identity: RunningIdentity;
  /** Returns the report of GET /_emulator/capacity. */
  capacity(): CapacityReport;
  /** Judges the requests so far; undefined with `advisor: false`. It can still report after `close`. */
  readonly advisor: Advisor | undefined;
  /** Stops listening, finishes the requests in flight, closes the data. May be called again. */
  close(): Promise<void>;
}

/**
 * Opens the data and listens. Rejects with CertificateFault if `tls` cannot be used, with StoreUnavailable if the data
 * cannot be used, and with UnusableAddress if host or port cannot be used. After a rejection, nothing is left open.
 */
export async function runEmulator(given: EmulatorSettings): Promise<RunningEmulator> {
  const settings: TimedSettings = { ...given, modelTime: given.modelTime ?? createAdjustableTime() };
  const warning = settings.tls && checkCertificate(settings.tls, settings.machineTime.nowMs());
  if (warning !== undefined) settings.log?.warn({}, warning);
  let closing: Promise<void> | undefined;
  const spans = await openTracesIfAsked(settings);
  const parts = await assemble(settings, () => closing !== undefined);
  const { store, accounts, capacity, advisor, recorder } = parts;
  // Created on the first request to it, so that it does not slow the start.
  let control: ControlPlane | undefined;
  try {
    await store.openExisting(accounts.names());
    const inForce = [await parts.serviceClock.open(), await parts.faults.open()];
    for (const text of inForce) if (text !== undefined) settings.log?.warn({}, text);
    await seedAtStart(settings, store, accounts.names());
    await stageAtStart(settings, parts.faults);
    const https = await openHttpsIfAsked(settings);
    const server: HttpServer = settings.createServer({
      ...settings,
      ...(https && { shared: https.served }),
      service: tableService(settings, parts, () => guardOf(settings, server.address().address)),
      servesIdentity: parts.identity !== undefined,
      controlPlane() {
        const { address, port } = server.address();
        control ??= openControl(
          settings,
          { ...parts, https: https?.at(port), spans: spans?.counts },
          guardOf(settings, address),
        );
        return control;
      },
      beforeSend: recorder && ((record, delivery) => recorder.take(record, responseOf(delivery))),
      onAnswered: recordWith(spans, observeWith(parts, settings)),
    });
    const { port } = await listen(server, settings);
    const url = `${settings.tls ? 'https' : 'http'}://${hostInUrl(settings.host)}:${port}`;
    store.publishAddress?.(url);
    const stopRenewals = https?.keepFresh((pair) => server.replaceCertificate(pair));
    const close = async (): Promise<void> => {
      // Requests that wait for capacity end now.
      capacity.close();
      // Streams of events end now, since the server waits for responses.
      parts.requests.close();
      stopRenewals?.();
      await server.close();
      await spans?.close();
      await control?.then((plane) => plane.close()).catch(() => undefined);
      await Promise.resolve(settings.onStopped?.(advisor)).finally(() => closeParts(parts));
    };
    return {
      url,
      port,
      https: https?.at(port),
      addAccount: accounts.add,
      ...dataWith(parts),
      snapshots: snapshotsWith(parts),
      clock: parts.serviceClock,
      faults: parts.faults,
      identity: identityWith({ ...parts, onInternalError: controlFailed(settings) }),
      capacity: () => capacity.report(),
      advisor,
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await closeParts(parts);
    throw error;
  }
}

async function listen(server: HttpServer, { host, port }: EmulatorSettings): Promise<{ readonly port: number }> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const { explainListenError } = await import('./data/unusable-address.ts');
    throw await explainListenError(error, { host, port });
  }
}

/** Stops the parts that run in the background, then closes the data. */
async function closeParts(parts: Parts): Promise<void> {
  parts.recorder?.close();
  parts.accountsFile.close();
  parts.tokens?.close();
  parts.faults.close();
  parts.serviceClock.close();
  parts.loads?.close();
  await parts.store.close();
}

/** All parts of the emulator. The table service and the control plane get them, and each declares those that it uses. */
interface Parts extends Omit<ControlTools, 'describeSettings' | 'onInternalError'> {
  readonly accounts: GrowingAccounts;
  readonly accountsFile: AccountsFile;
  readonly cors: CorsRules;
  /** Present if other nodes may serve the same data. */
  readonly loads: LoadExchange | undefined;
  readonly inFlight: InFlight;
  readonly staged: StagedFaults;
  /** Verifies bearer tokens and looks up the roles of their holders; undefined without `oauth`. */
  readonly tokens: OpenTokenJudge | undefined;
  /** Present with `record`. */
  readonly recorder: Recorder | undefined;
}

async function assemble(settings: TimedSettings, isClosing: () => boolean): Promise<Parts> {
  const { log, pageBoundaries, requestsInFlightMax, modelTime, machineTime, schedule } = settings;
  const startedMs = machineTime.monotonicMs();
  const { accountsFile, store, identity, tokens, recorder } = await openSources(settings);
  const accounts = createGrowingAccounts(accountsFile.accounts);
  const advisor = settings.advisor ? createAdvisor(settings, store) : undefined;
  const { capacity, loads } = createCapacity(settings, { store, advisor });
  const heat = new KeyHeat({
    time: machineTime,
    rangeEnd: (account, table, partitionKey) => capacity.meter(account).rangeEnd(table, partitionKey),
  });
  const stale = store.sharedTexts === undefined ? { store, modelTime, machineTime } : undefined;
  const staged = stageFaults({ seed: settings.faultSeed, time: machineTime, stale });
  return {
    modelTime,
    machineTime,
    schedule,
    staged,
    faults: new ServiceFaults({ list: staged.rules, machineTime, texts: store.sharedTexts }),
    identity,
    serviceClock: new ServiceClock({
      time: modelTime,
      machineTime,
      texts: store.sharedTexts,
      whenDone: () => capacity.whenReleasedAnswered(),
    }),
    log,
    startedMs,
    isClosing,
    location: describePlace(settings),
    store,
    accountsFile,
    tokens,
    recorder,
    accounts,
    async accountNames() {
      const named = [...accounts.names()];
      if (settings.accounts !== 'any') return named;
      return [...new Set([developmentAccount.name, ...named, ...(await store.names())])];
    },
    onReset(account, table) {
      capacity.forget(account, table);
      heat.forget(account, table);
      advisor?.forget(account, table);
      recorder?.dataChanged(account, table);
    },
    onResetAll: () => advisor?.clear(),
    capacity,
    loads,
    heat,
    advisor,
    cors: new CorsRules(store),
    traffic: new TrafficTotals(),
    requests: new RequestFeed(),
    inFlight: new InFlight({ requestsMax: requestsInFlightMax }),
    queries: { filters: createFilterReader(), pageBoundaries },
  };
}

/** The parts that have to be open before anything else. If one cannot be opened, the others are closed. */
async function openSources(
  settings: TimedSettings,
): Promise<Pick<Parts, 'accountsFile' | 'store' | 'identity' | 'tokens' | 'recorder'>> {
  const accountsFile = openAccounts(settings);
  let store: Store | undefined;
  let recorder: Recorder | undefined;
  try {
    recorder = await openRecorderIfAsked(settings, accountsFile.accounts);
    store = await settings.openStore(settings);
    const identity = await openIssuerIfAsked(settings, store.sharedTexts);
    return { accountsFile, store, identity, tokens: await openTokensIfAsked(settings, identity), recorder };
  } catch (error) {
    recorder?.close();
    accountsFile.close();
    await store?.close();
    throw error;
  }
}

function createCapacity(
  { log, throttle, modelTime, machineTime, capacity }: TimedSettings,
  { store, advisor }: Pick<Parts, 'store' | 'advisor'>,
): Pick<Parts, 'capacity' | 'loads'> {
  const keyPatternOf = advisor && ((account: string, table: string) => advisor.keyPattern(account, table));
  return openCapacity({
    settings: { ...capacity, throttle },
    modelTime,
    machineTime,
    log,
    keyPatternOf,
    findingOf: (account, table) => describePattern(keyPatternOf?.(account, table) ?? null),
    share: store.shareLoad?.bind(store),
  });
}

function createAdvisor(settings: EmulatorSettings, store: Store): Advisor {
  const { capacity, advisorRules, machineTime, schedule } = settings;
  const { scale, accountTarget: account, partitionTarget: partition } = capacity;
  return new Advisor({
    settings: advisorRules ?? {},
    targets: { account: account * scale, partition: partition * scale },
    clock: machineTime,
    time: machineTime,
    storedBytes: (name, table) => storedBytes(store, { account: name, table }, schedule),
  });
}

function tableService(settings: TimedSettings, parts: Parts, guard: () => GuardOptions): TableService {
  const { log, modelTime, machineTime, apiVersions: versions, loose: isLoose, retryAfterSeconds } = settings;
  const { store, accounts, staged, tokens } = parts;
  const { secondary } = store;
  return {
    ...parts,
    clock: modelTime,
    time: machineTime,
    compatibility: { versions, isLoose, retryAfterSeconds, allowsForeignPages: settings.allowForeignPages },
    buffers: new BufferPool(),
    replica: {
      status: settings.secondary,
      lagMs: settings.replicaLagMs,
      lastSyncMs: secondary && (async () => (await secondary.lastSyncMs()) + offsetMsOf(modelTime)),
    },
    explainsRefusals: settings.explain,
    authenticator: createAuthenticator({
      accounts,
      clock: machineTime,
      findPolicy: findPolicyIn(store),
      tokens,
      requestAgeMsMax: isLoose ? Number.POSITIVE_INFINITY : requestAgeMsMax,
    }),
    addressOptions: { isHostStyleKnown: !settings.disableProductStyleUrl },
    seams: staged.seams,
    ...(settings.faultHeader && {
      seamsOf: (request) => (mayUse(request, guard()) ? staged.seamsOf(request) : undefined),
    }),
    onInternalError: (error, requestId) => log?.error({ err: error, requestId }, 'request failed'),
  };
}

const controlFailed =
  ({ log }: EmulatorSettings) =>
  (err: unknown): void =>
    log?.error({ err }, 'control plane failed');

type ControlPlane = ReturnType<typeof createControlPlane>;

function openControl(settings: EmulatorSettings, parts: Parts, guard: GuardOptions): ControlPlane {
  const { log, traceUrl } = settings;
  return createControlPlane({
    ...parts,
    traceUrl,
    guard,
    describeSettings: settings.describeSettings ?? (async () => []),
    onInternalError: controlFailed(settings),
    onAnswered: log && settings.logsControlPlane ? (answered) => logAnswered(answered, log) : undefined,
  });
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
