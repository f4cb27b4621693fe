// Models the service's capacity, in order to predict how production would treat the load that the emulator sees. The
// model counts entity units (1 KiB) against three targets: one for the account, one for each range partition of a
// table, and one for each partition. The memory of the model is bounded. Evidence: documented (Scalability and
// performance targets for Table storage).

import { copyString } from '../model/copy-string.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import { AccountCapacity, type CapacityTotals, newTotals } from './account-capacity.ts';
import { evictOne } from './account-usage.ts';
import { type CapacityReport, type KeyPatternOf, reportAccount } from './capacity-report.ts';
import { type CapacitySettings, type Targets, targetsOf } from './capacity-settings.ts';
import { type Meter, unmetered } from './meter.ts';
import { RefusalJournal, type RefusalSecond } from './refusal-journal.ts';
import { ReleasedRequests } from './released-requests.ts';
import { type Spent, SpentUnits } from './spent-units.ts';
import type { RangeRules } from './table-ranges.ts';
import { microsecondsOf } from './token-buckets.ts';

/** The most accounts counted at the same time. A further account evicts another, if possible an idle one. */
const accountsMax = 1_024;
const reportedAccountsMax = 20;

export interface CapacityOptions extends CapacitySettings {
  readonly time: ModelTime;
  /** Ends waits while model time is frozen. */
  readonly machineTime: Pick<MachineTime, 'after' | 'monotonicMs'>;
  /** Called once a second while requests are refused, or would be. */
  readonly onRefusals?: ((second: RefusalSecond) => void) | undefined;
  /**
   * Returns the advisor's verdict on the keys of a table, for the report. Without this function, the report has null in
   * place of the verdict.
   */
  readonly keyPatternOf?: KeyPatternOf | undefined;
  /** Whether the units spent here are reported to other nodes: see LoadExchange. */
  readonly isShared?: boolean;
}

export class Capacity {
  readonly targets: Targets;
  readonly #options: CapacityOptions;
  readonly #rules: RangeRules;
  readonly #time: ModelTime;
  readonly #journal: RefusalJournal;
  readonly #accounts = new Map<string, AccountCapacity>();
  /** Every account adds to these totals. An evicted account still does so until its last requests end. */
  readonly #totals = newTotals();
  readonly #spent: SpentUnits | undefined;
  readonly #released = new ReleasedRequests();

  constructor(options: CapacityOptions) {
    this.targets = targetsOf(options);
    this.#options = options;
    this.#time = options.time;
    if (options.isShared) this.#spent = new SpentUnits();
    this.#journal = new RefusalJournal(this.#time, (second) => options.onRefusals?.(second));
    this.#rules = {
      target: this.targets.range,
      splitAfterUs: options.splitAfterMs * 1000,
      mergeAfterUs: options.mergeAfterMs * 1000,
      moveUs: options.moveMs * 1000,
    };
  }

  /** The capacity of an account, as its operations see it. */
  meter(account: string): Meter {
    return this.#options.throttle === 'off' ? unmetered : this.#accountOf(account);
  }

  /** Forgets the load of an account, or of one of its tables. */
  forget(account: string, table?: string): void {
    if (table !== undefined) {
      this.#accounts.get(account)?.forgetTable(table);
      return;
    }
    this.#accounts.get(account)?.close();
    this.#accounts.delete(account);
  }

  /** Reports the busiest accounts, or just the account named `only`. */
  report(only?: string): CapacityReport {
    const { throttle, scale, queueLength, waitMsMax } = this.#options;
    const { keyPatternOf = () => null } = this.#options;
    const tools = { nowUs: microsecondsOf(this.#time), targets: this.targets, keyPatternOf };
    const loadOf = (account: AccountCapacity): number => account.usage.load.perSecond(tools.nowUs);
    const asked = [...this.#accounts].filter(([name]) => only === undefined || name === only);
    asked.sort(([, a], [, b]) => loadOf(b) - loadOf(a));
    const listed = asked.slice(0, reportedAccountsMax);
    return {
      throttle,
      scale,
      targets: this.targets,
      queueLength,
      waitMsMax,
      accounts: listed.map(([name, account]) => reportAccount(name, account, tools)),
      accountsLeftOut: asked.length - listed.length,
      recentRefusals: this.#journal.seconds(),
    };
  }

  /** The units spent at this node since the last call. */
  takeSpent(): Spent {
    return this.#spent?.take() ?? [];
  }

  /**
   * Adds the units that another node has spent. Loads and budgets include these units. `totals` leaves them out,
   * because `totals` counts only the requests of this node.
   */
  spendElsewhere(spent: Spent): void {
    const nowUs = microsecondsOf(this.#time);
    for (const [account, parts] of spent) {
      const { usage } = this.#accountOf(account);
      for (const part of parts) usage.spendElsewhere(part, nowUs);
    }
  }

  totals(): Readonly<CapacityTotals> {
    return this.#totals;
  }

  /** Requests that wait for capacity. */
  waiting(): number {
    let waiting = 0;
    for (const account of this.#accounts.values()) waiting += account.waiting;
    return waiting;
  }

  /** Must be called when the response to a request is handed over. `request` is the same object as in its Demand. */
  recordAnswered(request: object): void {
    this.#released.recordAnswered(request);
  }

  /** Resolves when all requests that have stopped waiting are answered. */
  whenReleasedAnswered(): Promise<void> {
    return this.#released.whenAnswered();
  }

  /** Refuses the requests that wait. */
  close(): void {
    for (const account of this.#accounts.values()) account.close();
    this.#journal.close();
  }

  #accountOf(asked: string): AccountCapacity {
    const known = this.#accounts.get(asked);
    if (known) return known;
    const name = copyString(asked);
    if (this.#accounts.size >= accountsMax) this.#evictOne();
    const { throttle, queueLength, waitMsMax } = this.#options;
    const spent = this.#spent;
    const account = new AccountCapacity({
      targets: this.targets,
      rules: this.#rules,
      isEnforced: throttle === 'enforce',
      queueLength,
      waitMsMax,
      time: this.#time,
      machineTime: this.#options.machineTime,
      totals: this.#totals,
      spent: spent && (() => spent.account(name)),
      onRefused: (refusal) => this.#journal.record({ account: name, ...refusal }),
      onPageCut: () => this.#journal.countCutPage(),
      onReleased: (request) => this.#released.add(request),
    });
    this.#accounts.set(name, account);
    return account;
  }

  #evictOne(): void {
    const nowUs = microsecondsOf(this.#time);
    evictOne(this.#accounts, (account) => account.isIdle(nowUs))?.close();
  }
}
