/**
 * What may still be used of a target, exactly: it holds at most one second's worth (Evidence: assumed) and fills
 * continuously. Levels are whole millionths of a unit and times whole microseconds, so that whole targets add up without
 * rounding.
 */
export class TokenBucket {
  readonly unitsPerSecond: number;
  readonly #fullMicros: number;
  #micros: number;
  #atUs: number;

  /** Full, unless told otherwise. */
  constructor(unitsPerSecond: number, nowUs: number, units = Number.POSITIVE_INFINITY) {
    this.unitsPerSecond = unitsPerSecond;
    this.#fullMicros = Math.max(unitsPerSecond, 1) * microsPerUnit;
    this.#micros = Math.min(units * microsPerUnit, this.#fullMicros);
    this.#atUs = nowUs;
  }

  /** Whether so many units may be taken: they are there, or it is full and never holds more. */
  has(units: number, nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros >= Math.min(units * microsPerUnit, this.#fullMicros);
  }

  /** Takes units whether they are there or not; what was not there is owed. */
  take(units: number, nowUs: number): void {
    this.#fill(nowUs);
    this.#micros -= units * microsPerUnit;
  }

  /** Moment at which `has(units)` will be true, if nobody takes any. */
  readyAtUs(units: number): number {
    const missing = Math.min(units * microsPerUnit, this.#fullMicros) - this.#micros;
    return this.#atUs + Math.max(0, Math.ceil(missing / this.unitsPerSecond));
  }

  /** Units there; below 0 what is owed. */
  unitsAt(nowUs: number): number {
    this.#fill(nowUs);
    return this.#micros / microsPerUnit;
  }

  /** A full bucket is as good as none: a new one would be the same. */
  isFull(nowUs: number): boolean {
    this.#fill(nowUs);
    return this.#micros === this.#fullMicros;
  }

  #fill(nowUs: number): void {
    if (nowUs <= this.#atUs) return;
    // A unit a second is a millionth of a unit a microsecond.
    this.#micros = Math.min(this.#micros + this.unitsPerSecond * (nowUs - this.#atUs), this.#fullMicros);
    this.#atUs = nowUs;
  }
}

const microsPerUnit = 1_000_000;
