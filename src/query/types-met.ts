// Collects the types that the properties in a filter have in the entities that a page visits. These types can show that
// a comparison is false for every entity. The types are recorded once per block of entities, not once per entity.

import { holds, less, literalOf } from './cell-order.ts';
import { absentBit, type Column, cellTypes } from './column.ts';
import type { Comparison, Filter } from './filter.ts';
import { propertiesOf } from './match.ts';

export class TypesMet {
  readonly #names: readonly string[];
  /** For each name, by its index: a bit for each type code, as in `Column.typeBits`. */
  readonly #bits: number[];

  constructor(filter: Filter) {
    this.#names = [...propertiesOf(filter)];
    this.#bits = this.#names.map(() => 0);
  }

  /**
   * Adds the columns on which the filter was evaluated for one block of entities. The block may contain more entities
   * than the page.
   */
  add(columns: ReadonlyMap<string, Column>): void {
    for (let at = 0; at < this.#names.length; at++) {
      const column = columns.get(this.#names[at] as string);
      this.#bits[at] = (this.#bits[at] as number) | (column?.typeBits ?? absentBit);
    }
  }

  of(name: string): MetTypes {
    const bits = this.#bits[this.#names.indexOf(name)] ?? 0;
    const types = typeNames.filter((type) => bits & (1 << cellTypes[type]));
    return { types, isEverywhere: (bits & absentBit) === 0 };
  }
}

export interface MetTypes {
  readonly types: readonly TypeName[];
  /** Whether every entity had the property. */
  readonly isEverywhere: boolean;
}

type TypeName = keyof typeof cellTypes;

const typeNames = Object.keys(cellTypes) as TypeName[];

/**
 * Returns the first comparison that no entity satisfies, because no type of the property fits the type of the literal.
 */
export function findNeverTrue(filter: Filter, met: Pick<TypesMet, 'of'>): Comparison | undefined {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const term of filter.terms) {
        const found = findNeverTrue(term, met);
        if (found) return found;
      }
      return undefined;
    case 'not':
      return findNeverTrue(filter.term, met);
    case 'comparison':
      return isNeverTrue(filter, met.of(filter.property)) ? filter : undefined;
    default:
      return undefined;
  }
}

/** A value of an incompatible type is less than any literal. */
function isNeverTrue({ operator, value }: Comparison, { types }: MetTypes): boolean {
  if (types.length === 0 || holds[operator][less] === 1) return false;
  const { forms } = literalOf(value);
  return types.every((type) => forms[cellTypes[type]] === 0);
}
