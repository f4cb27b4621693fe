// Applies the operators of a filter to typed operands. Types are checked as ODataLib's binder checks them. An
// expression that the binder accepts but the service cannot execute becomes a `refused` operand. The refusal comes
// later, because a type error further to the right takes precedence.

import type { EdmValue } from '../model/edm.ts';
import type { ServiceError } from '../model/service-error.ts';
import type { ComparisonOperator, Filter } from './filter.ts';
import {
  incompatibleOperand,
  incompatibleOperands,
  notImplemented,
  nullCompared,
  nullNotOrdered,
} from './filter-faults.ts';
import type { Literal } from './literals.ts';
import type { Connector } from './syntax.ts';

export type Operand =
  | { readonly kind: 'literal'; readonly literal: Literal }
  /** `type` is undefined for an open property, because its type depends on the entity. */
  | { readonly kind: 'property'; readonly name: string; readonly type: string | undefined }
  | { readonly kind: 'condition'; readonly filter: Filter }
  /** Valid, but not implemented by the service. `type` is undefined if it is not known. */
  | { readonly kind: 'refused'; readonly fault: ServiceError; readonly type: string | undefined };

const boolean = 'Edm.Boolean';

/** The type of an operand; undefined if the operand fits every type. */
export function typeOf(operand: Operand): string | undefined {
  if (operand.kind === 'condition') return boolean;
  if (operand.kind !== 'literal') return operand.type;
  return operand.literal.type === 'null' ? undefined : operand.literal.type;
}

export function mayBeBoolean(type: string | undefined): boolean {
  return type === undefined || type === boolean;
}

export function refused(fault = notImplemented(), type?: string): Operand {
  return { kind: 'refused', fault, type };
}

/**
 * Returns the operand as a condition, or the error with which the service refuses the operand. The caller must have
 * checked the type of the operand.
 */
export function toCondition(operand: Operand): Filter | ServiceError {
  switch (operand.kind) {
    case 'condition':
      return operand.filter;
    case 'property':
      return Object.freeze({ kind: 'property', name: operand.name });
    case 'refused':
      return operand.fault;
    case 'literal': {
      const { literal } = operand;
      return literal.type === boolean ? Object.freeze({ kind: 'constant', value: literal.value }) : notImplemented();
    }
  }
}

/**
 * Joins at least two operands. ODataLib joins them from the left. An error about the third or a later operand therefore
 * names `Edm.Boolean` as the type of the left operand.
 */
export function connect(kind: Connector, operands: readonly Operand[]): Operand {
  checkConnected(kind, operands);
  const terms: Filter[] = [];
  for (const operand of operands) {
    const condition = toCondition(operand);
    if (condition instanceof Error) return refused(condition, boolean);
    if (condition.kind === kind) terms.push(...condition.terms);
    else terms.push(condition);
  }
  return { kind: 'condition', filter: Object.freeze({ kind, terms: Object.freeze(terms) }) };
}

function checkConnected(kind: Connector, [first, ...others]: readonly Operand[]): void {
  let left = first && typeOf(first);
  for (const operand of others) {
    const right = typeOf(operand);
    if (!mayBeBoolean(left) || !mayBeBoolean(right)) {
      throw incompatibleOperands({ left, right, operatorKind: kind === 'and' ? 'And' : 'Or' });
    }
    left = boolean;
  }
}

export function negate(operand: Operand): Operand {
  const type = typeOf(operand);
  if (type !== undefined && !mayBeBoolean(type)) throw incompatibleOperand(type, 'Not');
  const term = toCondition(operand);
  if (term instanceof Error) return refused(term, boolean);
  return { kind: 'condition', filter: Object.freeze({ kind: 'not', term }) };
}

const operatorKinds: Readonly<Record<ComparisonOperator, string>> = {
  eq: 'Equal',
  ne: 'NotEqual',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
};

const mirrored: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};

export function compare(left: Operand, operator: ComparisonOperator, right: Operand): Operand {
  const operatorKind = operatorKinds[operator];
  const isOrdered = operator !== 'eq' && operator !== 'ne';
  if (isOrdered && (isNull(left) || isNull(right))) throw nullNotOrdered(operatorKind);
  const types = { left: typeOf(left), right: typeOf(right) };
  if (!comparable(types.left, types.right)) throw incompatibleOperands({ ...types, operatorKind });
  if (left.kind === 'property' && right.kind === 'literal') return compareTo(left.name, operator, right.literal);
  if (left.kind === 'literal' && right.kind === 'property') {
    return compareTo(right.name, mirrored[operator], left.literal);
  }
  return refused(notImplemented(), boolean);
}

function isNull(operand: Operand): boolean {
  return operand.kind === 'literal' && operand.literal.type === 'null';
}

function compareTo(property: string, operator: ComparisonOperator, literal: Literal): Operand {
  if (literal.type === 'null') return refused(nullCompared(), boolean);
  if (!isStorable(literal)) return refused(notImplemented(), boolean);
  const filter = Object.freeze({ kind: 'comparison', property, operator, value: Object.freeze(literal) } as const);
  return { kind: 'condition', filter };
}

/**
 * Whether a property can have the type of the literal. No property is a Single, Decimal or Time. Evidence: assumed (a
 * filter with such a literal is not implemented).
 */
function isStorable(literal: Exclude<Literal, { type: 'null' }>): literal is EdmValue {
  return literal.type !== 'Edm.Single' && literal.type !== 'Edm.Decimal' && literal.type !== 'Edm.Time';
}

/** The numeric promotions of ODataLib, for the types that a filter can name. Evidence: assumed. */
function comparable(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined || left === right) return true;
  if (!numeric.has(left) || !numeric.has(right)) return false;
  return (left !== 'Edm.Decimal' && right !== 'Edm.Decimal') || (!floating.has(left) && !floating.has(right));
}

const numeric: ReadonlySet<string> = new Set(['Edm.Int32', 'Edm.Int64', 'Edm.Single', 'Edm.Double', 'Edm.Decimal']);
const floating: ReadonlySet<string> = new Set(['Edm.Single', 'Edm.Double']);
