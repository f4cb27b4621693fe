import type { Chain, Connector, Term, WrittenOperand } from './syntax.ts';

/**
 * The longest chain the grammar is given at once: odata-v4-parser takes a time that grows with the square of the text
 * (1 s for 1,000 terms), and short pieces share their shapes.
 */
export const termsPerPiece = 8;

/** The connector at which a chain falls into parts: its loosest. */
export function loosestConnector(chain: Chain): Connector {
  return chain.connectors.includes('or') ? 'or' : 'and';
}

interface Piece extends Chain {
  readonly terms: Term[];
  readonly connectors: Connector[];
}

/** A chain cut at some of its `connector`s. A piece is short, or has none of them left. */
export function cutChain(chain: Chain, connector: Connector): Chain[] {
  const pieces: Piece[] = [];
  for (const part of splitChain(chain, connector)) {
    const last = pieces.at(-1);
    if (last === undefined || last.terms.length + part.terms.length > termsPerPiece) {
      pieces.push(part);
      continue;
    }
    last.terms.push(...part.terms);
    last.connectors.push(connector, ...part.connectors);
  }
  return pieces;
}

function splitChain({ terms, connectors }: Chain, connector: Connector): Piece[] {
  let part: Piece = { terms: [], connectors: [] };
  const parts = [part];
  terms.forEach((term, index) => {
    const before = connectors[index - 1];
    if (before === connector) {
      part = { terms: [], connectors: [] };
      parts.push(part);
    } else if (before !== undefined) part.connectors.push(before);
    part.terms.push(term);
  });
  return parts;
}

/**
 * What the grammar gets to read for a chain: literals as parameter aliases, properties and groups under short names
 * (it refuses long ones, and takes `INF` for a number), `eq` for every comparison since all of them bind alike.
 */
export function shapeTextOf({ terms, connectors }: Chain): string {
  const counts = { '@p': 0, n: 0, g: 0 };
  const numberedName = (prefix: '@p' | 'n' | 'g'): string => `${prefix}${counts[prefix]++}`;
  const texts = terms.map((term, index) => {
    const operands = term.isOdd ? [numberedName('g')] : term.operands.map((operand) => numberedName(prefixOf(operand)));
    const before = index === 0 ? '' : `${connectors[index - 1]} `;
    return `${before}${term.nots > 0 ? 'not ' : ''}${operands.join(' eq ')}`;
  });
  return texts.join(' ');
}

function prefixOf(operand: WrittenOperand): '@p' | 'n' | 'g' {
  if (operand.kind === 'literal') return '@p';
  return operand.kind === 'property' ? 'n' : 'g';
}
