import type { Cancel, MachineTime } from '../model/time.ts';
import type { SharedTexts } from '../storage/shared-texts.ts';

export interface SharedValueOptions<Value> {
  readonly texts: SharedTexts;
  /** The name of the text in the store. */
  readonly name: string;
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Makes a value of parsed JSON. Undefined if it is not such a value: another version may have written it. */
  readonly parse: (given: unknown) => Value | undefined;
  /** Called with the value that is in force from now on; undefined if there is none. */
  readonly onValue: (value: Value | undefined) => void;
}

const retryMs = 500;

/**
 * A value that is in force on all nodes of a service. To change the value, a node changes a text in the store, and the
 * other nodes then read this text again. `onValue` gets the values in the order of the changes.
 */
export class SharedValue<Value> {
  readonly #options: SharedValueOptions<Value>;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether a read is queued that will see every change so far. */
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
        // Despite the error, the store may have made the change.
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
