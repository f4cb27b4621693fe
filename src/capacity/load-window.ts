const slots = 10;
const slotUs = 1_000_000;
/** How far a window looks back. */
export const windowSeconds = 10;

/** Units counted over the last ten seconds, in slots of one. */
export class LoadWindow {
  readonly #units = new Float64Array(slots);
  /** Number of the newest slot, in seconds since the clock's beginning. */
  #newest = Number.NEGATIVE_INFINITY;
  #newestEndsUs = Number.NEGATIVE_INFINITY;

  add(units: number, nowUs: number): void {
    this.#turn(nowUs);
    const at = this.#newest % slots;
    this.#units[at] = (this.#units[at] ?? 0) + units;
  }

  /** What was counted in the window. */
  total(nowUs: number): number {
    this.#turn(nowUs);
    let sum = 0;
    for (const units of this.#units) sum += units;
    return sum;
  }

  /** Units a second, on average of the window; a load that has just begun counts little. */
  perSecond(nowUs: number): number {
    const sum = this.total(nowUs);
    // The newest slot is not over: a steady load shows as what it is at any moment.
    const newestUs = Math.max(0, nowUs - this.#newest * slotUs);
    return sum / (windowSeconds - 1 + Math.min(newestUs / slotUs, 1));
  }

  /** A window of the same age with a part of the load. */
  part(share: number): LoadWindow {
    return this.#with((units) => units * share);
  }

  /** A window with the load of both. */
  plus(other: LoadWindow, nowUs: number): LoadWindow {
    this.#turn(nowUs);
    other.#turn(nowUs);
    return this.#with((units, at) => units + (other.#units[at] ?? 0));
  }

  #with(change: (units: number, at: number) => number): LoadWindow {
    const made = new LoadWindow();
    made.#newest = this.#newest;
    made.#newestEndsUs = this.#newestEndsUs;
    made.#units.set(this.#units.map(change));
    return made;
  }

  /** Empties the slots that the clock has passed since. */
  #turn(nowUs: number): void {
    if (nowUs < this.#newestEndsUs) return;
    const current = Math.floor(nowUs / slotUs);
    if (current <= this.#newest) return;
    if (current - this.#newest >= slots) this.#units.fill(0);
    else for (let slot = this.#newest + 1; slot <= current; slot++) this.#units[slot % slots] = 0;
    this.#newest = current;
    this.#newestEndsUs = (current + 1) * slotUs;
  }
}
