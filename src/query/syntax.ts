import type { ComparisonOperator } from './filter.ts';
import { comparisonsMax, filterCharsMax, nestingMax } from './filter-bounds.ts';
import {
  closingOrCommaExpected,
  closingOrOperatorExpected,
  expressionExpected,
  nestedTooDeep,
  syntaxError,
  tooLong,
} from './filter-faults.ts';
import { createLexer, type Token } from './lexer.ts';
import type { Literal } from './literals.ts';

export type Connector = 'and' | 'or';

/** Terms in the order written; `connectors[i]` stands between `terms[i]` and `terms[i + 1]`. */
export interface Chain {
  readonly terms: readonly Term[];
  readonly connectors: readonly Connector[];
}

/** What stands between `and` and `or`. */
export interface Term {
  /** How often `not` stands before it. */
  readonly nots: number;
  /** One; two around a comparison; any number where the term is odd. */
  readonly operands: readonly WrittenOperand[];
  readonly operator: ComparisonOperator | undefined;
  /** Arithmetic, a comparison of a comparison, a sign before what is no number: syntax that no filter here can use. */
  readonly isOdd: boolean;
}

export type WrittenOperand =
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'group'; readonly chain: Chain }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Chain[] };

/**
 * Reads a filter's text down to its parentheses and terms, in one pass without recursion. Throws InvalidInput at the
 * first thing that is no syntax, in the order in which it stands in the text, and beyond the bounds of a filter.
 */
export function readSyntax(text: string): Chain {
  if (text.length > filterCharsMax) throw tooLong();
  const next = createLexer(text);
  const reader = new SyntaxReader(text);
  for (;;) {
    const whole = reader.read(next());
    if (whole !== undefined) return whole;
  }
}

const comparisonOperators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);
const arithmeticOperators: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod']);
const isComparison = (word: string): word is ComparisonOperator => comparisonOperators.has(word);

interface TermBeingRead {
  nots: number;
  operands: WrittenOperand[];
  operator: ComparisonOperator | undefined;
  isOdd: boolean;
}

/** What an open parenthesis, or the text itself, holds so far. */
interface Frame {
  readonly kind: 'text' | 'group' | 'call';
  readonly name: string;
  readonly arguments: Chain[];
  terms: TermBeingRead[];
  connectors: Connector[];
  term: TermBeingRead;
}

const emptyTerm = (): TermBeingRead => ({ nots: 0, operands: [], operator: undefined, isOdd: false });

function openFrame(kind: Frame['kind'], name = ''): Frame {
  return { kind, name, arguments: [], terms: [], connectors: [], term: emptyTerm() };
}

class SyntaxReader {
  readonly #text: string;
  #frame = openFrame('text');
  readonly #outer: Frame[] = [];
  #expectsOperand = true;
  /** The function whose parenthesis comes next. */
  #called: string | undefined;
  #comparisons = 0;
  #nots = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole filter once the end was read. */
  read(token: Token): Chain | undefined {
    if (this.#expectsOperand) {
      this.#readOperand(token);
      return undefined;
    }
    if (token.kind === 'end' && this.#frame.kind === 'text') return this.#endChain();
    this.#readOperator(token);
    return undefined;
  }

  #readOperand(token: Token): void {
    if (token.kind === 'literal') this.#addOperand({ kind: 'literal', literal: token.literal });
    else if (token.kind === 'word') this.#readWord(token.word, token.opensCall);
    else if (token.kind === 'symbol') this.#readSymbol(token.symbol, token.start);
    else throw expressionExpected(token.start, this.#text);
  }

  #readWord(word: string, opensCall: boolean): void {
    if (word === 'not') this.#addNot();
    else if (opensCall) this.#called = word;
    else this.#addOperand({ kind: 'property', name: word });
  }

  #readSymbol(symbol: string, start: number): void {
    const { kind, arguments: read, terms, term } = this.#frame;
    const isEmpty = read.length + terms.length + term.operands.length + term.nots === 0 && !term.isOdd;
    if (symbol === '(') this.#open();
    else if (symbol === '-') term.isOdd = true;
    else if (symbol === ')' && kind === 'call' && isEmpty) this.#close();
    else throw expressionExpected(start, this.#text);
  }

  #readOperator(token: Token): void {
    const { term, connectors, kind } = this.#frame;
    if (token.kind === 'word' && (token.word === 'and' || token.word === 'or')) {
      this.#endTerm();
      connectors.push(token.word);
    } else if (token.kind === 'word' && isComparison(token.word)) {
      if (term.operator !== undefined) term.isOdd = true;
      term.operator = token.word;
    } else if (token.kind === 'word' && arithmeticOperators.has(token.word)) {
      term.isOdd = true;
    } else if (token.kind === 'symbol' && token.symbol === ',' && kind === 'call') {
      this.#frame.arguments.push(this.#endChain());
    } else if (token.kind === 'symbol' && token.symbol === ')' && kind !== 'text') {
      this.#close();
      return;
    } else throw this.#noOperator(token);
    this.#expectsOperand = true;
  }

  #noOperator({ start, end }: Token): Error {
    switch (this.#frame.kind) {
      case 'text':
        return syntaxError(end, this.#text);
      case 'group':
        return closingOrOperatorExpected(start, this.#text);
      case 'call':
        return closingOrCommaExpected(start, this.#text);
    }
  }

  #addNot(): void {
    const { term } = this.#frame;
    if (term.operands.length > 0) {
      term.isOdd = true;
      return;
    }
    term.nots += 1;
    this.#nots += 1;
    if (this.#nots > nestingMax) throw nestedTooDeep();
  }

  #addOperand(operand: WrittenOperand): void {
    const { operands } = this.#frame.term;
    if (operands.length === 0 && operand.kind !== 'group') this.#comparisons += 1;
    if (this.#comparisons > comparisonsMax) throw tooLong();
    operands.push(operand);
    this.#expectsOperand = false;
  }

  #open(): void {
    this.#outer.push(this.#frame);
    if (this.#outer.length > nestingMax) throw nestedTooDeep();
    this.#frame = openFrame(this.#called === undefined ? 'group' : 'call', this.#called);
    this.#called = undefined;
  }

  #close(): void {
    const { kind, name, arguments: read } = this.#frame;
    if (this.#frame.term.operands.length > 0) read.push(this.#endChain());
    const [chain] = read;
    this.#frame = this.#outer.pop() ?? this.#frame;
    if (kind === 'group' && chain !== undefined) this.#addOperand({ kind, chain });
    else this.#addOperand({ kind: 'call', name, arguments: read });
  }

  #endTerm(): void {
    const { terms, term } = this.#frame;
    this.#nots -= term.nots;
    terms.push(term);
    this.#frame.term = emptyTerm();
  }

  #endChain(): Chain {
    this.#endTerm();
    const { terms, connectors } = this.#frame;
    this.#frame.terms = [];
    this.#frame.connectors = [];
    return { terms, connectors };
  }
}
