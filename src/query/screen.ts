// Tells from the bounds of a block's columns that a filter selects none of its entities, so that the block can be passed
// over: what Parquet does with the statistics of row groups, and PostgreSQL with BRIN. It decides most blocks of a scan where
// values are near each other that belong to neighbouring keys: numbers, times, names that begin alike.

import { asHalves, asNumber, equal, greater, holds, less, literalOf, type Outcomes } from './cell-order.ts';
import { type Bounds, type Column, cellTypes } from './column.ts';
import type { Comparison, Filter } from './filter.ts';

/** False if the filter selects no entity of a block with these columns; true if it may. */
export type Screen = (columns: ReadonlyMap<string, Column>) => boolean;

/** The screen of a filter; its literals are brought into the forms of cells once, for any number of blocks. */
export function screenOf(filter: Filter): Screen {
  switch (filter.kind) {
    case 'constant':
      return () => filter.value;
    case 'not':
      // What may select some entities may leave out some, too.
      return () => true;
    case 'and': {
      const screens = filter.terms.map(screenOf);
      return (columns) => screens.every((maySelect) => maySelect(columns));
    }
    case 'or': {
      const screens = filter.terms.map(screenOf);
      return (columns) => screens.some((maySelect) => maySelect(columns));
    }
    case 'property':
      return (columns) => mayBeTrue(columns.get(filter.name));
    case 'comparison':
      return comparisonScreen(filter);
  }
}

function mayBeTrue(column: Column | undefined): boolean {
  if (!column) return false;
  if (column.uniformType === 0) return true;
  return column.uniformType === cellTypes['Edm.Boolean'] && column.bounds?.most !== 0;
}

function comparisonScreen({ property, operator, value }: Comparison): Screen {
  const literal = literalOf(value);
  const outcomes = holds[operator];
  return (columns) => {
    const column = columns.get(property);
    if (!column) return false;
    if (column.uniformType === 0) return true;
    const form = literal.forms[column.uniformType];
    if (form === 0) return outcomes[less] === 1;
    if (!column.bounds || Number.isNaN(literal.number)) return true;
    const limit = form === asNumber ? literal.number : form === asHalves ? literal.upper : literal.text;
    return mayHold(column.bounds, { limit, isExact: form !== asHalves }, outcomes);
  };
}

interface Limit {
  readonly limit: number | string;
  /** False if equal values may be on either side of the literal: only their upper halves are known to be equal. */
  readonly isExact: boolean;
}

function mayHold({ least, most }: Bounds, { limit, isExact }: Limit, outcomes: Outcomes): boolean {
  const isInside = least <= limit && limit <= most;
  if (isInside && (!isExact || outcomes[equal] === 1)) return true;
  return (outcomes[less] === 1 && least < limit) || (outcomes[greater] === 1 && most > limit);
}
