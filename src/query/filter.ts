import type { EdmValue } from '../model/edm.ts';

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

/**
 * A parsed and type-checked `$filter`, as frozen data. `and` and `or` have at least two terms. No term of an `and` is
 * an `and`, and no term of an `or` is an `or`.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | Comparison
  /** A property as a condition: true if it is an Edm.Boolean and true. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: boolean };

/** A property compared with a literal; a literal on the left has been mirrored to the right. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly property: string;
  readonly operator: ComparisonOperator;
  readonly value: EdmValue;
}
