import { KeySample } from './key-sample.ts';
import { LoadWindow } from './load-window.ts';
import { TokenBucket } from './token-bucket.ts';

export interface RangeRules {
  /** Units a second. */
  readonly target: number;
  readonly splitAfterUs: number;
  readonly mergeAfterUs: number;
  /** How long a range that splits or merges is not served. */
  readonly moveUs: number;
}

/** Hot is what uses this much of its target. Evidence: assumed. */
const hotShare = 0.75;
/** Idle is a pair that together uses no more than this. Evidence: assumed. */
const idleShare = 0.1;
/** With less a median says nothing. */
const sampleMin = 16;

/** What a range takes over from those it came of. */
interface Heritage {
  readonly load: LoadWindow;
  readonly refused: LoadWindow;
  readonly units: number;
  readonly movesUntilUs: number;
}

/** Partitions next to each other that one server of the service serves. Its end is the beginning of the next one. */
export class RangePartition {
  /** The first partition key. */
  readonly from: string;
  readonly load: LoadWindow;
  readonly bucket: TokenBucket;
  readonly movesUntilUs: number;
  /** Requests that were refused, or would have been. */
  readonly refused: LoadWindow;
  readonly #rules: RangeRules;
  /** Only of a load that may get hot. */
  #sample: KeySample | undefined;
  #hotSinceUs: number | undefined;
  /** Whether it was hot for long enough and holds one partition only, as far as can be seen. */
  #isLone = false;

  constructor(from: string, rules: RangeRules, { nowUs, heritage }: { nowUs: number; heritage?: Heritage }) {
    this.from = from;
    this.#rules = rules;
    this.load = heritage?.load ?? new LoadWindow();
    this.refused = heritage?.refused ?? new LoadWindow();
    this.bucket = new TokenBucket(rules.target, nowUs, heritage?.units);
    this.movesUntilUs = heritage?.movesUntilUs ?? Number.NEGATIVE_INFINITY;
  }

  get isLone(): boolean {
    return this.#isLone;
  }

  count(partitionKey: string, units: number, nowUs: number): void {
    this.load.add(units, nowUs);
    this.#sample?.add(partitionKey, units);
  }

  /** The two ranges it falls into, where it was hot for long enough and has two partitions to part. */
  split(nowUs: number): [RangePartition, RangePartition] | undefined {
    if (!this.#isHotForLong(nowUs)) return undefined;
    if (!this.#sample || this.#sample.size < sampleMin) return undefined;
    const median = this.#sample.median();
    this.#isLone = median === undefined;
    if (!median) return undefined;
    const { key, shareBelow } = median;
    const units = this.bucket.unitsAt(nowUs);
    const movesUntilUs = nowUs + this.#rules.moveUs;
    // Whom a refusal met is not known by key: none is told of twice.
    const partOf = (share: number): Heritage => ({
      load: this.load.part(share),
      refused: new LoadWindow(),
      units,
      movesUntilUs,
    });
    return [
      new RangePartition(this.from, this.#rules, { nowUs, heritage: partOf(shareBelow) }),
      new RangePartition(key, this.#rules, { nowUs, heritage: partOf(1 - shareBelow) }),
    ];
  }

  isIdleBeside(next: RangePartition, nowUs: number): boolean {
    return this.load.perSecond(nowUs) + next.load.perSecond(nowUs) <= idleShare * this.#rules.target;
  }

  merge(next: RangePartition, { nowUs, movesUntilUs }: { nowUs: number; movesUntilUs: number }): RangePartition {
    const units = Math.min(this.bucket.unitsAt(nowUs), next.bucket.unitsAt(nowUs));
    const refused = this.refused.plus(next.refused, nowUs);
    const heritage = { load: this.load.plus(next.load, nowUs), refused, units, movesUntilUs };
    return new RangePartition(this.from, this.#rules, { nowUs, heritage });
  }

  #isHotForLong(nowUs: number): boolean {
    const { target, splitAfterUs } = this.#rules;
    const perSecond = this.load.perSecond(nowUs);
    if (perSecond < hotShare * target) {
      this.#hotSinceUs = undefined;
      this.#isLone = false;
      // What is on its way to hot is sampled already; what has cooled down forgets.
      if (perSecond < idleShare * target) this.#sample = undefined;
      else this.#sample ??= this.#newSample();
      return false;
    }
    this.#sample ??= this.#newSample();
    this.#hotSinceUs ??= nowUs;
    return nowUs - this.#hotSinceUs >= splitAfterUs;
  }

  #newSample(): KeySample {
    return new KeySample((this.#rules.target * this.#rules.splitAfterUs) / 1_000_000);
  }
}
