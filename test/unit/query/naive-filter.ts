// Implements the service's filter logic in its simplest form, for one entity at a time: with three truth values, a
// table for each connective, and a rule for each pair of types. Tests compare the evaluation by columns with this
// evaluation.

import { hexOf } from '../../../src/model/binary.ts';
import type { EdmValue } from '../../../src/model/edm.ts';
import type { Comparison, Filter } from '../../../src/query/filter.ts';

/** Returns the value of a property, including system properties. Undefined if the entity does not have it. */
export type ValueOf = (name: string) => EdmValue | undefined;

type Truth = 'true' | 'false' | 'null';

export function selects(filter: Filter, read: ValueOf): boolean {
  return truthOf(filter, read) === 'true';
}

function truthOf(filter: Filter, read: ValueOf): Truth {
  switch (filter.kind) {
    case 'constant':
      return filter.value ? 'true' : 'false';
    case 'property': {
      const value = read(filter.name);
      if (value === undefined) return 'null';
      return value.type === 'Edm.Boolean' && value.value ? 'true' : 'false';
    }
    case 'not':
      return truthOf(filter.term, read) === 'true' ? 'false' : 'true';
    case 'and':
      return filter.terms.map((term) => truthOf(term, read)).reduce((a, b) => andTable[a][b]);
    case 'or':
      return filter.terms.map((term) => truthOf(term, read)).reduce((a, b) => orTable[a][b]);
    case 'comparison':
      return comparisonTruth(filter, read(filter.property));
  }
}

const andTable: Record<Truth, Record<Truth, Truth>> = {
  true: { true: 'true', false: 'false', null: 'null' },
  false: { true: 'false', false: 'false', null: 'false' },
  null: { true: 'null', false: 'false', null: 'null' },
};

const orTable: Record<Truth, Record<Truth, Truth>> = {
  true: { true: 'true', false: 'true', null: 'true' },
  false: { true: 'true', false: 'false', null: 'false' },
  null: { true: 'true', false: 'false', null: 'null' },
};

function comparisonTruth({ operator, value: literal }: Comparison, value: EdmValue | undefined): Truth {
  if (value === undefined) return 'null';
  const pair = comparable(value, literal);
  // For a mismatch of types, eq and the two greater-than operators are false, and the others are true.
  if (!pair) return operator === 'ne' || operator === 'lt' || operator === 'le' ? 'true' : 'false';
  const [a, b] = pair;
  const outcome = { eq: a === b, ne: a !== b, lt: a < b, le: a <= b, gt: a > b, ge: a >= b }[operator];
  return outcome ? 'true' : 'false';
}

type Plain = string | number | bigint | boolean;

/** Both sides in the type of the property. Undefined if the literal cannot be widened to it. */
function comparable(value: EdmValue, literal: EdmValue): [Plain, Plain] | undefined {
  if (value.type === 'Edm.Binary' && literal.type === 'Edm.Binary') {
    return [hexOf(value.value), hexOf(literal.value)];
  }
  if (value.type === literal.type) return [value.value as Plain, literal.value as Plain];
  if (value.type === 'Edm.Int64' && literal.type === 'Edm.Int32') return [value.value, BigInt(literal.value)];
  if (value.type === 'Edm.Double' && literal.type === 'Edm.Int32') return [value.value, literal.value];
  if (value.type === 'Edm.Double' && literal.type === 'Edm.Int64') return [value.value, Number(literal.value)];
  return undefined;
}
