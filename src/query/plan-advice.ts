// Evidence: documented (Table design guide: Design for querying; index entities patterns).

import type { EdmValue } from '../model/edm.ts';
import { misspeltKey } from '../model/misspelt-key.ts';
import { cutMiddle, escapeControls } from '../model/printable-text.ts';
import type { Filter } from './filter.ts';
import { propertiesOf } from './match.ts';
import type { Plan } from './plan.ts';
import { renderLiteral } from './render-filter.ts';
import { findNeverTrue, type TypesMet } from './types-met.ts';

/** What a page found in the entities for which its filter was evaluated. */
export interface Seen {
  readonly visited: number;
  readonly typesMet?: Pick<TypesMet, 'of'> | undefined;
}

/** The probable mistake in a filter that the service accepts; undefined if there is none. */
export function filterRemark(filter: Filter | undefined, seen?: Seen): string | undefined {
  return filter && (misspeltKey(propertiesOf(filter)) ?? typeRemark(filter, seen));
}

/** "age is Edm.Int32 in all 20 visited entities; '2' is a string, so the comparison is never true" */
function typeRemark(filter: Filter, { visited, typesMet }: Seen = { visited: 0 }): string | undefined {
  const comparison = visited > 0 && typesMet && findNeverTrue(filter, typesMet);
  if (!comparison) return undefined;
  const { property, value } = comparison;
  const { types, isEverywhere } = typesMet.of(property);
  const number = visited.toLocaleString('en-US');
  const all = visited === 1 ? 'the visited entity' : `all ${number} visited entities`;
  const where = isEverywhere ? `in ${all}` : `in all of the ${number} visited entities that have it`;
  const literal = cutMiddle(renderLiteral(value), literalCharsMax);
  const sentence = `${property} is ${types.join(' or ')} ${where}; ${literal} is ${kinds[value.type]}, so the comparison is never true`;
  return escapeControls(sentence);
}

const literalCharsMax = 64;

const kinds: Readonly<Record<EdmValue['type'], string>> = {
  'Edm.String': 'a string',
  'Edm.Boolean': 'a Boolean',
  'Edm.Int32': 'an Int32',
  'Edm.Int64': 'an Int64',
  'Edm.Double': 'a Double',
  'Edm.DateTime': 'a DateTime',
  'Edm.Guid': 'a Guid',
  'Edm.Binary': 'Binary',
};

/**
 * Returns the probable mistake in the filter of a query. If the filter has no probable mistake, returns advice on how
 * to make the query cheaper, or undefined if Microsoft's design guide has no advice. `seen` describes the entities that
 * a page of the query has visited.
 */
export function planAdvice({ kind, bounds, residual }: Plan, seen?: Seen): string | undefined {
  const remark = filterRemark(residual, seen);
  if (remark !== undefined) return remark;
  const isAlternative = residual && choosesAmongKeys(residual);
  switch (kind) {
    case 'point':
    case 'range':
      return undefined;
    case 'partition scan':
      return isAlternative
        ? '`or` over RowKey scans the partition: send a point query for each key, in parallel'
        : 'bound RowKey as well (eq, or ge and lt), so that less than the whole partition is visited';
    case 'table scan':
      if (isAlternative) return '`or` over keys scans the table: send a query for each key, in parallel';
      if (bounds.length > 0) return 'pin PartitionKey with eq: send a query for each partition, in parallel';
      return `add a condition PartitionKey eq '…', or keep a second table keyed by ${firstProperty(residual)}`;
  }
}

/** Whether an `or` lists keys. */
function choosesAmongKeys(filter: Filter): boolean {
  switch (filter.kind) {
    case 'or':
      return filter.terms.every(hasKeyEquality);
    case 'and':
      return filter.terms.some(choosesAmongKeys);
    default:
      return false;
  }
}

function hasKeyEquality(filter: Filter): boolean {
  switch (filter.kind) {
    case 'comparison':
      return filter.operator === 'eq' && isKey(filter.property);
    case 'and':
      return filter.terms.some(hasKeyEquality);
    case 'or':
      return filter.terms.every(hasKeyEquality);
    default:
      return false;
  }
}

function firstProperty(filter: Filter | undefined): string {
  const names = filter ? [...propertiesOf(filter)] : [];
  return names.find((name) => name !== 'PartitionKey') ?? 'the property you look for';
}

const isKey = (name: string): boolean => name === 'PartitionKey' || name === 'RowKey';
