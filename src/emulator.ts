// The composition root: the only file that knows which engine stands behind the contract.

import type { AddressInfo } from 'node:net';
import type { AccountKeys } from './auth/account-keys.ts';
import {
  type Accounts,
  createAccounts,
  createAnyAccounts,
  createGrowingAccounts,
  developmentAccount,
} from './auth/accounts.ts';
import { type AccountsFile, openAccountsFile } from './auth/accounts-file.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { FindPolicy } from './auth/table-sas.ts';
import { Capacity } from './capacity/capacity.ts';
import type { CapacityReport } from './capacity/capacity-report.ts';
import { type CapacitySettings, defaultCapacity, type ThrottleMode } from './capacity/capacity-settings.ts';
import { describeRefusals } from './capacity/describe-refusals.ts';
import type { RefusalSecond } from './capacity/refusal-journal.ts';
import { type Answered, createControlPlane } from './control/control-plane.ts';
import { type ResetTarget, type ResetTools, reset } from './control/reset.ts';
import { Traffic } from './control/traffic.ts';
import { createServer, type Tls } from './http/server.ts';
import { decodeSignedIdentifiers, findIdentifier } from './model/access-policy.ts';
import { requestAgeMsMax } from './model/limits.ts';
import { type MachineTime, type ModelTime, systemMachineTime, systemModelTime } from './model/time.ts';
import type { Replica } from './operations/get-table-service-stats.ts';
import type { PageBoundaries } from './query/page-boundaries.ts';
import { createFilterReader } from './query/read-filter.ts';
import { type Compatibility, strictCompatibility } from './service/compatibility.ts';
import { CorsRules } from './service/cors-rules.ts';
import { InFlight } from './service/in-flight.ts';
import { createRequestLog, type LogSink, type RequestLog } from './service/request-log.ts';
import type { TableService } from './service/serve-request.ts';
import type { Durability } from './storage/durability.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';
import type { OpenStore, Store } from './storage/store.ts';

/** Where the emulator's own log goes; pino fits. */
export interface EmulatorLog extends LogSink {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EmulatorSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Folder of the data; without one everything is in memory. */
  readonly location?: string;
  readonly durability: Durability;
  /** `any`: every name that the service could have, with the development key. */
  readonly accounts: readonly AccountKeys[] | 'any';
  /** File of accounts and keys, in place of `accounts`; read again when it changes. */
  readonly accountsFile?: string;
  /** What is said of the secondary of every account. */
  readonly replica: Replica;
  /** Tell callers on this machine in a header why they are refused. */
  readonly explainsAuthentication: boolean;
  readonly keepAliveTimeoutMs: number;
  readonly compatibility: Compatibility;
  /** Whether a host such as `account.table.…` names the account. */
  readonly isHostStyleKnown: boolean;
  /** How long the name of a deleted table is not free. */
  readonly tableDeleteDelayMs: number;
  /** Where a page of a query may end before it is full. */
  readonly pageBoundaries: PageBoundaries;
  readonly capacity: CapacitySettings;
  /** Requests that are answered at a time; one more is refused at once, before anything is looked at. */
  readonly requestsInFlightMax: number;
  /** Present: HTTPS instead of HTTP. */
  readonly tls?: Tls;
  /** Opens the control plane to who carries it, as parseControlToken reads it; without one, to this machine. */
  readonly controlToken?: string;
  /** Drives timestamps, signatures, access policies, the deletion delay, the replica and capacity. */
  readonly modelTime: ModelTime;
  /** Drives deadlines and time slices of this process. */
  readonly machineTime: MachineTime;
  /** Opens the engine that keeps the data. */
  readonly openStore: OpenStore;
  readonly log?: EmulatorLog;
  /** One line for each request. */
  readonly logRequests: boolean;
}

export const defaultSettings = {
  host: '127.0.0.1',
  port: 10002,
  durability: 'process',
  accounts: [{ name: developmentAccount.name, keys: [developmentAccount.key] }],
  // Longer than the idle time after which the SDKs' own pools let go of a connection.
  keepAliveTimeoutMs: 72_000,
  compatibility: strictCompatibility,
  isHostStyleKnown: true,
  tableDeleteDelayMs: 0,
  pageBoundaries: 'none',
  capacity: defaultCapacity,
  requestsInFlightMax: 10_000,
  modelTime: systemModelTime,
  machineTime: systemMachineTime,
  openStore: openSqliteStore,
  replica: { status: 'live', lagMs: 0 },
  explainsAuthentication: false,
  logRequests: false,
} as const satisfies EmulatorSettings;

/** A request that is still arriving when the emulator closes is waited for this long. */
const closeGraceMs = 5_000;

export interface RunningEmulator {
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly port: number;
  /** Makes an account that nobody has used; both planes know it at once. */
  addAccount(): { readonly name: string; readonly key: string };
  /** The work of POST /_emulator/reset. Throws ControlError for what is not there. */
  reset(target: ResetTarget): Promise<void>;
  /** What GET /_emulator/capacity answers. */
  capacity(): CapacityReport;
  /** Stops listening, answers what is under way, lets go of the data. May be called again. */
  close(): Promise<void>;
}

/**
 * Opens the data and listens. Throws StoreUnavailable when the data cannot be used, and the system's own error when
 * the port cannot: in both cases nothing is left open.
 */
export async function runEmulator(settings: EmulatorSettings): Promise<RunningEmulator> {
  const { log, tls } = settings;
  const parts = await assemble(settings);
  const { store, capacity, traffic } = parts;
  let closing: Promise<void> | undefined;
  let accountsFile: AccountsFile | undefined;
  // Made when it is first asked, so that the start waits for nothing of it.
  let control: ReturnType<typeof createControlPlane> | undefined;
  try {
    accountsFile = openAccounts(settings);
    const accounts = createGrowingAccounts(accountsFile.accounts);
    const resetTools = toolsOfReset(settings, parts, accounts);
    await store.openExisting(accounts.names());
    const isClosing = (): boolean => closing !== undefined;
    const app = createServer({
      service: tableService(settings, parts, accounts),
      controlPlane: () =>
        (control ??= openControl(settings, parts, { resetTools, isClosing, boundAddress: addressOf(app).address })),
      keepAliveTimeoutMs: settings.keepAliveTimeoutMs,
      ...(tls ? { tls } : {}),
      onAnswered: noteWith(traffic, log && settings.logRequests ? createRequestLog(log) : undefined),
    });
    await app.listen({ host: settings.host, port: settings.port });
    const { port } = addressOf(app);
    const close = async (): Promise<void> => {
      // Whoever waits for capacity waits for nothing any more.
      capacity.close();
      const cancel = settings.machineTime.after(closeGraceMs, () => app.server.closeAllConnections());
      await app.close();
      cancel();
      await control?.then((plane) => plane.close()).catch(() => undefined);
      accountsFile?.close();
      await store.close();
    };
    return {
      url: `${schemeOf(settings)}://${hostInUrl(settings.host)}:${port}`,
      port,
      addAccount: accounts.add,
      reset: async (target) => void (await reset(target, resetTools)),
      capacity: () => capacity.report(),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    accountsFile?.close();
    await store.close();
    throw error;
  }
}

/** What both planes work with. */
interface Parts {
  readonly store: Store;
  readonly cors: CorsRules;
  readonly capacity: Capacity;
  readonly traffic: Traffic;
  readonly inFlight: InFlight;
  readonly queries: TableService['queries'];
  readonly startedMs: number;
}

async function assemble(settings: EmulatorSettings): Promise<Parts> {
  const { log, pageBoundaries, requestsInFlightMax, modelTime, machineTime } = settings;
  const startedMs = machineTime.monotonicMs();
  const store = await settings.openStore(settings);
  const onRefusals = log && ((second: RefusalSecond) => logRefusals(second, settings.capacity.throttle, log));
  return {
    store,
    cors: new CorsRules(store),
    capacity: new Capacity({ ...settings.capacity, time: modelTime, onRefusals }),
    traffic: new Traffic(),
    inFlight: new InFlight(requestsInFlightMax),
    queries: { filters: createFilterReader(), pageBoundaries },
    startedMs,
  };
}

function tableService(settings: EmulatorSettings, parts: Parts, accounts: Accounts): TableService {
  const { modelTime: clock, log, compatibility } = settings;
  const { store, cors, queries, capacity, inFlight } = parts;
  return {
    store,
    clock,
    compatibility,
    queries,
    cors,
    meterOf: (account) => capacity.meter(account),
    inFlight,
    replica: settings.replica,
    explainsAuthentication: settings.explainsAuthentication,
    authenticator: createAuthenticator({
      accounts,
      clock,
      findPolicy: findPolicyIn(store),
      requestAgeMsMax: compatibility.isLoose ? Number.POSITIVE_INFINITY : requestAgeMsMax,
    }),
    addressOptions: { scheme: schemeOf(settings), isHostStyleKnown: settings.isHostStyleKnown },
    onInternalError: (error, requestId) => log?.error({ err: error, requestId }, 'request failed'),
  };
}

function toolsOfReset(settings: EmulatorSettings, { store, capacity }: Parts, accounts: Accounts): ResetTools {
  return {
    store,
    async accounts() {
      const named = [...accounts.names()];
      if (settings.accounts !== 'any') return named;
      return [...new Set([developmentAccount.name, ...named, ...(await store.names())])];
    },
    onReset: (account, table) => capacity.forget(account, table),
  };
}

interface ControlTerms {
  readonly resetTools: ResetTools;
  readonly boundAddress: string;
  readonly isClosing: () => boolean;
}

function openControl(
  settings: EmulatorSettings,
  { store, capacity, traffic, inFlight, queries, startedMs }: Parts,
  { resetTools, boundAddress, isClosing }: ControlTerms,
): ReturnType<typeof createControlPlane> {
  const { log } = settings;
  return createControlPlane({
    guard: { listenHost: settings.host, boundAddress, token: settings.controlToken },
    store,
    accounts: resetTools.accounts,
    onReset: resetTools.onReset,
    uptimeMs: () => settings.machineTime.monotonicMs() - startedMs,
    isClosing,
    capacity,
    traffic,
    requestsInFlight: () => inFlight.requests,
    requestsOverloaded: () => inFlight.refused,
    filters: queries.filters,
    endsAtPartition: queries.pageBoundaries === 'partition',
    onInternalError: (error) => log?.error({ err: error }, 'control plane failed'),
    onAnswered: log && settings.logRequests ? (answered) => logControl(answered, log) : undefined,
  });
}

const schemeOf = ({ tls }: EmulatorSettings): 'http' | 'https' => (tls ? 'https' : 'http');

function noteWith(traffic: Traffic, requestLog: RequestLog | undefined): RequestLog {
  return (record) => {
    const { served, durationMs } = record;
    const { operation, answer, report } = served;
    traffic.note({ operation, status: answer.status, durationMs, report });
    requestLog?.(record);
  };
}

function openAccounts({ accounts, accountsFile, log }: EmulatorSettings): AccountsFile {
  const close = (): void => undefined;
  if (accountsFile !== undefined) {
    // The error never repeats a key.
    return openAccountsFile(accountsFile, (err) => log?.error({ err, accountsFile }, 'accounts kept as they were'));
  }
  if (accounts === 'any') return { accounts: createAnyAccounts([developmentAccount.key]), close };
  return { accounts: createAccounts(accounts), close };
}

/** Stored access policies count as soon as they are set, and no longer than they are there. */
function findPolicyIn(store: Store): FindPolicy {
  return async (account, table, id) => {
    const found = (await store.exists(account)) ? await store.account(account).getTableAcl(table) : undefined;
    const acl = found?.kind === 'found' ? found.acl : undefined;
    return acl === undefined ? undefined : findIdentifier(decodeSignedIdentifiers(acl), id);
  };
}

const addressOf = ({ server }: ReturnType<typeof createServer>): AddressInfo => server.address() as AddressInfo;

function logControl({ method, path, status, durationMs }: Answered, log: EmulatorLog): void {
  log.info(
    { operation: 'Control', status, durationMs: Math.round(durationMs * 1000) / 1000 },
    `${method} ${path} ${status}`,
  );
}

function logRefusals(second: RefusalSecond, throttle: ThrottleMode, log: EmulatorLog): void {
  // The line has a time of its own.
  const { secondsAgo: _secondsAgo, ...fields } = second;
  log.warn({ operation: 'Capacity', ...fields }, describeRefusals(second, throttle));
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
