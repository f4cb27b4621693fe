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
  /** Neither shows nor changes data, and so needs no token: a browser or a container's health check would not send one. */
  readonly isPublic?: boolean;
  /** Polled by supervisors every few seconds: while it succeeds, it is not logged. */
  readonly isProbe?: boolean;
  /** Takes a form as its body, which a page can send without a preflight: no other route does. */
  readonly takesForm?: boolean;
  /** Runs when the control plane closes. */
  readonly whenClosed?: () => Promise<void>;
}

/** The parts of the emulator that the routes use. */
export interface ControlTools {
  readonly store: Store;
  /** Names of the accounts now, at least one; with `--accounts any` the accounts used so far. Rejects with StoreUnavailable. */
  readonly accountNames: () => Promise<readonly string[]>;
  /** Keys of an account, as objects that sign. */
  readonly accounts: Pick<Accounts, 'keysOf'>;
  readonly modelTime: Pick<ModelTime, 'nowMs'>;
  readonly machineTime: Pick<MachineTime, 'after' | 'monotonicMs'>;
  readonly schedule: Schedule;
  /** Sets model time. */
  readonly serviceClock: ServiceClock;
  /** As the operations of the table service get them. */
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
  /** Requests of the table service now, and those refused since the start because too many were in flight. */
  readonly inFlight: { readonly requests: number; readonly refused: number };
  /** Spans that went to a collector, and spans that did not; absent without `--otlp`. */
  readonly spans?: { readonly sent: number; readonly dropped: number } | undefined;
  /** Where the console links a trace: an address with `{traceId}`. */
  readonly traceUrl?: string | undefined;
  readonly log?: EmulatorLog | undefined;
  /** Machine time at the start. */
  readonly startedMs: number;
  /** Never shown in an answer. */
  readonly controlToken?: string | undefined;
  readonly isClosing: () => boolean;
  /** Gets every failure that a request did not cause. */
  readonly onInternalError: (error: unknown) => void;
  /** Runs after a reset or a restore of one table or, without `table`, of the account and the settings of its service. */
  readonly onReset: (account: string, table?: string) => void;
  /** All accounts were emptied. */
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
