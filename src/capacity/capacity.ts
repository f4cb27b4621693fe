// The capacity of the service, as a model: what production would do to the load it sees. It counts in entity units (1 KiB)
// against three targets, of the account, of each range partition of a table and of each partition, and keeps bounded
// memory whatever comes. Docs: Scalability and performance targets for Table storage.

import { ownText } from '../model/own-text.ts';
import type { ModelTime } from '../model/time.ts';
import { AccountCapacity } from './account-capacity.ts';
import { type CapacityReport, reportAccount } from './capacity-report.ts';
import { type CapacitySettings, type Targets, targetsOf } from './capacity-settings.ts';
import { type CapacityTotals, newTotals } from './capacity-totals.ts';
import { forgetOne } from './forget-one.ts';
import { type Meter, unmetered } from './meter.ts';
import type { RangeRules } from './range-partition.ts';
import { RefusalJournal, type RefusalSecond } from './refusal-journal.ts';
import { type Timers, timersOf } from './timers.ts';

/** Accounts that are counted at a time; beyond, one that is idle is forgotten. */
const accountsMax = 1_024;
const reportedAccountsMax = 20;
/** How many accounts are looked at for an idle one. */
const lookedAt = 8;

export interface CapacityOptions extends CapacitySettings {
  readonly time: ModelTime;
  /** Told once a second while something is refused, or would be. */
  readonly onRefusals?: ((second: RefusalSecond) => void) | undefined;
}

export class Capacity {
  readonly targets: Targets;
  readonly #options: CapacityOptions;
  readonly #rules: RangeRules;
  readonly #timers: Timers;
  readonly #journal: RefusalJournal;
  readonly #accounts = new Map<string, AccountCapacity>();
  /** Accounts add to it themselves, forgotten ones too while somebody still waits for them. */
  readonly #totals = newTotals();

  constructor(options: CapacityOptions) {
    this.targets = targetsOf(options);
    this.#options = options;
    this.#timers = timersOf(options.time);
    this.#journal = new RefusalJournal(this.#timers, (second) => options.onRefusals?.(second));
    this.#rules = {
      target: this.targets.range,
      splitAfterUs: options.splitAfterMs * 1000,
      mergeAfterUs: options.mergeAfterMs * 1000,
      moveUs: options.moveMs * 1000,
    };
  }

  /** What the operations of an account are counted with. */
  meter(account: string): Meter {
    return this.#options.throttle === 'off' ? unmetered : this.#accountOf(account);
  }

  /** Forgets what an account, or one of its tables, has done. */
  forget(account: string, table?: string): void {
    if (table !== undefined) {
      this.#accounts.get(account)?.forgetTable(table);
      return;
    }
    this.#accounts.get(account)?.close();
    this.#accounts.delete(account);
  }

  /** The busiest accounts, or one. */
  report(only?: string): CapacityReport {
    const { throttle, scale, queueLength } = this.#options;
    const tools = { nowUs: this.#timers.nowUs(), targets: this.targets };
    const loadOf = (account: AccountCapacity): number => account.load.perSecond(tools.nowUs);
    const asked = [...this.#accounts].filter(([name]) => only === undefined || name === only);
    asked.sort(([, a], [, b]) => loadOf(b) - loadOf(a));
    const listed = asked.slice(0, reportedAccountsMax);
    return {
      throttle,
      scale,
      targets: this.targets,
      queueLength,
      accounts: listed.map(([name, account]) => reportAccount(name, account, tools)),
      accountsLeftOut: asked.length - listed.length,
      recentRefusals: this.#journal.seconds(),
    };
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

  /** Sends away whoever waits. */
  close(): void {
    for (const account of this.#accounts.values()) account.close();
    this.#journal.close();
  }

  #accountOf(asked: string): AccountCapacity {
    const known = this.#accounts.get(asked);
    if (known) return known;
    const name = ownText(asked);
    if (this.#accounts.size >= accountsMax) this.#forgetOne();
    const { throttle, queueLength } = this.#options;
    const account = new AccountCapacity({
      targets: this.targets,
      rules: this.#rules,
      isEnforced: throttle === 'enforce',
      queueLength,
      timers: this.#timers,
      totals: this.#totals,
      onRefused: (refusal) => this.#journal.note({ account: name, ...refusal }),
      onPageCut: () => this.#journal.noteCutPage(),
    });
    this.#accounts.set(name, account);
    return account;
  }

  #forgetOne(): void {
    const nowUs = this.#timers.nowUs();
    forgetOne(this.#accounts, { isIdle: (account) => account.isIdle(nowUs), lookedAt })?.close();
  }
}
