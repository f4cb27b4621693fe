// The value of a property can become a text in a key. This module finds what a filter implies about this text. It
// considers only the terms that `and` joins at the top level of the filter.

import type { EdmValue } from '../../model/edm.ts';
import type { Comparison, ComparisonOperator, Filter } from '../../query/filter.ts';
import type { ValueFormat } from './key-expression.ts';
import { keyValueText, NoKey, textTraitsOf } from './key-text.ts';

export type PropertyType = EdmValue['type'];

/** Returns the types that a property has in the entities of the sample. */
export type TypesOf = (property: string) => ReadonlySet<PropertyType>;

export interface Bound {
  readonly text: string;
  readonly isExclusive: boolean;
}

export interface KnownText {
  /** The text, if it is the same for every entity that the filter selects. */
  readonly equal?: string;
  readonly low?: Bound;
  readonly high?: Bound;
  readonly hasFixedWidth: boolean;
  /** The terms of the filter that say no more about the property than this knowledge does. */
  readonly covered: readonly Filter[];
}

type Term = Filter & (Comparison | { readonly kind: 'property' });

/** Returns undefined if no term limits the text. */
export function knownText(
  { property, format }: { readonly property: string; readonly format: ValueFormat },
  terms: readonly Filter[],
  types: ReadonlySet<PropertyType>,
): KnownText | undefined {
  const about = terms.filter((term): term is Term => isAbout(term, property));
  if (about.length === 0) return undefined;
  // The filter does not select entities in which the property has another type.
  const possible = [...types].filter((type) => about.every((term) => mayHold(term, type)));
  const known = possible.map((type) => textOfType(type, { property, format, about, isOnly: types.size === 1 }));
  const [first] = known;
  if (known.length === 1) return first;
  const isSame = first?.equal !== undefined && known.every((one) => one?.equal === first.equal);
  return isSame ? { equal: first.equal, hasFixedWidth: false, covered: [] } : undefined;
}

function isAbout(term: Filter, property: string): boolean {
  if (term.kind === 'property') return term.name === property;
  if (term.kind !== 'comparison' || term.property !== property || term.operator === 'ne') return false;
  // NaN is not less or greater than any number, so it gives no bound.
  return !Number.isNaN(term.value.value);
}

/**
 * Whether a term can be true for values of a type. A value whose type does not fit the literal counts as less than the
 * literal.
 */
function mayHold(term: Term, type: PropertyType): boolean {
  if (term.kind === 'property') return type === 'Edm.Boolean';
  if (widened(term.value, type)) return true;
  return term.operator === 'lt' || term.operator === 'le';
}

/**
 * Converts a literal to the type of a value, as the service does before it compares the literal with the value. Returns
 * undefined if the literal cannot be converted to this type. The service never converts the value.
 */
function widened(literal: EdmValue, type: PropertyType): EdmValue | undefined {
  if (literal.type === type) return literal;
  const isWhole = literal.type === 'Edm.Int32' || literal.type === 'Edm.Int64';
  if (isWhole && type === 'Edm.Double') return { type, value: Number(literal.value) };
  if (literal.type === 'Edm.Int32' && type === 'Edm.Int64') return { type, value: BigInt(literal.value) };
  return undefined;
}

interface About {
  readonly property: string;
  readonly format: ValueFormat;
  readonly about: readonly Term[];
  /** Whether the property has this type in all entities. */
  readonly isOnly: boolean;
}

function textOfType(type: PropertyType, { property, format, about, isOnly }: About): KnownText | undefined {
  const { order, isInjective, hasFixedWidth } = textTraitsOf(format, type);
  const covers = isOnly && isInjective;
  const read = (value: EdmValue): string | undefined => textOrNone(property, format, value);
  for (const term of about) {
    const value = equalValue(term, type);
    const equal = value && read(value);
    if (equal !== undefined) return { equal, hasFixedWidth, covered: covers ? [term] : [] };
  }
  if (order === 'none') return undefined;
  let [low, high]: [Bound | undefined, Bound | undefined] = [undefined, undefined];
  const covered: Filter[] = [];
  for (const term of about) {
    if (term.kind !== 'comparison') continue;
    const literal = widened(term.value, type);
    const bound = literal && boundOf(term.operator, literal, read);
    if (!bound) continue;
    const isLow = (term.operator === 'gt' || term.operator === 'ge') === (order === 'rising');
    if (isLow) low = narrower(low, bound, (a, b) => a > b);
    else high = narrower(high, bound, (a, b) => a < b);
    if (covers) covered.push(term);
  }
  if (!low && !high) return undefined;
  return { ...(low && { low }), ...(high && { high }), hasFixedWidth, covered };
}

function equalValue(term: Term, type: PropertyType): EdmValue | undefined {
  if (term.kind === 'property') return { type: 'Edm.Boolean', value: true };
  return term.operator === 'eq' ? widened(term.value, type) : undefined;
}

/**
 * Returns the bound that a comparison implies. For whole numbers and dates, an exclusive bound becomes an inclusive
 * bound at the adjacent value: `gt 5` becomes `ge 6`.
 */
function boundOf(
  operator: ComparisonOperator,
  literal: EdmValue,
  read: (value: EdmValue) => string | undefined,
): Bound | undefined {
  const step = operator === 'gt' ? 1 : operator === 'lt' ? -1 : 0;
  const nearest = step === 0 ? undefined : stepped(literal, step);
  const text = read(nearest ?? literal);
  return text === undefined ? undefined : { text, isExclusive: step !== 0 && nearest === undefined };
}

function stepped(value: EdmValue, step: 1 | -1): EdmValue | undefined {
  switch (value.type) {
    case 'Edm.Int32':
      return { type: value.type, value: value.value + step };
    case 'Edm.Int64':
    case 'Edm.DateTime':
      return { type: value.type, value: value.value + BigInt(step) };
    default:
      return undefined;
  }
}

function narrower(known: Bound | undefined, bound: Bound, isNarrower: (a: string, b: string) => boolean): Bound {
  if (!known) return bound;
  if (known.text === bound.text) return known.isExclusive ? known : bound;
  return isNarrower(bound.text, known.text) ? bound : known;
}

function textOrNone(property: string, format: ValueFormat, value: EdmValue): string | undefined {
  try {
    return keyValueText(property, format, value);
  } catch (error) {
    if (error instanceof NoKey) return undefined;
    throw error;
  }
}
