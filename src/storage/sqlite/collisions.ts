import type { EntityKey } from '../../model/entity.ts';
import { tableLookup } from '../../model/table-name.ts';

/**
 * Counts transactions that met: on arrival one found an entity of its own in another that was still waiting for its
 * commit. They run one after the other all the same; in production one of them would often have failed.
 */
export class Collisions {
  #count = 0;
  /** How many waiting transactions want an entity. */
  readonly #wanted = new Map<string, number>();

  get count(): number {
    return this.#count;
  }

  /** Resolves as the transaction does. */
  async watch<T>(table: string, keys: readonly EntityKey[], transaction: Promise<T>): Promise<T> {
    const lookup = tableLookup(table);
    const names = keys.map(({ partitionKey, rowKey }) => `${lookup}\u0000${partitionKey}\u0000${rowKey}`);
    if (names.some((name) => this.#wanted.has(name))) this.#count += 1;
    for (const name of names) this.#wanted.set(name, (this.#wanted.get(name) ?? 0) + 1);
    try {
      return await transaction;
    } finally {
      for (const name of names) this.#release(name);
    }
  }

  #release(name: string): void {
    const others = (this.#wanted.get(name) ?? 1) - 1;
    if (others === 0) this.#wanted.delete(name);
    else this.#wanted.set(name, others);
  }
}
