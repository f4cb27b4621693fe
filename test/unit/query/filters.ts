import fc from 'fast-check';
import type { EdmValue } from '../../../src/model/edm.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import type { Comparison, ComparisonOperator, Filter } from '../../../src/query/filter.ts';
import { edmValue, propertyName } from '../../support/arbitrary-values.ts';

export function comparison(property: string, operator: ComparisonOperator, value: EdmValue): Comparison {
  return { kind: 'comparison', property, operator, value };
}

export const int = (value: number): EdmValue => ({ type: 'Edm.Int32', value });
export const text = (value: string): EdmValue => ({ type: 'Edm.String', value });
/** The comparison `name eq 1`. */
export const one = (name: string): Comparison => comparison(name, 'eq', int(1));
export const not = (term: Filter): Filter => ({ kind: 'not', term });
export const and = (...terms: Filter[]): Filter => ({ kind: 'and', terms });
export const or = (...terms: Filter[]): Filter => ({ kind: 'or', terms });

/** The refusal that a call throws, as `status code stage: message`. */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.status} ${error.code} ${error.stage}: ${error.message}`;
  }
  return 'nothing refused';
}

/** The same tree, in which no `and` or `or` directly contains another of its kind. */
export function flattened(filter: Filter): Filter {
  if (filter.kind === 'not') return not(flattened(filter.term));
  if (filter.kind !== 'and' && filter.kind !== 'or') return filter;
  const terms = filter.terms.map(flattened);
  return { kind: filter.kind, terms: terms.flatMap((term) => (term.kind === filter.kind ? term.terms : [term])) };
}

const words = new Set(['not', 'null', 'true', 'false', 'NaN', 'INF', 'PartitionKey', 'RowKey', 'Timestamp']);
const openName = propertyName.filter((name) => !words.has(name));
const operator = fc.constantFrom<ComparisonOperator>('eq', 'ne', 'lt', 'le', 'gt', 'ge');
const extremes = fc.constantFrom<EdmValue>(
  { type: 'Edm.Int64', value: -(2n ** 63n) },
  { type: 'Edm.Int64', value: 2n ** 63n - 1n },
  { type: 'Edm.Double', value: Number.NaN },
  { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY },
  { type: 'Edm.Double', value: -0 },
  { type: 'Edm.String', value: "''' and '" },
);

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.tuple(openName, operator, fc.oneof(edmValue, extremes)).map((parts) => comparison(...parts)),
  fc
    .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, fc.string().map(text))
    .map((parts) => comparison(...parts)),
  openName.map((name): Filter => ({ kind: 'property', name })),
  fc.boolean().map((value): Filter => ({ kind: 'constant', value })),
);

const tree = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('filter').map(not),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('filter'), { minLength: 2, maxLength: 12 }))
      .map(([kind, terms]): Filter => ({ kind, terms })),
  ),
}));

export const anyFilter = tree.filter.map(flattened);
