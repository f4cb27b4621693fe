// Collects the units that this emulator has spent since its last message to the nodes with which it shares data. Also
// defines how the message represents these units.

import { parsePartitionName, partitionName } from './partition-name.ts';

/** Units spent at one place. Without a table they count only for the account. */
export interface SpentPart {
  readonly table?: string;
  /** With `isPartition`, the key of the partition. Otherwise, any key in the range. */
  readonly partitionKey: string;
  readonly units: number;
  readonly isPartition: boolean;
}

/** The units spent, by account. */
export type Spent = readonly (readonly [account: string, parts: readonly SpentPart[]])[];

/** The most places counted separately. Units at further places count only for their account. */
const placesMax = 4_096;
/** The approximate size of the texts in one message. */
const charsMax = 64 * 1024;

export class SpentUnits {
  readonly #accounts = new Map<string, AccountSpent>();
  #places = 0;

  /** The record of the units that one account spends. */
  account(name: string): AccountSpent {
    const known = this.#accounts.get(name) ?? new AccountSpent(() => this.#places++ < placesMax);
    this.#accounts.set(name, known);
    return known;
  }

  /** Returns the units spent since the last call. */
  take(): Spent {
    const room = { chars: charsMax };
    const spent = [...this.#accounts].map(([name, account]) => [name, account.take(room)] as const);
    this.#places = 0;
    this.#accounts.clear();
    return spent.filter(([, parts]) => parts.length > 0);
  }
}

/** Units of one account. After `SpentUnits.take`, get a new object: units added to an old one are not sent. */
export class AccountSpent {
  readonly #mayAdd: () => boolean;
  readonly #partitions = new Map<string, number>();
  readonly #ranges = new Map<string, number>();
  #elsewhere = 0;

  constructor(mayAdd: () => boolean) {
    this.#mayAdd = mayAdd;
  }

  /** Adds units that count only for the account. */
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

  /**
   * Returns the units of each place: first the partitions, then the ranges. Within the partitions and within the
   * ranges, the places with the most units come first. When the names no longer fit in `room`, the units of all further
   * places count only for the account.
   */
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
