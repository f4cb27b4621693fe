// Keeps the properties of a limited number of entities, as last read or written. The advisor compares a replacement
// with these properties to find out what the replacement changes.

import type { EntityKey } from '../model/entity.ts';
import type { Mutation } from '../model/mutation.ts';
import { encodeProperties, type Properties, type PropertiesText, splitProperties } from '../model/properties.ts';
import type { ReplacementChange, Table } from './observation.ts';

const entitiesMax = 512;
/** Entities with a longer text are not kept. */
const charsMax = 8_192;

export class KnownEntities {
  readonly #texts = new Map<string, PropertiesText>();

  remember(table: Table, key: EntityKey, text: PropertiesText): void {
    const name = nameOf(table, key);
    this.#texts.delete(name);
    if (text.length > charsMax) return;
    if (this.#texts.size >= entitiesMax) this.#texts.delete(this.#texts.keys().next().value as string);
    this.#texts.set(name, text);
  }

  forget(table: Table, key: EntityKey): void {
    this.#texts.delete(nameOf(table, key));
  }

  /** What a replacement changes. Undefined if the earlier entity is not kept. */
  changeBy(table: Table, mutation: Exclude<Mutation, { readonly kind: 'delete' }>): ReplacementChange | undefined {
    const known = this.#texts.get(nameOf(table, mutation));
    return known === undefined ? undefined : changeOf(known, mutation.properties);
  }

  clear(): void {
    // The advisor calls this method for every write that it only counts. `clear` of a Map allocates memory even if the
    // map is empty, so the check avoids needless allocations.
    if (this.#texts.size > 0) this.#texts.clear();
  }
}

const nameOf = ({ account, name }: Table, { partitionKey, rowKey }: EntityKey): string =>
  `${account}/${name}/${partitionKey}\0${rowKey}`;

function changeOf(known: PropertiesText, sent: Properties): ReplacementChange {
  const before = new Map(splitProperties(known).map(({ name, text }) => [name, text]));
  let changed = 0;
  for (const [name, value] of sent) {
    if (before.get(name) !== encodeProperties(new Map([[name, value]]))) changed++;
    before.delete(name);
  }
  return { properties: sent.size, changed, dropped: before.size };
}
