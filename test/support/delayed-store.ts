// Makes the reference store behave as if it were in another process. Each call takes effect at a random moment, and
// returns later. Concurrent calls may take effect in any order.

import { systemMachineTime } from '../../src/model/time.ts';
import type { AccountStore, OpenStore, Store } from '../../src/storage/store.ts';
import { SeededRandom } from '../unit/storage/seeded-tables.ts';
import { openReferenceStore } from './reference-store.ts';

const seed = Number(process.env['TANZANITE_TEST_SEED'] ?? 1);

export const openDelayedReference: OpenStore = async (options) => {
  const delays = new Delays(new SeededRandom(seed));
  const store = await openReferenceStore(options);
  return delays.around<Store>(store, {
    account: (name) => delays.around<AccountStore>(store.account(name), {}),
    onChange: (listener) => store.onChange(listener),
    async close() {
      await delays.settled();
      await store.close();
    },
  });
};

class Delays {
  readonly #random: SeededRandom;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The same object with delayed methods. The methods in `own` replace the object's and are not delayed. */
  around<T extends object>(target: T, own: Partial<T>): T {
    return new Proxy(target, {
      get: (_, name: string & keyof T) => {
        const method: unknown = target[name];
        if (own[name] || typeof method !== 'function') return own[name];
        return (...parameters: unknown[]) => this.#run<unknown>(() => method.apply(target, parameters));
      },
    });
  }

  /** Resolves when every call that has begun has returned. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #run<T>(call: () => Promise<T>): Promise<T> {
    const running = this.#delayed(call);
    const forget = (): void => void this.#underWay.delete(running);
    this.#underWay.add(running);
    running.then(forget, forget);
    return running;
  }

  async #delayed<T>(call: () => Promise<T>): Promise<T> {
    await this.#wait();
    try {
      return await call();
    } finally {
      await this.#wait();
    }
  }

  /** Waits not at all, or for a few turns of the event loop, or for a few milliseconds. */
  async #wait(): Promise<void> {
    const turns = this.#random.pick([0, 1, 1, 2, 5, 'timer'] as const);
    if (turns === 'timer')
      await new Promise<void>((resolve) => void systemMachineTime.after(this.#random.below(4), resolve));
    else for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
