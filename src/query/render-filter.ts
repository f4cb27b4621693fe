import { hexOf } from '../model/binary.ts';
import { formatDouble } from '../model/double-text.ts';
import type { EdmValue } from '../model/edm.ts';
import { formatTicks } from '../model/ticks.ts';
import type { Filter } from './filter.ts';

/** The canonical text of a filter, with the fewest parentheses. Reading it gives the same tree. */
export function renderFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const isLooser = (term: Filter): boolean => filter.kind === 'and' && term.kind === 'or';
      return filter.terms.map((term) => inParentheses(term, isLooser(term))).join(` ${filter.kind} `);
    }
    case 'not':
      // The parentheses around a comparison only make the text clearer. Even without them, the service applies `not` to
      // the comparison, although the grammar of OData 3 applies `not` to the property.
      return `not ${inParentheses(filter.term, !['not', 'property', 'constant'].includes(filter.term.kind))}`;
    case 'comparison':
      return `${filter.property} ${filter.operator} ${renderLiteral(filter.value)}`;
    case 'property':
      return filter.name;
    case 'constant':
      return String(filter.value);
  }
}

function inParentheses(filter: Filter, isNeeded: boolean): string {
  return isNeeded ? `(${renderFilter(filter)})` : renderFilter(filter);
}

/** A value as a literal of a filter: `'O''Brien'`, `5L`, `datetime'2026-01-31T12:00:00Z'`. */
export function renderLiteral(edm: EdmValue): string {
  switch (edm.type) {
    case 'Edm.String':
      return `'${edm.value.replaceAll("'", "''")}'`;
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return String(edm.value);
    case 'Edm.Int64':
      return `${edm.value}L`;
    case 'Edm.Double':
      return formatDouble(edm.value).replace('Infinity', 'INF');
    case 'Edm.DateTime':
      return `datetime'${formatTicks(edm.value)}'`;
    case 'Edm.Guid':
      return `guid'${edm.value}'`;
    case 'Edm.Binary':
      return `X'${hexOf(edm.value)}'`;
  }
}
