// What an emulator has spent of the targets since it last said so, for the other nodes over the same data; and its wire form.

import { parsePartitionName, partitionName } from './partition-name.ts';

/** Units spent at one place. Without a table they count for the account alone. */
export interface SpentPart {
  readonly table?: string;
  /** A key of the range; with `isPartition` the partition itself. */
  readonly partitionKey: string;
  readonly units: number;
  readonly isPartition: boolean;
}

/** By account. */
export type Spent = readonly (readonly [account: string, parts: readonly SpentPart[]])[];

/** Places that are counted apart; units at any other count for their account alone. */
const placesMax = 4_096;
/** Bytes of the texts of one message, about. */
const charsMax = 64 * 1024;

export class SpentUnits {
  readonly #accounts = new Map<string, AccountSpent>();
  #places = 0;

  /** What one account spends. */
  account(name: string): AccountSpent {
    const known = this.#accounts.get(name) ?? new AccountSpent(() => this.#places++ < placesMax);
    this.#accounts.set(name, known);
    return known;
  }

  /** Everything since the last call. */
  take(): Spent {
    const room = { chars: charsMax };
    const spent = [...this.#accounts].map(([name, account]) => [name, account.take(room)] as const);
    this.#places = 0;
    this.#accounts.clear();
    return spent.filter(([, parts]) => parts.length > 0);
  }
}

/** Units of one account. An object that was taken counts on into the next message only if it is asked for again. */
export class AccountSpent {
  readonly #mayAdd: () => boolean;
  readonly #partitions = new Map<string, number>();
  readonly #ranges = new Map<string, number>();
  #elsewhere = 0;

  constructor(mayAdd: () => boolean) {
    this.#mayAdd = mayAdd;
  }

  /** Units that count for the account alone. */
  add(units: number): void {
    this.#elsewhere += units;
  }

  addAt(table: string, { partitionKey, units, isPartition }: Omit<SpentPart, 'table'>): void {
    const places = isPartition ? this.#partitions : this.#ranges;
    const name = partitionName(table, partitionKey);
    const known = places.get(name);
    if (known === undefined && !this.#mayAdd()) this.add(units);
    else places.set(name, (known ?? 0) + units);
  }

  /** The heaviest places that there is room for. */
  take(room: { chars: number }): SpentPart[] {
    const parts: SpentPart[] = [];
    let rest = this.#elsewhere;
    for (const [isPartition, places] of [[true, this.#partitions] as const, [false, this.#ranges] as const]) {
      for (const [name, units] of [...places].sort(([, a], [, b]) => b - a)) {
        room.chars -= name.length;
        if (room.chars < 0) rest += units;
        else parts.push({ ...parsePartitionName(name), units, isPartition });
      }
    }
    if (rest > 0) parts.push({ partitionKey: '', units: rest, isPartition: false });
    return parts;
  }
}
