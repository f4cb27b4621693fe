// Exchanges loads between nodes. Several nodes that use one database are one service, so each node counts the load of
// all nodes. About once a second, each node reports the units that it has spent, and counts the units that the other
// nodes have reported. Reports are up to two seconds late, so the counts are approximate if there are several nodes.

import { randomUUID } from 'node:crypto';
import type { Cancel, MachineTime } from '../model/time.ts';
import type { Spent } from './spent-units.ts';

const everyMs = 1_000;
/** Each message contains this number of reports, the newest and earlier ones, so that a late reader misses none. */
const repeated = 3;
/** The most nodes tracked. Beyond that, all are forgotten, and each counts again from its newest report. */
const nodesMax = 1_000;

interface Message {
  readonly node: string;
  /** The number of the newest entry in `spent`. */
  readonly serial: number;
  /** The newest first. */
  readonly spent: readonly Spent[];
}

export interface LoadExchangeOptions {
  readonly time: MachineTime;
  /** Sends `load` to the other nodes, and returns their last messages. */
  readonly share: (load: string) => Promise<readonly string[]>;
  /** Returns the units spent at this node since the last call. */
  readonly take: () => Spent;
  /** Counts the units spent at another node. */
  readonly onSpent: (spent: Spent) => void;
}

export class LoadExchange {
  readonly #options: LoadExchangeOptions;
  readonly #node = randomUUID();
  readonly #serials = new Map<string, number>();
  #spent: readonly Spent[] = [];
  #serial = 0;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: LoadExchangeOptions) {
    this.#options = options;
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #wait(): void {
    if (!this.#isClosed) this.#cancel = this.#options.time.after(everyMs, () => void this.#exchange());
  }

  async #exchange(): Promise<void> {
    this.#serial++;
    this.#spent = [this.#options.take(), ...this.#spent].slice(0, repeated);
    const message: Message = { node: this.#node, serial: this.#serial, spent: this.#spent };
    try {
      const heard = await this.#options.share(JSON.stringify(message));
      if (!this.#isClosed) for (const text of heard) this.#hear(JSON.parse(text) as Message);
    } catch {
      // The database is not available, so no node can serve requests that would have to be reported.
    }
    this.#wait();
  }

  #hear({ node, serial, spent }: Message): void {
    if (node === this.#node) return;
    const news = serial - (this.#serials.get(node) ?? serial - 1);
    if (news <= 0) return;
    if (this.#serials.size >= nodesMax) this.#serials.clear();
    this.#serials.set(node, serial);
    for (const one of spent.slice(0, news)) this.#options.onSpent(one);
  }
}
