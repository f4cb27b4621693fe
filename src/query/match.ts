// Evaluates a filter over a block of entities, column by column.
//
// The service's logic has three values: comparing a property that an entity lacks gives NULL. This module needs only
// two values, because NULL always leads to the same result as FALSE: `not NULL` is TRUE, `NULL or FALSE` is FALSE, and
// an entity for which the filter is NULL is not selected. Evidence: recorded; the tests compare this module with the
// full three-valued truth tables.

import type { EdmValue } from '../model/edm.ts';
import type { EntityRecord } from '../model/entity.ts';
import { propertyFinder } from '../model/properties.ts';
import { parseDateTime } from '../model/ticks.ts';
import {
  asHalves,
  asNumber,
  asText,
  type ComparedLiteral,
  equal,
  greater,
  holds,
  less,
  literalOf,
  type Order,
  type Outcomes,
  unordered,
} from './cell-order.ts';
import { type Column, ColumnBuilder, cellTypes, uniformTypeOf } from './column.ts';
import type { Comparison, Filter } from './filter.ts';

/** For each entity: 1 if the filter selects it, otherwise 0. */
export type Selected = Uint8Array;

/** Evaluates a filter over `count` entities. A property without a column is absent from all entities. */
export type Matcher = (columns: ReadonlyMap<string, Column>, count: number) => Selected;

/** Prepares a filter for any number of blocks. Its literals are converted only once, to the forms that cells have. */
export function matcherOf(filter: Filter): Matcher {
  switch (filter.kind) {
    case 'constant':
      return (_columns, count) => new Uint8Array(count).fill(filter.value ? 1 : 0);
    case 'not': {
      const matchTerm = matcherOf(filter.term);
      return (columns, count) => inverted(matchTerm(columns, count));
    }
    case 'and':
    case 'or': {
      const matchTerms = filter.terms.map(matcherOf);
      const combine = filter.kind === 'and' ? conjoin : disjoin;
      return (columns, count) => matchTerms.map((matchTerm) => matchTerm(columns, count)).reduce(combine);
    }
    case 'property':
      return (columns, count) => matchTrue(columns.get(filter.name), count);
    case 'comparison':
      return comparisonMatcher(filter);
  }
}

export function matchColumns(filter: Filter, columns: ReadonlyMap<string, Column>, count: number): Selected {
  return matcherOf(filter)(columns, count);
}

/** The names of the properties in a filter. */
export function propertiesOf(filter: Filter, names = new Set<string>()): Set<string> {
  switch (filter.kind) {
    case 'not':
      return propertiesOf(filter.term, names);
    case 'and':
    case 'or':
      for (const term of filter.terms) propertiesOf(term, names);
      return names;
    case 'property':
      return names.add(filter.name);
    case 'comparison':
      return names.add(filter.property);
    case 'constant':
      return names;
  }
}

function inverted(selected: Selected): Selected {
  for (let at = 0; at < selected.length; at++) selected[at] = selected[at] === 0 ? 1 : 0;
  return selected;
}

function conjoin(into: Selected, other: Selected): Selected {
  for (let at = 0; at < into.length; at++) if (other[at] === 0) into[at] = 0;
  return into;
}

function disjoin(into: Selected, other: Selected): Selected {
  for (let at = 0; at < into.length; at++) if (other[at] === 1) into[at] = 1;
  return into;
}

/** A property as a condition. A value of a type other than Edm.Boolean selects nothing. Evidence: recorded. */
function matchTrue(column: Column | undefined, count: number): Selected {
  const selected = new Uint8Array(count);
  if (!column) return selected;
  for (let at = 0; at < count; at++) {
    if (column.types[at] === cellTypes['Edm.Boolean'] && column.numbers[at] === 1) selected[at] = 1;
  }
  return selected;
}

function comparisonMatcher({ property, operator, value }: Comparison): Matcher {
  const literal = literalOf(value);
  const outcomes = holds[operator];
  return (columns, count) => {
    const column = columns.get(property);
    return column ? matchColumn(column, literal, outcomes) : new Uint8Array(count);
  };
}

function matchColumn(column: Column, literal: ComparedLiteral, outcomes: Outcomes): Selected {
  const type = uniformTypeOf(column);
  if (type === 0) return matchMixed(column, literal, outcomes);
  switch (literal.forms[type]) {
    case asNumber:
      return matchNumbers(column.numbers, literal.number, outcomes);
    case asHalves:
      return matchHalves(column, literal, outcomes);
    case asText:
      return matchTextCells(column.texts, literal.text, outcomes);
    default:
      return new Uint8Array(column.types.length).fill(outcomes[less]);
  }
}

function matchNumbers(numbers: Float64Array, number: number, outcomes: Outcomes): Selected {
  const selected = new Uint8Array(numbers.length);
  if (outcomes === holds.eq) {
    // Most cells differ from the literal, and their results stay 0.
    for (let at = 0; at < numbers.length; at++) if (numbers[at] === number) selected[at] = 1;
    return selected;
  }
  const [ifLess, ifEqual, ifGreater, ifUnordered] = outcomes;
  for (let at = 0; at < numbers.length; at++) {
    const cell = numbers[at] as number;
    selected[at] = cell < number ? ifLess : cell > number ? ifGreater : cell === number ? ifEqual : ifUnordered;
  }
  return selected;
}

function matchHalves({ numbers, lows }: Column, { upper, lower }: ComparedLiteral, outcomes: Outcomes): Selected {
  const selected = new Uint8Array(numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    selected[at] = outcomes[orderOfHalves(numbers[at] as number, lows[at] as number, upper, lower)];
  }
  return selected;
}

function matchTextCells(texts: readonly string[], text: string, outcomes: Outcomes): Selected {
  const selected = new Uint8Array(texts.length);
  const [ifLess, ifEqual, ifGreater] = outcomes;
  const isEquality = ifLess === ifGreater;
  for (let at = 0; at < texts.length; at++) {
    const cell = texts[at] as string;
    // V8 compares for equality faster than for order, and most texts are unequal.
    selected[at] = cell === text ? ifEqual : isEquality || cell < text ? ifLess : ifGreater;
  }
  return selected;
}

function matchMixed({ types, numbers, lows, texts }: Column, literal: ComparedLiteral, outcomes: Outcomes): Selected {
  const { forms, number, upper, lower, text } = literal;
  const selected = new Uint8Array(types.length);
  for (let at = 0; at < types.length; at++) {
    const type = types[at] as number;
    if (type === 0) continue;
    let order: Order = less;
    switch (forms[type]) {
      case asNumber:
        order = orderOfNumbers(numbers[at] as number, number);
        break;
      case asHalves:
        order = orderOfHalves(numbers[at] as number, lows[at] as number, upper, lower);
        break;
      case asText:
        order = orderOfTexts(texts[at] as string, text);
        break;
    }
    selected[at] = outcomes[order];
  }
  return selected;
}

function orderOfNumbers(cell: number, number: number): Order {
  return cell < number ? less : cell > number ? greater : cell === number ? equal : unordered;
}

function orderOfHalves(cellUpper: number, cellLower: number, upper: number, lower: number): Order {
  if (cellUpper !== upper) return cellUpper < upper ? less : greater;
  return cellLower === lower ? equal : cellLower < lower ? less : greater;
}

function orderOfTexts(cell: string, text: string): Order {
  return cell === text ? equal : cell < text ? less : greater;
}

/** Whether a filter selects this one entity. */
export function matchesEntity(filter: Filter, entity: EntityRecord): boolean {
  const columns = new Map<string, Column>();
  for (const name of propertiesOf(filter)) {
    const column = new ColumnBuilder(1);
    const value = propertyOf(entity, name);
    if (value) column.set(0, value);
    columns.set(name, column);
  }
  return matchColumns(filter, columns, 1)[0] === 1;
}

function propertyOf({ partitionKey, rowKey, timestamp, properties }: EntityRecord, name: string): EdmValue | undefined {
  switch (name) {
    case 'PartitionKey':
      return { type: 'Edm.String', value: partitionKey };
    case 'RowKey':
      return { type: 'Edm.String', value: rowKey };
    case 'Timestamp': {
      const ticks = parseDateTime(timestamp);
      return ticks === undefined ? undefined : { type: 'Edm.DateTime', value: ticks };
    }
    default:
      return propertyFinder(name)(properties);
  }
}

/** Evaluates a filter over the values of one string property. */
export function matchTexts(filter: Filter, name: string, texts: readonly string[]): Selected {
  const column = new ColumnBuilder(texts.length);
  for (const [at, value] of texts.entries()) column.set(at, { type: 'Edm.String', value });
  return matchColumns(filter, new Map([[name, column]]), texts.length);
}
