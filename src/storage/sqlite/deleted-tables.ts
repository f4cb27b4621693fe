import type { Clock } from '../../model/clock.ts';
import { tableLookup } from '../../model/table-name.ts';
import type { TableAbsence } from '../store.ts';

export interface DeletionDelay {
  readonly clock: Clock;
  /** How long the name of a deleted table is not free; 0 for not at all. */
  readonly delayMs: number;
}

/** Which names still belong to tables that were deleted. Not kept over a restart: the service's delay ends too. */
export class DeletedTables {
  readonly #delay: DeletionDelay;
  readonly #freeAtMs = new Map<string, number>();
  /** What was there before `freeAll`, until that is certain. */
  #freed: ReadonlyMap<string, number> | undefined;

  constructor(delay: DeletionDelay) {
    this.#delay = delay;
  }

  add(name: string): void {
    const { clock, delayMs } = this.#delay;
    if (delayMs === 0) return;
    this.#forgetFree(clock.nowMs());
    this.#freeAtMs.set(tableLookup(name), clock.nowMs() + delayMs);
  }

  has(name: string): boolean {
    const lookup = tableLookup(name);
    const freeAtMs = this.#freeAtMs.get(lookup);
    if (freeAtMs === undefined) return false;
    if (this.#delay.clock.nowMs() < freeAtMs) return true;
    this.#freeAtMs.delete(lookup);
    return false;
  }

  /** Frees every name: for good with `keep`, or not at all with `undo`. */
  freeAll(): void {
    this.#freed ??= new Map(this.#freeAtMs);
    this.#freeAtMs.clear();
  }

  keep(): void {
    this.#freed = undefined;
  }

  undo(): void {
    if (!this.#freed) return;
    this.#freeAtMs.clear();
    for (const [lookup, freeAtMs] of this.#freed) this.#freeAtMs.set(lookup, freeAtMs);
    this.#freed = undefined;
  }

  absenceOf(name: string): TableAbsence {
    return this.has(name) ? 'tableBeingDeleted' : 'tableMissing';
  }

  /** Names stand in the order in which they become free, since all wait equally long. */
  #forgetFree(nowMs: number): void {
    for (const [lookup, freeAtMs] of this.#freeAtMs) {
      if (freeAtMs > nowMs) return;
      this.#freeAtMs.delete(lookup);
    }
  }
}
