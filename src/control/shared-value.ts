import type { Cancel, MachineTime } from '../model/time.ts';
import type { SharedTexts } from '../storage/shared-texts.ts';

export interface SharedValueOptions<Value> {
  readonly texts: SharedTexts;
  /** Of the text. */
  readonly name: string;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Reads parsed JSON; undefined for another value, which another version may have written. */
  readonly parse: (given: unknown) => Value | undefined;
  /** Gets the value that is in force from now on, if any. */
  readonly onValue: (value: Value | undefined) => void;
}

const retryMs = 500;

/**
 * A value that is in force on all nodes of a service. A node that changes the value changes its text in the store, and the
 * other nodes read the text again. `onValue` gets the values in the order of the changes.
 */
export class SharedValue<Value> {
  readonly #options: SharedValueOptions<Value>;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a waiting read will see every change so far. */
  #isReadQueued = false;
  #cancelRetry: Cancel | undefined;
  #isClosed = false;

  constructor(options: SharedValueOptions<Value>) {
    this.#options = options;
    const { texts, name } = options;
    texts.onChange((changed) => {
      if (changed === undefined || changed === name) this.#readSoon();
    });
  }

  /** Puts the value of the service into force. Rejects with StoreUnavailable. */
  open(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Rejects with the error of `change`, or with StoreUnavailable. In either case, the store's value is in force. */
  change(change: (current: Value | undefined) => Value): Promise<void> {
    const { texts, name, onValue } = this.#options;
    return this.#inTurn(async () => {
      try {
        onValue(this.#parse(await texts.update(name, (text) => JSON.stringify(change(this.#parse(text))))));
      } catch (error) {
        // The change may have been made nevertheless.
        this.#readSoon();
        throw error;
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
  }

  #readSoon(): void {
    if (this.#isReadQueued || this.#isClosed) return;
    this.#isReadQueued = true;
    this.#inTurn(async () => {
      this.#isReadQueued = false;
      if (!this.#isClosed) await this.#read();
    }).catch(() => this.#retry());
  }

  #retry(): void {
    this.#cancelRetry?.();
    if (!this.#isClosed) this.#cancelRetry = this.#options.machineTime.after(retryMs, () => this.#readSoon());
  }

  async #read(): Promise<void> {
    const { texts, name, onValue } = this.#options;
    onValue(this.#parse(await texts.read(name)));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #parse(text: string | undefined): Value | undefined {
    if (text === undefined) return undefined;
    try {
      return this.#options.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}
