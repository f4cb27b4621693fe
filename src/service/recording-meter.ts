import type { ChargeVisit, Demand, Meter } from '../capacity/meter.ts';
import type { Throttled } from '../capacity/throttled.ts';
import type { RequestRecord } from '../model/request-record.ts';
import type { MachineTime } from '../model/time.ts';

/** The meter of an account as one request uses it: what it is charged and how it is throttled goes into its record. */
export class RecordingMeter implements Meter {
  readonly #meter: Meter;
  readonly #record: RequestRecord;
  readonly #time: MachineTime;

  constructor(meter: Meter, record: RequestRecord, time: MachineTime) {
    this.#meter = meter;
    this.#record = record;
    this.#time = time;
  }

  admit(demand: Demand): Throttled | undefined | Promise<Throttled | undefined> {
    demand.record = this.#record;
    const outcome = this.#meter.admit(demand);
    if (!(outcome instanceof Promise)) return this.#note(demand, outcome);
    const sinceMs = this.#time.monotonicMs();
    return outcome.then((throttled) => {
      this.#record.throttling.waitedMs += this.#time.monotonicMs() - sinceMs;
      return this.#note(demand, throttled);
    });
  }

  charge(demand: Demand, units: number): void {
    if (units > 0) this.#record.units += units;
    this.#meter.charge(demand, units);
  }

  visits(demand: Demand): ChargeVisit | undefined {
    const charge = this.#meter.visits(demand);
    if (charge === undefined) return undefined;
    // The units of the demand are part of what is visited, not on top of it.
    let paidUnits = demand.units;
    return (usage) => {
      const covered = Math.min(paidUnits, usage.units);
      paidUnits -= covered;
      this.#record.units += usage.units - covered;
      return charge(usage);
    };
  }

  rangeEnd(table: string, partitionKey: string): string | undefined {
    return this.#meter.rangeEnd(table, partitionKey);
  }

  forgetTable(table: string): void {
    this.#meter.forgetTable(table);
  }

  forgetAbsentTable(table: string): void {
    this.#meter.forgetAbsentTable(table);
  }

  #note(demand: Demand, throttled: Throttled | undefined): Throttled | undefined {
    const { throttling } = this.#record;
    if (throttled === undefined) this.#record.units += demand.units;
    else throttling.refusedBy = throttled.limit;
    if (demand.isSpared) throttling.wouldThrottle = true;
    return throttled;
  }
}
