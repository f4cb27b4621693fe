import { ServiceError } from '../model/service-error.ts';
import type { Cancel, MachineTime } from '../model/time.ts';
import type { SeamPlace } from './seams.ts';

/** The most requests that faults may hold at the same time. */
const heldMax = 1_000;

type WhenOver = SeamPlace['whenOver'];

interface Hold {
  /** Id of the rule that holds the request. */
  readonly rule: string;
  end: () => void;
}

/** The requests that faults hold. A hold ends when the client disconnects, the server closes or the rule is removed. */
export class Holds {
  readonly #time: MachineTime;
  readonly #held = new Set<Hold>();

  constructor(time: MachineTime) {
    this.#time = time;
  }

  get size(): number {
    return this.#held.size;
  }

  /**
   * Holds a request. Resolves when the hold ends, or after `ms` milliseconds of machine time if `ms` is given. Throws
   * ServerBusy if faults already hold `heldMax` requests.
   */
  wait(rule: string, whenOver: WhenOver, ms?: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    const hold = this.#begin(rule);
    return new Promise((resolve) => {
      let cancelTime: Cancel = () => undefined;
      let cancelOver: Cancel = () => undefined;
      hold.end = () => {
        cancelTime();
        cancelOver();
        this.#held.delete(hold);
        resolve();
      };
      cancelOver = whenOver(hold.end);
      if (ms !== undefined) cancelTime = this.#time.after(ms, hold.end);
    });
  }

  /**
   * Holds a response that is being sent. The sender passes its listener to the returned `whenOver`, and calls the
   * returned `onEnd` when it has finished sending. Throws ServerBusy if faults already hold `heldMax` requests.
   */
  open(rule: string, whenOver: WhenOver): { readonly whenOver: WhenOver; readonly onEnd: () => void } {
    const hold = this.#begin(rule);
    return {
      whenOver(listener) {
        hold.end = listener;
        return whenOver(listener);
      },
      onEnd: () => void this.#held.delete(hold),
    };
  }

  /** Ends the holds of all rules except these. */
  keep(rules: ReadonlySet<string>): void {
    for (const { rule, end } of [...this.#held]) if (!rules.has(rule)) end();
  }

  #begin(rule: string): Hold {
    if (this.#held.size >= heldMax) {
      throw new ServiceError('ServerBusy', { why: `Faults hold ${heldMax} requests already.` });
    }
    const hold: Hold = { rule, end: () => undefined };
    this.#held.add(hold);
    return hold;
  }
}
