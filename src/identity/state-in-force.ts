import { createIdentityState, type IdentityState, parseIdentityState } from './identity-state.ts';
import type { StateStore } from './state-store.ts';

export interface StateInForceOptions {
  readonly store: StateStore;
  /** The name of the state in messages. */
  readonly place: string;
}

/** The message names the state and says what is wrong, in one line. */
export class IdentityStateFault extends Error {}

/**
 * Holds the state of an issuer, which is created on first use. The state in memory changes only after the store has
 * saved the change. Reads and changes run one after another, so an older state never replaces a newer one.
 */
export class StateInForce {
  readonly #options: StateInForceOptions;
  #state: IdentityState | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether another process may have changed the text. */
  #isStale = false;
  #generation = 0;

  constructor(options: StateInForceOptions) {
    this.#options = options;
    options.store.onChange?.(() => {
      this.#isStale = true;
      // Tokens that were verified with the previous state are verified again.
      this.#generation++;
    });
  }

  /** Grows with each new state, and when another process has changed the state. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether only this process changes the state. */
  get isOwn(): boolean {
    return this.#options.store.onChange === undefined;
  }

  /** Rejects with the error of the store, or with IdentityStateFault. */
  async read(): Promise<IdentityState> {
    if (this.#state && !this.#isStale) return this.#state;
    return this.#inTurn(async () => (this.#state && !this.#isStale ? this.#state : await this.#load()));
  }

  /** Reads the store again. Rejects like `read`. */
  reread(): Promise<IdentityState> {
    return this.#inTurn(() => this.#load());
  }

  /** Resolves when the change is stored. Rejects like `read`, and with the error of `change`. */
  change(change: (state: IdentityState) => IdentityState): Promise<IdentityState> {
    return this.#inTurn(async () => {
      if (!this.#state) await this.#load();
      const text = await this.#options.store.update((current) =>
        JSON.stringify(change(current === undefined ? this.#known() : this.#parse(current))),
      );
      return this.#take(text);
    });
  }

  async #load(): Promise<IdentityState> {
    const { store } = this.#options;
    // Reset before the read, so that a change during this read causes another read.
    this.#isStale = false;
    try {
      const text = await store.read();
      if (text !== undefined) return this.#take(text);
      const created = JSON.stringify(await createIdentityState());
      return this.#take(await store.update((current) => current ?? created));
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  #take(text: string): IdentityState {
    this.#state = this.#parse(text);
    this.#generation += 1;
    return this.#state;
  }

  /** The last known state. It is written again if the text was removed from the store. */
  #known(): IdentityState {
    if (this.#state) return this.#state;
    throw new IdentityStateFault(`${this.#options.place} is gone`);
  }

  #parse(text: string): IdentityState {
    try {
      return parseIdentityState(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new IdentityStateFault(
        `${this.#options.place} cannot be used: ${reason}. Remove it, and the issuer makes new keys and a new secret.`,
      );
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
