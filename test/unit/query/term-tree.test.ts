import fc from 'fast-check';
import { Parser } from 'odata-v4-parser';
import { describe, expect, it } from 'vitest';
import type { ComparisonOperator, Filter } from '../../../src/query/filter.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import type { Connector } from '../../../src/query/syntax.ts';
import { createTermTreeReader, parsedTermsMax, parseTermTree, splitTermTree } from '../../../src/query/term-tree.ts';
import { and, comparison, flattened, int, not, or, text } from './filters.ts';

const connectorsOf = (words: string): Connector[] => words.split(' ').filter((word) => word !== '') as Connector[];
const connector = fc.constantFrom<Connector>('and', 'or');

describe('The tree of a chain', () => {
  it.each([
    ['', 0],
    ['and', { connector: 'and', branches: [0, 1] }],
    ['or or', { connector: 'or', branches: [0, 1, 2] }],
    ['and or', { connector: 'or', branches: [{ connector: 'and', branches: [0, 1] }, 2] }],
    ['or and', { connector: 'or', branches: [0, { connector: 'and', branches: [1, 2] }] }],
    [
      'and or or and and',
      {
        connector: 'or',
        branches: [{ connector: 'and', branches: [0, 1] }, 2, { connector: 'and', branches: [3, 4, 5] }],
      },
    ],
  ])('of %j binds `and` tighter than `or`', (words, tree) => {
    expect(createTermTreeReader()(connectorsOf(words))).toEqual(tree);
  });

  it('is the same from odata-v4-parser and from splitting, for every chain that is given to the parser', () => {
    const chains = Array.from({ length: parsedTermsMax }, (_, length) =>
      Array.from({ length: 2 ** length }, (_entry, bits) =>
        Array.from({ length }, (_bit, at): Connector => ((bits >> at) & 1 ? 'and' : 'or')),
      ),
    ).flat();
    expect(chains).toHaveLength(255);
    for (const chain of chains) expect(parseTermTree(chain), chain.join(' ')).toEqual(splitTermTree(chain));
  });

  it('is the same from both, for longer chains too', () => {
    fc.assert(
      fc.property(fc.array(connector, { minLength: parsedTermsMax, maxLength: 40 }), (chain) => {
        expect(createTermTreeReader()(chain)).toEqual(parseTermTree(chain));
      }),
    );
  });

  it('is parsed only once for all chains with the same connectors', () => {
    const read = createTermTreeReader();
    expect(read(['and', 'or'])).toBe(read(['and', 'or']));
  });
});

interface GrammarNode {
  readonly type: string;
  readonly raw: string;
  readonly value: GrammarNode & { readonly left: GrammarNode; readonly right: GrammarNode };
}

const operators: Record<string, ComparisonOperator> = {
  EqualsExpression: 'eq',
  NotEqualsExpression: 'ne',
  LesserThanExpression: 'lt',
  LesserOrEqualsExpression: 'le',
  GreaterThanExpression: 'gt',
  GreaterOrEqualsExpression: 'ge',
};

/** The filter for a text that odata-v4-parser alone has parsed completely. */
function filterOf({ type, raw, value }: GrammarNode): Filter {
  const operator = operators[type];
  if (operator) return comparison(value.left.raw, operator, literalOf(value.right.raw));
  if (/^\w+$/.test(raw)) return { kind: 'property', name: raw };
  switch (type) {
    case 'AndExpression':
      return and(filterOf(value.left), filterOf(value.right));
    case 'OrExpression':
      return or(filterOf(value.left), filterOf(value.right));
    case 'NotExpression':
      return not(filterOf(value));
    case 'BoolParenExpression':
    case 'CommonExpression':
    case 'ParenExpression':
      return filterOf(value);
    default:
      throw new Error(`${type}: ${raw}`);
  }
}

function literalOf(raw: string) {
  if (raw.startsWith("'")) return text(raw.slice(1, -1).replaceAll("''", "'"));
  return /^-?\d+$/.test(raw) ? int(Number(raw)) : ({ type: 'Edm.Boolean', value: raw === 'true' } as const);
}

// Terms that have the same meaning in OData 4 and in the service's filters. A `not` and its operand are in parentheses,
// because odata-v4-parser applies `not` to everything after it.
const leaf = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('A', 'Bc', 'PartitionKey'),
      fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
      fc.constantFrom("'x'", "'it''s'", "' and ('", "''"),
    )
    .map((words) => words.join(' ')),
  fc
    .tuple(
      fc.constantFrom('Age', 'D_1'),
      fc.constantFrom('eq', 'ge'),
      fc.constantFrom('5', '-17', '0', 'true', 'false'),
    )
    .map((words) => words.join(' ')),
  fc.constantFrom('Flag', 'n1'),
);
const { chain } = fc.letrec<{ chain: string; term: string }>((tie) => ({
  chain: fc
    .tuple(tie('term'), fc.array(fc.tuple(connector, tie('term')), { maxLength: 5 }))
    .map(([first, rest]) => [first, ...rest.flat()].join(' ')),
  term: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'chain' },
    leaf,
    leaf,
    tie('chain').map((inner) => `(${inner})`),
    tie('chain').map((inner) => `(not (${inner}))`),
  ),
}));

describe('A filter that is valid in OData 4', () => {
  it('is parsed in the same way as by odata-v4-parser alone', () => {
    const { readFilter } = createFilterReader();
    const parser = new Parser();
    fc.assert(
      fc.property(chain, (written) => {
        expect(readFilter(written)).toEqual(flattened(filterOf(parser.filter(written) as GrammarNode)));
      }),
    );
  });
});
