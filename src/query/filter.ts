import type { EdmValue } from '../model/edm.ts';

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

/**
 * A `$filter` that was understood: frozen data, types checked. `and` and `or` never hold a node of their own kind and
 * have at least two terms.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | Comparison
  /** A property that stands alone: true where it is an Edm.Boolean and true. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: boolean };

/** One property against one literal; a literal on the left was mirrored. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly property: string;
  readonly operator: ComparisonOperator;
  readonly value: EdmValue;
}
