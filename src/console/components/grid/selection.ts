// Entities that the user chose. Copies are kept here, so entities stay chosen when their pages leave memory.

import { type Signal, signal } from '@preact/signals';
import type { EntityKey } from '../../../model/entity.ts';
import type { ShownEntity } from '../../client/edm.ts';
import type { EntityPages } from './entity-pages.ts';

export const entityId = ({ partitionKey, rowKey }: EntityKey): string => JSON.stringify([partitionKey, rowKey]);

export class Selection {
  readonly chosen: Signal<ReadonlyMap<string, ShownEntity>> = signal(new Map());
  /** The row that was toggled last: a range begins there. */
  #anchor = 0;

  toggle(index: number, entity: ShownEntity): void {
    const id = entityId(entity);
    const chosen = new Map(this.chosen.peek());
    if (!chosen.delete(id)) chosen.set(id, entity);
    this.#anchor = index;
    this.chosen.value = chosen;
  }

  /** Chooses the rows from the one that was toggled last up to this one. */
  extendTo(index: number, pages: EntityPages): void {
    const chosen = new Map(this.chosen.peek());
    const [first, last] = [Math.min(this.#anchor, index), Math.max(this.#anchor, index)];
    for (let at = first; at <= last; at++) {
      const entity = pages.row(at);
      if (entity) chosen.set(entityId(entity), entity);
    }
    this.chosen.value = chosen;
  }

  /** Whether none, some or all rows in memory are chosen. Also `some` if all chosen rows have left memory. */
  extent(pages: EntityPages): 'none' | 'some' | 'all' {
    const chosen = this.chosen.peek();
    if (chosen.size === 0) return 'none';
    for (const [, entity] of pages.loaded()) if (!chosen.has(entityId(entity))) return 'some';
    return 'all';
  }

  /** Chooses all rows in memory. If all are chosen already, chooses none. Returns how many are chosen now. */
  toggleAll(pages: EntityPages): number {
    const all = [...pages.loaded()].map(([, entity]) => [entityId(entity), entity] as const);
    this.chosen.value = this.extent(pages) === 'all' ? new Map() : new Map([...this.chosen.peek(), ...all]);
    return this.chosen.peek().size;
  }

  clear(): void {
    this.chosen.value = new Map();
  }

  remove(ids: ReadonlySet<string>): void {
    this.chosen.value = new Map([...this.chosen.peek()].filter(([id]) => !ids.has(id)));
  }
}
