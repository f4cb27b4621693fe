import type { RouteOptions } from 'fastify';
import type { Advisor } from '../advisor/advisor.ts';
import type { Accounts } from '../auth/accounts.ts';
import type { Capacity } from '../capacity/capacity.ts';
import type { ServedHttps } from '../identity/open-https.ts';
import type { Identity } from '../identity/open-identity.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { Schedule } from '../model/schedule.ts';
import type { SettingReport } from '../model/setting-report.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { Store } from '../storage/store.ts';
import type { KeyHeat } from '../traffic/key-heat.ts';
import type { RequestFeed } from '../traffic/request-feed.ts';
import type { TrafficTotals } from '../traffic/traffic-totals.ts';
import { ControlError } from './control-error.ts';
import type { ServiceFaults } from './faults/service-faults.ts';
import type { ServiceClock } from './time/service-clock.ts';

/** A route with one method. */
export interface ControlRoute extends RouteOptions {
  readonly method: string;
  /**
   * Whether the route needs no token. Such routes are for clients that send no token: browsers, health checks of
   * containers, identity libraries and others. Such a route neither shows nor changes data.
   */
  readonly isPublic?: boolean;
  /** Supervisors poll the route every few seconds. Only failures are logged. */
  readonly isProbe?: boolean;
  /** The body is a form. No other route accepts one, because a page can send a form without a preflight. */
  readonly takesForm?: boolean;
  /** Runs when the control plane closes. */
  readonly whenClosed?: () => Promise<void>;
}

/** The parts of the emulator that the routes use. */
export interface ControlTools {
  readonly store: Store;
  /**
   * Returns the names of the accounts. There is always at least one. With `--accounts any`, returns the accounts that
   * have been used so far. Rejects with StoreUnavailable.
   */
  readonly accountNames: () => Promise<readonly string[]>;
  /** Gives the keys of an account, as objects that sign. */
  readonly accounts: Pick<Accounts, 'keysOf'>;
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly machineTime: Pick<MachineTime, 'after' | 'monotonicMs'>;
  readonly schedule: Schedule;
  /** Sets model time. */
  readonly serviceClock: ServiceClock;
  /** The same objects that the operations of the table service use. */
  readonly queries: Pick<OperationContext, 'filters' | 'pageBoundaries'>;
  /** The absolute path of the folder of the data; absent in memory. */
  readonly location?: string | undefined;
  readonly faults: ServiceFaults;
  readonly capacity: Capacity;
  readonly traffic: TrafficTotals;
  readonly requests: RequestFeed;
  readonly heat: KeyHeat;
  readonly describeSettings: () => Promise<readonly SettingReport[]>;
  /** Absent without `--https auto`. */
  readonly https?: ServedHttps | undefined;
  /** The issuer of tokens; absent without `--oauth` and `--identity`. */
  readonly identity?: Identity | undefined;
  /** Absent with `--no-advisor`. */
  readonly advisor: Advisor | undefined;
  /**
   * `requests` is the number of requests to the table service that are in flight. `refused` is the number of requests
   * that were refused because too many were in flight.
   */
  readonly inFlight: { readonly requests: number; readonly refused: number };
  /** How many spans a collector got, and how many it did not get. Absent without `--otlp`. */
  readonly spans?: { readonly sent: number; readonly dropped: number } | undefined;
  /** Where the console links a trace: an address with `{traceId}`. */
  readonly traceUrl?: string | undefined;
  readonly log?: EmulatorLog | undefined;
  /** Machine time at the start. */
  readonly startedMs: number;
  /** Never shown in an answer. */
  readonly controlToken?: string | undefined;
  readonly isClosing: () => boolean;
  /** Called with every failure that a request did not cause. */
  readonly onInternalError: (error: unknown) => void;
  /** Called after a reset or a restore: of one table or, without `table`, of the account and its service settings. */
  readonly onReset: (account: string, table?: string) => void;
  /** Called after all accounts were emptied. */
  readonly onResetAll: () => void;
}

/** The account that a request names, or the first one. Throws AccountNotFound. */
export function accountNamed(name: string | undefined, accounts: readonly string[]): string {
  const [first = ''] = accounts;
  if (name === undefined || accounts.includes(name)) return name ?? first;
  throw noAccount(name);
}

/** Throws AccountNotFound unless requests of the account could be authorized. */
export function checkAccount(name: string, { keysOf }: Pick<Accounts, 'keysOf'>): void {
  if (!keysOf(name)) throw noAccount(name);
}

const noAccount = (name: string): ControlError =>
  new ControlError('AccountNotFound', `"account": there is no account ${name} here.`);
