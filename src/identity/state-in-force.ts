import { createIdentityState, type IdentityState, parseIdentityState } from './identity-state.ts';
import type { StateStore } from './state-store.ts';

export interface StateInForceOptions {
  readonly store: StateStore;
  /** What a message calls the state. */
  readonly place: string;
}

/** The message says in one line what is wrong with which state. */
export class IdentityStateFault extends Error {}

/**
 * The state of an issuer, which is made on its first use. What is in memory changes after the store has it. Reads and changes run
 * one after another, so that an older text never replaces a newer one.
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
      // What was verified by the state before is verified again.
      this.#generation++;
    });
  }

  /** Grows with each state that is taken over, and when another process has changed it. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether this process alone changes the state. */
  get isOwn(): boolean {
    return this.#options.store.onChange === undefined;
  }

  /** Rejects with the error of the store, or with IdentityStateFault. */
  async read(): Promise<IdentityState> {
    if (this.#state && !this.#isStale) return this.#state;
    return this.#inTurn(async () => (this.#state && !this.#isStale ? this.#state : await this.#load()));
  }

  /** Reads the store again. Rejects as `read` does. */
  reread(): Promise<IdentityState> {
    return this.#inTurn(() => this.#load());
  }

  /** Resolves when the change is stored. Rejects as `read` does, and with the error of `change`. */
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
    // Before the read: a change that comes meanwhile is read again.
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

  /** Somebody removed the text: it is written again. */
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
        `${this.#options.place} cannot be used: ${reason}. Remove it: the issuer makes new keys and a new secret.`,
      );
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
