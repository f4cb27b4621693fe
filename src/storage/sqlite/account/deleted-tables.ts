import { tableLookup } from '../../../model/table-name.ts';
import type { ModelTime } from '../../../model/time.ts';
import type { TableAbsence } from '../../store.ts';
import type { Participant } from '../participant.ts';

export interface DeletionDelay {
  readonly modelTime: Pick<ModelTime, 'monotonicMs'>;
  /** How long the name of a deleted table cannot be used again. 0: it can be used immediately. */
  readonly delayMs: number;
}

/** The names of deleted tables that cannot be used yet. They are not stored: a restart ends the delay. */
export class DeletedTables implements Participant {
  readonly #delay: DeletionDelay;
  /** When each lookup name becomes free, in the order of these times. */
  readonly #freeAtMs = new Map<string, number>();
  /** Functions that undo the changes of the current transaction, the last change first. */
  readonly #undo: (() => void)[] = [];

  constructor(delay: DeletionDelay) {
    this.#delay = delay;
  }

  get isIdle(): boolean {
    this.#forgetFree();
    return this.#freeAtMs.size === 0;
  }

  add(name: string): void {
    const { modelTime, delayMs } = this.#delay;
    if (delayMs === 0) return;
    this.#forgetFree();
    const lookup = tableLookup(name);
    const before = this.#freeAtMs.get(lookup);
    // A name that was deleted before moves to the end.
    this.#freeAtMs.delete(lookup);
    this.#freeAtMs.set(lookup, modelTime.monotonicMs() + delayMs);
    this.#undo.unshift(() => {
      if (before === undefined) this.#freeAtMs.delete(lookup);
      else this.#freeAtMs.set(lookup, before);
    });
  }

  has(name: string): boolean {
    const freeAtMs = this.#freeAtMs.get(tableLookup(name));
    return freeAtMs !== undefined && this.#delay.modelTime.monotonicMs() < freeAtMs;
  }

  /** Frees every name. */
  freeAll(): void {
    const before = [...this.#freeAtMs];
    this.#freeAtMs.clear();
    this.#undo.unshift(() => {
      for (const [lookup, freeAtMs] of before) this.#freeAtMs.set(lookup, freeAtMs);
    });
  }

  committed(): void {
    this.#undo.length = 0;
  }

  rolledBack(): void {
    for (const undo of this.#undo.splice(0)) undo();
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
