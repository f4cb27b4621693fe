// The composition root: the only file that knows which engine stands behind the contract.

import type { AddressInfo } from 'node:net';
import { type AccountKeys, createAccounts, developmentAccount } from './auth/accounts.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { type Answered, createControlPlane } from './control/control-plane.ts';
import { type Manners, strictManners } from './http/manners.ts';
import { createRequestLog, type LogSink } from './http/request-log.ts';
import { createServer, type Tls } from './http/server.ts';
import { type Clock, systemClock } from './model/clock.ts';
import { requestAgeMsMax } from './model/limits.ts';
import type { PageBoundaries } from './operations/operation-context.ts';
import { createFilterReader } from './query/read-filter.ts';
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts';
import type { Durability } from './storage/store.ts';

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
  readonly accounts: readonly AccountKeys[];
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
  const accounts = createAccounts(settings.accounts);
  const store = openSqliteStore(settings);
  const queries = { filters: createFilterReader(), pageBoundaries: settings.pageBoundaries };
  // Made when it is first asked, so that the start waits for nothing of it.
  let control: ReturnType<typeof createControlPlane> | undefined;
  const openControl = (boundAddress: string): ReturnType<typeof createControlPlane> =>
    createControlPlane({
      guard: { listenHost: settings.host, boundAddress, token: settings.controlToken },
      store,
      accounts: [...accounts.names()],
      filters: queries.filters,
      endsAtPartition: queries.pageBoundaries === 'partition',
      onInternalError: (error) => log?.error({ err: error }, 'control plane failed'),
      onAnswered: log && settings.logRequests ? (answered) => logControl(answered, log) : undefined,
    });
  try {
    store.openExisting(accounts.names());
    const app = createServer({
      service: {
        store,
        clock,
        manners,
        queries,
        authenticator: createAuthenticator({
          accounts,
          clock,
          requestAgeMsMax: manners.isLoose ? Number.POSITIVE_INFINITY : requestAgeMsMax,
        }),
        addressOptions: { scheme, isHostStyleKnown: settings.isHostStyleKnown },
        onInternalError: (error, requestId) => log?.error({ err: error, requestId }, 'request failed'),
      },
      controlPlane: () => (control ??= openControl(addressOf(app).address)),
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
      await store.close();
    };
    return { url: `${scheme}://${hostInUrl(settings.host)}:${port}`, port, close: () => (closing ??= close()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const addressOf = ({ server }: ReturnType<typeof createServer>): AddressInfo => server.address() as AddressInfo;

function logControl({ method, path, status, durationMs }: Answered, log: EmulatorLog): void {
  log.info(
    { operation: 'Control', status, durationMs: Math.round(durationMs * 1000) / 1000 },
    `${method} ${path} ${status}`,
  );
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
