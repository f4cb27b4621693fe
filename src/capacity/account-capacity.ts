import type { CapacityLimit } from '../model/capacity-use.ts';
import type { MachineTime, ModelTime } from '../model/time.ts';
import { AccountUsage, type AccountUsageOptions, type Charge, isFromStart, type Place } from './account-usage.ts';
import type { Targets } from './capacity-settings.ts';
import type { Admission, ChargeVisit, Demand, Meter, Refusal, Usage, UsagePart } from './meter.ts';
import { parsePartitionName } from './partition-name.ts';
import { newRefusals, type RefusalEvent, type RefusalKind, type RefusalsByLimit } from './refusal-journal.ts';
import type { RangeRules } from './table-ranges.ts';
import { microsecondsOf } from './token-buckets.ts';
import { WaitingQueue, type WaitOutcome } from './waiting-queue.ts';

/** Counts over all accounts, including evicted ones. They never decrease. */
export interface CapacityTotals {
  units: number;
  /** Pages that ended, or would have ended, because a budget was spent. */
  pagesCut: number;
  readonly refusals: RefusalsByLimit;
}

export const newTotals = (): CapacityTotals => ({ units: 0, pagesCut: 0, refusals: newRefusals() });

export interface AccountCapacityOptions {
  readonly targets: Targets;
  readonly rules: RangeRules;
  readonly isEnforced: boolean;
  readonly queueLength: number;
  readonly waitMsMax: number;
  readonly time: ModelTime;
  readonly machineTime: Pick<MachineTime, 'after' | 'monotonicMs'>;
  readonly totals: CapacityTotals;
  /** See AccountUsageOptions. */
  readonly spent?: AccountUsageOptions['spent'];
  /** Called for every request that is refused, or that enforced targets would refuse. */
  readonly onRefused: (refusal: Omit<RefusalEvent, 'account'>) => void;
  /** Called for every page that ends, or would have ended, because a budget was spent. */
  readonly onPageCut: () => void;
  /** Called for every request that had to wait, when its wait ends. */
  readonly onReleased: (request: object) => void;
}

/** Counts the requests of one account. With enforced targets, it refuses the requests that Azure would refuse. */
export class AccountCapacity implements Meter {
  readonly refusals = newRefusals();
  readonly usage: AccountUsage;
  /** Pages that ended, or would have ended, because a budget was spent. */
  pagesCut = 0;
  readonly #options: AccountCapacityOptions;
  readonly #queue: WaitingQueue<Admission | Refusal>;
  readonly #charging: Charging;

  constructor(options: AccountCapacityOptions) {
    const { targets, rules, isEnforced, time, machineTime, totals, spent, queueLength, waitMsMax } = options;
    this.#options = options;
    this.usage = new AccountUsage({ targets, rules, nowUs: microsecondsOf(time), totals, spent });
    this.#queue = new WaitingQueue({ lengthMax: queueLength, waitMsMax, time, machineTime });
    this.#charging = { usage: this.usage, time, isEnforced, onPageCut: () => this.#countPageCut() };
  }

  get waiting(): number {
    return this.#queue.length;
  }

  admit(demand: Demand): Admission | Refusal | Promise<Admission | Refusal> {
    const nowUs = microsecondsOf(this.#options.time);
    const place = this.usage.place(demand, nowUs);
    this.usage.countDemand(demand, place, nowUs);
    return this.#options.isEnforced ? this.#enforce(demand, place) : this.#observe(demand, place, nowUs);
  }

  rangeEnd(table: string, partitionKey: string): string | undefined {
    const nowUs = microsecondsOf(this.#options.time);
    return this.usage.table(table, nowUs).ranges.endOf(partitionKey, nowUs);
  }

  forgetTable(table: string): void {
    this.usage.forgetTable(table);
  }

  forgetAbsentTable(table: string): void {
    this.usage.forgetAbsentTable(table);
  }

  isIdle(nowUs: number): boolean {
    return this.waiting === 0 && this.usage.isIdle(nowUs);
  }

  close(): void {
    this.#queue.close();
  }

  #observe(demand: Demand, place: Place | undefined, nowUs: number): Admission {
    const obstacle = this.usage.take(place, { units: demand.units, ahead: nothingAhead, nowUs });
    if (obstacle) this.#recordRefusal(demand, place, { limit: obstacle.limit, kind: 'wouldThrottle' });
    const outcome = obstacle ? 'wouldThrottle' : 'admitted';
    return new AdmittedRequest(demand, { outcome, limit: obstacle?.limit, waitedMs: 0 }, this.#charging);
  }

  #enforce(demand: Demand, place: Place | undefined): Admission | Refusal | Promise<Admission | Refusal> {
    const { units, waitMsMax, isAbandoned, request } = demand;
    let hasWaited = false;
    const entered = this.#queue.enter({
      units,
      waitMsMax,
      isAbandoned,
      start: (ahead, nowUs) => {
        if (place) this.usage.renew(place, demand, nowUs);
        return this.usage.take(place, { units, ahead, nowUs });
      },
      end: (outcome) => {
        if (hasWaited && request) this.#options.onReleased(request);
        return this.#decide(demand, place, outcome);
      },
    });
    hasWaited = entered instanceof Promise;
    return entered;
  }

  #decide(demand: Demand, place: Place | undefined, { kind, limit, waitedMs }: WaitOutcome): Admission | Refusal {
    if (kind === 'started' || limit === undefined) {
      return new AdmittedRequest(demand, { outcome: 'admitted', limit: undefined, waitedMs }, this.#charging);
    }
    this.#recordRefusal(demand, place, { limit, kind });
    return { outcome: kind, limit, waitedMs, units: demand.units };
  }

  #countPageCut(): void {
    this.pagesCut++;
    this.#options.totals.pagesCut++;
    this.#options.onPageCut();
  }

  #recordRefusal(
    demand: Demand,
    place: Place | undefined,
    { limit, kind }: { limit: CapacityLimit; kind: RefusalKind },
  ): void {
    this.refusals[limit][kind]++;
    this.#options.totals.refusals[limit][kind]++;
    if (!place || limit === 'account') {
      this.#options.onRefused({ limit, kind });
      return;
    }
    const nowUs = microsecondsOf(this.#options.time);
    const { table, range, first } = place;
    range.refused.add(1, nowUs);
    // If the range exceeds its target, its light partitions are not the cause. countRefusal ignores them.
    first?.countRefusal(nowUs, limit === 'partition');
    if (limit !== 'partition') this.#options.onRefused({ limit, kind, table: table.name, rangeFrom: range.from });
    else {
      const partitionKey = first ? parsePartitionName(first.name).partitionKey : demand.partitionKey;
      this.#options.onRefused({ limit, kind, table: table.name, partitionKey });
    }
  }
}

const nothingAhead: ReadonlyMap<unknown, number> = new Map();

type Decision = Pick<Admission, 'outcome' | 'limit' | 'waitedMs'>;

interface Charging {
  readonly usage: AccountUsage;
  readonly time: ModelTime;
  readonly isEnforced: boolean;
  readonly onPageCut: () => void;
}

class AdmittedRequest implements Admission {
  readonly outcome: Admission['outcome'];
  readonly limit: CapacityLimit | undefined;
  readonly waitedMs: number;
  units: number;
  readonly #demand: Demand;
  readonly #charging: Charging;

  constructor(demand: Demand, { outcome, limit, waitedMs }: Decision, charging: Charging) {
    this.outcome = outcome;
    this.limit = limit;
    this.waitedMs = waitedMs;
    this.units = demand.units;
    this.#demand = demand;
    this.#charging = charging;
  }

  charge(units: number): void {
    const { table, partitionKey } = this.#demand;
    if (units <= 0 || table === undefined) return;
    this.#charge(table, { units, parts: [{ partitionKey, units, partitionUnits: units }] }, false);
  }

  chargePage(): ChargeVisit | undefined {
    const { table, isPinned, partitionKey, units: admittedUnits } = this.#demand;
    if (table === undefined) return undefined;
    let [unitsPaid, isFirst, isCut] = [admittedUnits, true, false];
    return ({ units, parts }) => {
      // The admission has already paid for these units.
      const paid = Math.min(unitsPaid, units);
      unitsPaid -= paid;
      const due = units - paid;
      const dueParts = isPinned ? [{ partitionKey, units: due, partitionUnits: due }] : withoutPaid(parts, paid);
      const mayGoOn = this.#charge(table, { units: due, parts: dueParts }, isFirst);
      isFirst = false;
      if (!(mayGoOn || isCut)) {
        isCut = true;
        this.#charging.onPageCut();
      }
      return mayGoOn || !this.#charging.isEnforced;
    };
  }

  /**
   * Charges the used units, and returns whether the request may use more units. The units of a `wouldThrottle` request
   * are counted, but not taken from the budgets.
   */
  #charge(tableName: string, used: Usage, isBeginning: boolean): boolean {
    const { usage, time, isEnforced } = this.#charging;
    const { units, parts } = used;
    const nowUs = microsecondsOf(time);
    const table = usage.table(tableName, nowUs);
    if (isBeginning && isFromStart(this.#demand)) usage.recordScanStart(table, parts[0]);
    this.units += units;
    const charges = usage.countUsage(table, used, nowUs);
    if (this.outcome === 'wouldThrottle') return true;
    usage.recordUsage(table, used);
    const isAdmitted = ({ isFirst }: Charge): boolean => this.#demand.isPinned || (isBeginning && isFirst);
    return usage.takeCharges(charges, { nowUs, units, isAdmitted, isEnforced });
  }
}

/**
 * Subtracts `paid`, the units that the admission has already paid, from the units of the first part. The result is
 * never negative, because `paid` is at most one unit, and a part that is not empty has at least one unit.
 */
function withoutPaid(parts: readonly UsagePart[], paid: number): readonly UsagePart[] {
  if (paid === 0) return parts;
  const [first, ...others] = parts;
  return first ? [{ ...first, units: first.units - paid }, ...others] : [];
}
