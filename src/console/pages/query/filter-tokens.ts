// The parts of a filter, as far as an editor needs them. The emulator parses filters and reports their errors.

export interface FilterToken {
  /** A `literal` may still lack its closing quotation mark. */
  readonly kind: 'literal' | 'operator' | 'connector' | 'name' | 'open' | 'close';
  readonly text: string;
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const pattern =
  /(?<text>(?:datetime|guid|binary|X)?'(?:[^']|'')*(?:'|$))|(?<number>-?\d[\w.+-]*)|(?<word>[\p{L}_][\p{L}\p{Nd}_]*)|(?<symbol>[()])/giu;
const operators = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
const connectors = new Set(['and', 'or', 'not']);

export function filterTokens(filter: string): readonly FilterToken[] {
  return [...filter.matchAll(pattern)].map(({ 0: text, index, groups }) => {
    const { word, symbol } = groups ?? {};
    return { kind: kindOf(word, symbol), text, start: index, end: index + text.length };
  });
}

function kindOf(word: string | undefined, symbol: string | undefined): FilterToken['kind'] {
  if (symbol !== undefined) return symbol === '(' ? 'open' : 'close';
  if (word === undefined || word === 'true' || word === 'false') return 'literal';
  if (operators.has(word)) return 'operator';
  return connectors.has(word) ? 'connector' : 'name';
}
