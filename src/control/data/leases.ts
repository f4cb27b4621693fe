// Items, such as a load, that a client holds over several requests. Each item has a name that only its client knows. A
// client holds an item until the client returns it, or sends no request for a while.

import { type Schedule, systemSchedule } from '../../model/schedule.ts';
import type { Cancel, MachineTime } from '../../model/time.ts';
import { ControlError } from '../control-error.ts';

export interface LeasesOptions<Item> {
  readonly machineTime: Pick<MachineTime, 'after'>;
  /** Makes the names. By default, they are random. */
  readonly schedule?: Pick<Schedule, 'newId'>;
  /** An item expires after this time without a request: its client is gone. */
  readonly idleMsMax: number;
  readonly countMax: number;
  /** Releases what an item holds. Not called after `forget`. */
  readonly release: (item: Item) => Promise<void>;
  /** Called with the error of a release that no request awaits. */
  readonly onReleaseFailed: (error: unknown) => void;
  readonly tooMany: () => ControlError;
  readonly notFound: () => ControlError;
}

interface Lease<Item> {
  readonly item: Item;
  /** Number of uses in progress. While it is not 0, the item does not expire. */
  uses: number;
  /** The work of the latest request. The requests of an item run one at a time. */
  turn: Promise<unknown>;
  cancelExpiry: Cancel;
}

/** Every method throws the error `notFound` for an unknown name, except `forget` and `end`. */
export class Leases<Item> {
  readonly #options: LeasesOptions<Item>;
  readonly #leases = new Map<string, Lease<Item>>();
  /** Number of items that are being opened. */
  #opening = 0;
  #isClosed = false;

  constructor(options: LeasesOptions<Item>) {
    this.#options = options;
  }

  /** Opens an item and returns it with its name. Throws the error `tooMany` before anything is opened. */
  async add(open: () => Promise<Item>): Promise<{ readonly id: string; readonly item: Item }> {
    const { countMax, tooMany } = this.#options;
    if (this.#leases.size + this.#opening >= countMax) throw tooMany();
    this.#opening += 1;
    try {
      const item = await open();
      if (this.#isClosed) {
        await this.#release(item);
        throw new ControlError('Closing', 'The emulator is closing.');
      }
      const id = (this.#options.schedule ?? systemSchedule).newId();
      const lease = { item, uses: 0, turn: Promise.resolve(), cancelExpiry: () => undefined };
      this.#leases.set(id, lease);
      this.#expire(id, lease);
      return { id, item };
    } finally {
      this.#opening -= 1;
    }
  }

  /** Runs work on an item after its earlier requests. */
  inTurn<Result>(id: string, work: (item: Item) => Promise<Result>): Promise<Result> {
    const lease = this.#find(id);
    const before = lease.turn;
    const run = async (): Promise<Result> => {
      await before;
      const { item, done } = this.use(id);
      try {
        return await work(item);
      } finally {
        done();
      }
    };
    const running = run();
    lease.turn = running.catch(() => undefined);
    return running;
  }

  /** Returns the item. It does not expire before `done` is called. */
  use(id: string): { readonly item: Item; readonly done: () => void } {
    const lease = this.#find(id);
    lease.uses += 1;
    lease.cancelExpiry();
    const done = (): void => {
      lease.uses -= 1;
      if (lease.uses === 0 && this.#leases.get(id) === lease) this.#expire(id, lease);
    };
    return { item: lease.item, done };
  }

  /** Drops an item without releasing it: what it held belongs to something else now, or is already released. */
  forget(id: string): void {
    this.#leases.get(id)?.cancelExpiry();
    this.#leases.delete(id);
  }

  /** Releases the item, unless it was released or forgotten before. */
  async end(id: string): Promise<void> {
    const lease = this.#leases.get(id);
    this.forget(id);
    if (lease) await this.#options.release(lease.item);
  }

  /**
   * Releases all items. Items that are still being opened are released later. Never rejects: errors go to
   * `onReleaseFailed`.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const items = [...this.#leases.values()].map(({ item }) => item);
    for (const id of [...this.#leases.keys()]) this.forget(id);
    await Promise.all(items.map((item) => this.#release(item)));
  }

  /** Releases an item when no request awaits the release. */
  async #release(item: Item): Promise<void> {
    const { release, onReleaseFailed } = this.#options;
    await release(item).catch(onReleaseFailed);
  }

  #find(id: string): Lease<Item> {
    const lease = this.#leases.get(id);
    if (lease) return lease;
    throw this.#options.notFound();
  }

  #expire(id: string, lease: Lease<Item>): void {
    const { machineTime, idleMsMax } = this.#options;
    lease.cancelExpiry = machineTime.after(idleMsMax, () => {
      this.forget(id);
      void this.#release(lease.item);
    });
  }
}
