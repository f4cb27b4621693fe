import { tableLookup } from '../../model/table-name.ts';
import type { ModelTime } from '../../model/time.ts';
import type { TableAbsence } from '../store.ts';

export interface DeletionDelay {
  readonly modelTime: Pick<ModelTime, 'monotonicMs'>;
  /** How long the name of a deleted table cannot be used again; 0 if it can be at once. */
  readonly delayMs: number;
}

/** The names of deleted tables that cannot be used yet. They are not stored: a restart ends the delay. */
export class DeletedTables {
  readonly #delay: DeletionDelay;
  /** By lookup name, in the order in which names become free. */
  readonly #freeAtMs = new Map<string, number>();
  /** The names before `freeAll`, until `keep` or `undo`. */
  #freed: ReadonlyMap<string, number> | undefined;

  constructor(delay: DeletionDelay) {
    this.#delay = delay;
  }

  get isEmpty(): boolean {
    this.#forgetFree();
    return this.#freeAtMs.size === 0;
  }

  add(name: string): void {
    const { modelTime, delayMs } = this.#delay;
    if (delayMs === 0) return;
    this.#forgetFree();
    // A name that was deleted before moves to the end.
    this.#freeAtMs.delete(tableLookup(name));
    this.#freeAtMs.set(tableLookup(name), modelTime.monotonicMs() + delayMs);
  }

  has(name: string): boolean {
    const freeAtMs = this.#freeAtMs.get(tableLookup(name));
    return freeAtMs !== undefined && this.#delay.modelTime.monotonicMs() < freeAtMs;
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

  #forgetFree(): void {
    if (this.#freeAtMs.size === 0) return;
    const nowMs = this.#delay.modelTime.monotonicMs();
    for (const [lookup, freeAtMs] of this.#freeAtMs) {
      if (freeAtMs > nowMs) return;
      this.#freeAtMs.delete(lookup);
    }
  }
}
