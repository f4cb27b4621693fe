// Compares a cell of a column with a literal of a filter.

import { latin1Of } from '../model/binary.ts';
import type { EdmValue } from '../model/edm.ts';
import { cellTypes, lowerHalf, upperHalf } from './column.ts';
import type { ComparisonOperator } from './filter.ts';

/** The order of two values. NaN is unordered. */
export const less = 0;
export const equal = 1;
export const greater = 2;
export const unordered = 3;
export type Order = 0 | 1 | 2 | 3;

export type Outcomes = readonly [ifLess: number, ifEqual: number, ifGreater: number, ifUnordered: number];

/** For each order of property and literal, whether the operator holds. Evidence: recorded; assumed (NaN). */
export const holds: Readonly<Record<ComparisonOperator, Outcomes>> = {
  eq: [0, 1, 0, 0],
  ne: [1, 0, 1, 1],
  lt: [1, 0, 0, 0],
  le: [1, 1, 0, 0],
  gt: [0, 0, 1, 0],
  ge: [0, 1, 1, 0],
};

/**
 * A literal in each of the forms in which it can be compared with a cell. The service widens the literal to the type of
 * the property, never the reverse. A cell of an incompatible type is less than the literal, whatever value the cell
 * has. Evidence: recorded.
 */
export interface ComparedLiteral {
  /** How a cell is compared, by its type code: `asNumber`, `asHalves` or `asText`; 0 for an incompatible type. */
  readonly forms: Uint8Array;
  readonly number: number;
  readonly upper: number;
  readonly lower: number;
  readonly text: string;
}

export const asNumber = 1;
export const asHalves = 2;
export const asText = 3;

export function literalOf(edm: EdmValue): ComparedLiteral {
  const forms = new Uint8Array(9);
  let [number, upper, lower, text] = [0, 0, 0, ''];
  switch (edm.type) {
    case 'Edm.String':
    case 'Edm.Guid':
      forms[cellTypes[edm.type]] = asText;
      text = edm.value;
      break;
    case 'Edm.Binary':
      forms[cellTypes[edm.type]] = asText;
      text = latin1Of(edm.value);
      break;
    case 'Edm.Int32':
    case 'Edm.Int64':
      forms[cellTypes['Edm.Int64']] = asHalves;
      forms[cellTypes['Edm.Double']] = asNumber;
      if (edm.type === 'Edm.Int32') forms[cellTypes[edm.type]] = asNumber;
      [number, upper, lower] = [Number(edm.value), upperHalf(BigInt(edm.value)), lowerHalf(BigInt(edm.value))];
      break;
    case 'Edm.DateTime':
      forms[cellTypes[edm.type]] = asHalves;
      [upper, lower] = [upperHalf(edm.value), lowerHalf(edm.value)];
      break;
    default:
      forms[cellTypes[edm.type]] = asNumber;
      number = Number(edm.value);
  }
  return { forms, number, upper, lower, text };
}
