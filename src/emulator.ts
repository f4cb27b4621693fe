// The composition root: the only file that knows which engine stands behind the contract.

import type { AddressInfo } from 'node:net';
import {
  type AccountKeys,
  type Accounts,
  createAccounts,
  createAnyAccounts,
  developmentAccount,
} from './auth/accounts.ts';
import { type AccountsFile, openAccountsFile } from './auth/accounts-file.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { FindPolicy } from './auth/table-sas.ts';
import { type Answered, createControlPlane } from './control/control-plane.ts';
import { CorsRules } from './http/cors-rules.ts';
import { type Manners, strictManners } from './http/manners.ts';
import { createRequestLog, type LogSink } from './http/request-log.ts';
import { createServer, type Tls } from './http/server.ts';
import { decodeSignedIdentifiers, findIdentifier } from './model/access-policy.ts';
import { type Clock, systemClock } from './model/clock.ts';
import { requestAgeMsMax } from './model/limits.ts';
import type { Replica } from './operations/get-table-service-stats.ts';
import type { PageBoundaries } from './operations/operation-context.ts';
import { createFilterReader } from './query/read-filter.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';
import type { Durability, Store } from './storage/store.ts';

/** Where the emulator's own log goes; pino fits. */
export interface EmulatorLog extends LogSink {
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
  readonly manners: Manners;
  /** Whether a host such as `account.table.…` names the account. */
  readonly isHostStyleKnown: boolean;
  /** How long the name of a deleted table is not free. */
  readonly tableDeleteDelayMs: number;
  /** Where a page of a query may end before it is full. */
  readonly pageBoundaries: PageBoundaries;
  /** Present: HTTPS instead of HTTP. */
  readonly tls?: Tls;
  /** Opens the control plane to who carries it, as parseControlToken reads it; without one, to this machine. */
  readonly controlToken?: string;
  readonly clock: Clock;
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
  manners: strictManners,
  isHostStyleKnown: true,
  tableDeleteDelayMs: 0,
  pageBoundaries: 'none',
  clock: systemClock,
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
  /** Stops listening, answers what is under way, lets go of the data. May be called again. */
  close(): Promise<void>;
}

/**
 * Opens the data and listens. Throws StoreUnavailable when the data cannot be used, and the system's own error when
 * the port cannot: in both cases nothing is left open.
 */
export async function runEmulator(settings: EmulatorSettings): Promise<RunningEmulator> {
  const { clock, log, manners, tls } = settings;
  const scheme = tls ? 'https' : 'http';
  const store = openSqliteStore(settings);
  let accountsFile: AccountsFile | undefined;
  const queries = { filters: createFilterReader(), pageBoundaries: settings.pageBoundaries };
  // Made when it is first asked, so that the start waits for nothing of it.
  let control: ReturnType<typeof createControlPlane> | undefined;
  const openControl = (boundAddress: string, accounts: Accounts): ReturnType<typeof createControlPlane> =>
    createControlPlane({
      guard: { listenHost: settings.host, boundAddress, token: settings.controlToken },
      store,
      accounts: settings.accounts === 'any' ? [developmentAccount.name] : [...accounts.names()],
      filters: queries.filters,
      endsAtPartition: queries.pageBoundaries === 'partition',
      onInternalError: (error) => log?.error({ err: error }, 'control plane failed'),
      onAnswered: log && settings.logRequests ? (answered) => logControl(answered, log) : undefined,
    });
  try {
    accountsFile = openAccounts(settings);
    const { accounts } = accountsFile;
    store.openExisting(accounts.names());
    const app = createServer({
      service: {
        store,
        clock,
        manners,
        queries,
        cors: new CorsRules(store),
        replica: settings.replica,
        explainsAuthentication: settings.explainsAuthentication,
        authenticator: createAuthenticator({
          accounts,
          clock,
          findPolicy: findPolicyIn(store),
          requestAgeMsMax: manners.isLoose ? Number.POSITIVE_INFINITY : requestAgeMsMax,
        }),
        addressOptions: { scheme, isHostStyleKnown: settings.isHostStyleKnown },
        onInternalError: (error, requestId) => log?.error({ err: error, requestId }, 'request failed'),
      },
      controlPlane: () => (control ??= openControl(addressOf(app).address, accounts)),
      keepAliveTimeoutMs: settings.keepAliveTimeoutMs,
      ...(tls ? { tls } : {}),
      ...(log && settings.logRequests ? { requestLog: createRequestLog(log) } : {}),
    });
    await app.listen({ host: settings.host, port: settings.port });
    const { port } = addressOf(app);
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      const impatience = setTimeout(() => app.server.closeAllConnections(), closeGraceMs);
      await app.close();
      clearTimeout(impatience);
      await control?.then((plane) => plane.close()).catch(() => undefined);
      accountsFile?.close();
      await store.close();
    };
    return { url: `${scheme}://${hostInUrl(settings.host)}:${port}`, port, close: () => (closing ??= close()) };
  } catch (error) {
    accountsFile?.close();
    await store.close();
    throw error;
  }
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
    const found = await store.find(account)?.getTableAcl(table);
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

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
