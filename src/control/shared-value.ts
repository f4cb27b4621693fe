import type { Cancel, MachineTime } from '../model/time.ts';
import type { SharedTexts } from '../storage/shared-texts.ts';

export interface SharedValueOptions<Value> {
  readonly texts: SharedTexts;
  /** Of the text. */
  readonly name: string;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Reads what JSON gave; undefined for what is no such value, as another version may have left it. */
  readonly parse: (given: unknown) => Value | undefined;
  /** Gets the value that is in force from now on; undefined if there is none. */
  readonly onValue: (value: Value | undefined) => void;
}

const retryMs = 500;

/**
 * A value that all nodes of a service have in force: a node that changes it changes the text in the store, and the others read it
 * again. Values come to `onValue` in the order of the changes.
 */
export class SharedValue<Value> {
  readonly #options: SharedValueOptions<Value>;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a read waits that will see every change so far. */
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

  /** Puts the value in force that the service has. Rejects with StoreUnavailable. */
  open(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Rejects with the error of `change`, or with StoreUnavailable; in either case the value in force is what the store has. */
  change(change: (current: Value | undefined) => Value): Promise<void> {
    const { texts, name, onValue } = this.#options;
    return this.#inTurn(async () => {
      try {
        onValue(this.#parse(await texts.update(name, (text) => JSON.stringify(change(this.#parse(text))))));
      } catch (error) {
        // It may have happened all the same.
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
