import { Parser } from 'odata-v4-parser';
import type { Connector } from './syntax.ts';

/** How `and` and `or` group the terms of a chain; a number is the index of a term in the chain. */
export type TermTree = number | { readonly connector: Connector; readonly branches: readonly TermTree[] };

/**
 * The length of the longest chain that is passed to odata-v4-parser. The parser's time grows with the square of the
 * length. Chains of up to eight terms have only 255 different sequences of `and` and `or`, so the trees of all these
 * sequences can be cached (ADR 0006).
 */
export const parsedTermsMax = 8;

/** The tree of the chain that has these connectors. */
export type ReadTermTree = (connectors: readonly Connector[]) => TermTree;

export function createTermTreeReader(): ReadTermTree {
  const parsedTrees = new Map<string, TermTree>();
  return (connectors) => {
    if (connectors.length === 0) return 0;
    if (connectors.length >= parsedTermsMax) return splitTermTree(connectors);
    const key = connectors.join();
    const tree = parsedTrees.get(key) ?? parseTermTree(connectors);
    parsedTrees.set(key, tree);
    return tree;
  };
}

/** The tree as odata-v4-parser reads it from a text such as `t0 and t1 or t2`. */
export function parseTermTree(connectors: readonly Connector[]): TermTree {
  return treeOf(new Parser().filter(['t0', ...connectors.map((connector, at) => `${connector} t${at + 1}`)].join(' ')));
}

/** The members of a node of odata-v4-parser that are used here. */
interface GrammarNode {
  readonly type: string;
  readonly value: unknown;
  readonly raw: string;
}

function treeOf({ type, value, raw }: GrammarNode): TermTree {
  if (type !== 'AndExpression' && type !== 'OrExpression') return Number(raw.slice(1));
  const { left, right } = value as { left: GrammarNode; right: GrammarNode };
  return join(type === 'AndExpression' ? 'and' : 'or', [treeOf(left), treeOf(right)]);
}

/** Builds the tree without odata-v4-parser: `and` binds tighter than `or`. Evidence: recorded. */
export function splitTermTree(connectors: readonly Connector[]): TermTree {
  const alternatives = [[0]];
  connectors.forEach((connector, index) => {
    if (connector === 'or') alternatives.push([index + 1]);
    else alternatives.at(-1)?.push(index + 1);
  });
  return join(
    'or',
    alternatives.map((terms) => join('and', terms)),
  );
}

/** Both connectors are associative: a branch of the same connector becomes part of its parent. */
function join(connector: Connector, trees: readonly TermTree[]): TermTree {
  const [only] = trees;
  if (only !== undefined && trees.length === 1) return only;
  const branches = trees.flatMap((tree) =>
    typeof tree === 'object' && tree.connector === connector ? tree.branches : tree,
  );
  return { connector, branches };
}
