// Derives conditions on keys from a filter on properties. The conditions hold for every entity that the filter selects,
// so a query may add them to the filter. If the conditions on the keys are equivalent to a term of the filter, the
// query may leave out this term.

import type { Comparison, ComparisonOperator, Filter } from '../../query/filter.ts';
import type { BucketPart, KeyExpression, KeyPart } from './key-expression.ts';
import { bucketName, bucketText, NoKey } from './key-text.ts';
import { type KnownText, knownText, type TypesOf } from './known-values.ts';

export interface KeyConditions {
  readonly conditions: readonly Comparison[];
  readonly isEqual: boolean;
  /** The terms of the filter that the conditions can replace. */
  readonly covered: readonly Filter[];
}

export interface KeyConditionsOptions {
  readonly name: 'PartitionKey' | 'RowKey';
  readonly terms: readonly Filter[];
  readonly typesOf: TypesOf;
  /** Chooses the bucket of a hashed property if the filter does not determine it. */
  readonly chosenBucket?: ((part: BucketPart) => number) | undefined;
}

/**
 * Returns the first text that sorts after all texts with the prefix. Returns undefined if no such text exists, or if a
 * filter cannot contain the text.
 */
export function textAfter(prefix: string): string | undefined {
  const last = prefix.charCodeAt(prefix.length - 1);
  if (prefix === '' || last === 0xffff) return undefined;
  const after = prefix.slice(0, -1) + String.fromCharCode(last + 1);
  return /\p{Surrogate}/u.test(after) ? undefined : after;
}

export function keyConditions({ parts }: KeyExpression, options: KeyConditionsOptions): KeyConditions {
  const { name } = options;
  const variables = parts.filter(({ kind }) => kind !== 'literal').length;
  const covered: Filter[] = [];
  let prefix = '';
  for (const [at, part] of parts.entries()) {
    const known = textOfPart(part, options);
    if (known?.equal === undefined) {
      const isLast = at === parts.length - 1;
      const bounds = boundsOf(prefix, known, isLast);
      const isCovered = variables === 1 && isLast;
      return {
        conditions: bounds.map(({ operator, text }) => comparison(name, operator, text)),
        isEqual: false,
        covered: isCovered ? (known?.covered ?? []) : [],
      };
    }
    prefix += known.equal;
    covered.push(...known.covered);
  }
  return {
    conditions: [comparison(name, 'eq', prefix)],
    isEqual: true,
    // If the key joins several values, different values may give the same text, so the terms must stay.
    covered: variables === 1 ? covered : [],
  };
}

function textOfPart(part: KeyPart, { terms, typesOf, chosenBucket }: KeyConditionsOptions): KnownText | undefined {
  switch (part.kind) {
    case 'literal':
      return { equal: part.text, hasFixedWidth: true, covered: [] };
    case 'value':
      return knownText(part, terms, typesOf(part.property));
    case 'bucket': {
      const equal = bucketOf(part, terms, typesOf) ?? (chosenBucket && bucketName(chosenBucket(part), part.buckets));
      return equal === undefined ? undefined : { equal, hasFixedWidth: true, covered: [] };
    }
  }
}

/**
 * Returns the bucket of the value that the filter requires for the property. Returns undefined if the filter does not
 * determine the value.
 */
function bucketOf(part: BucketPart, terms: readonly Filter[], typesOf: TypesOf): string | undefined {
  const plain = { property: part.property, format: { kind: 'plain' } } as const;
  const equal = knownText(plain, terms, typesOf(part.property))?.equal;
  if (equal === undefined) return undefined;
  try {
    return bucketText(part, { type: 'Edm.String', value: equal });
  } catch (error) {
    if (error instanceof NoKey) return undefined;
    throw error;
  }
}

/** Whether the filter determines the bucket. */
export const isBucketKnown = (part: BucketPart, { terms, typesOf }: Omit<KeyConditionsOptions, 'name'>): boolean =>
  bucketOf(part, terms, typesOf) !== undefined;

interface TextBound {
  readonly operator: ComparisonOperator;
  readonly text: string;
}

/** The bounds of the keys that consist of the prefix, a text within the known bounds, and any text after that. */
function boundsOf(prefix: string, known: KnownText | undefined, isLast: boolean): readonly TextBound[] {
  const bounds: TextBound[] = [];
  const { low, high, hasFixedWidth = false } = known ?? {};
  if (low) bounds.push({ operator: low.isExclusive && isLast ? 'gt' : 'ge', text: prefix + low.text });
  else if (prefix !== '') bounds.push({ operator: 'ge', text: prefix });
  const end = high && endOf(prefix + high.text, { isExclusive: high.isExclusive, isLast, hasFixedWidth });
  const after = textAfter(prefix);
  if (end) bounds.push(end);
  else if (after !== undefined) bounds.push({ operator: 'lt', text: after });
  return bounds;
}

interface End {
  readonly isExclusive: boolean;
  readonly isLast: boolean;
  readonly hasFixedWidth: boolean;
}

/**
 * Returns the upper bound of the keys that begin with `text`, or with a beginning that sorts before `text`. If the
 * beginning has no fixed width and is not the complete key, there is no upper bound, and the result is undefined. For
 * example, the beginning `ab` sorts before `abc`. But the key `abz`, which continues `ab` with `z`, sorts after `abc`.
 */
function endOf(text: string, { isExclusive, isLast, hasFixedWidth }: End): TextBound | undefined {
  if (isLast) return { operator: isExclusive ? 'lt' : 'le', text };
  if (!hasFixedWidth) return undefined;
  if (isExclusive) return { operator: 'lt', text };
  const after = textAfter(text);
  return after === undefined ? undefined : { operator: 'lt', text: after };
}

function comparison(property: string, operator: ComparisonOperator, text: string): Comparison {
  return { kind: 'comparison', property, operator, value: { type: 'Edm.String', value: text } };
}
