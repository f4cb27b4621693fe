import type { ComparisonOperator } from './filter.ts';
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

/** Terms in the order written; `connectors[i]` is between `terms[i]` and `terms[i + 1]`. */
export interface Chain {
  readonly terms: readonly Term[];
  readonly connectors: readonly Connector[];
}

/** One operand of `and` and `or`. */
export interface Term {
  /** The place of the term in the text, in UTF-16 units; `end` is one past the last. */
  readonly start: number;
  readonly end: number;
  /** The number of `not` in front of the term. */
  readonly nots: number;
  /** One operand, or the two operands of a comparison; any number if the term is unsupported. */
  readonly operands: readonly OperandSyntax[];
  readonly operator: ComparisonOperator | undefined;
  /** Valid OData that no filter of the service can use: arithmetic, a path, a comparison of a comparison. */
  readonly isUnsupported: boolean;
}

export type OperandSyntax =
  | { readonly kind: 'literal'; readonly literal: Literal }
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'group'; readonly chain: Chain }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Chain[] };

// With these bounds, reading any text takes only milliseconds. The bounds that Azure enforces are unknown: Azure
// documents a maximum of 15 comparisons, but accepts 51. Evidence: assumed.

/** The longest filter, in UTF-16 units. */
const filterCharsMax = 64 * 1024;
/** The most nested parentheses, and the most `not` whose operands are not complete. */
const nestingMax = 500;
/** The most comparisons and single operands. Groups in parentheses are not counted. */
const comparisonsMax = 2000;

/**
 * Parses the text of a filter into chains and terms, in one pass without recursion. Throws InvalidInput for the first
 * syntax error in the text, or if a bound is exceeded.
 */
export function parseSyntax(text: string): Chain {
  if (text.length > filterCharsMax) throw tooLong();
  const nextToken = createLexer(text);
  const parser = new SyntaxParser(text);
  for (;;) {
    const chain = parser.take(nextToken());
    if (chain !== undefined) return chain;
  }
}

const comparisonOperators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);
const arithmeticOperators: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod']);
const isComparison = (word: string): word is ComparisonOperator => comparisonOperators.has(word);

interface OpenTerm {
  /** -1 before its first token. */
  start: number;
  end: number;
  nots: number;
  operands: OperandSyntax[];
  operator: ComparisonOperator | undefined;
  isUnsupported: boolean;
}

/** What has been read so far of the text, or of the content of an open parenthesis. */
interface Frame {
  readonly kind: 'text' | 'group' | 'call';
  /** The name of the function that is called; otherwise empty. */
  readonly name: string;
  readonly arguments: Chain[];
  terms: OpenTerm[];
  connectors: Connector[];
  term: OpenTerm;
}

const emptyTerm = (): OpenTerm => ({
  start: -1,
  end: -1,
  nots: 0,
  operands: [],
  operator: undefined,
  isUnsupported: false,
});

function openFrame(kind: Frame['kind'], name = ''): Frame {
  return { kind, name, arguments: [], terms: [], connectors: [], term: emptyTerm() };
}

class SyntaxParser {
  readonly #text: string;
  #frame = openFrame('text');
  readonly #outerFrames: Frame[] = [];
  #expected: 'operand' | 'operator' | 'segment' = 'operand';
  /** The function whose opening parenthesis is the next token. */
  #calledFunction: string | undefined;
  #comparisons = 0;
  #openNots = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes the next token. Returns the entire filter after the token of the kind `end`. */
  take(token: Token): Chain | undefined {
    const { term } = this.#frame;
    if (term.start < 0) term.start = token.start;
    const chain = this.#read(token);
    // A closing parenthesis belongs to the term that it ends.
    this.#frame.term.end = token.end;
    return chain;
  }

  #read(token: Token): Chain | undefined {
    switch (this.#expected) {
      case 'operand':
        this.#takeOperand(token);
        return undefined;
      case 'segment':
        this.#takeSegment(token);
        return undefined;
      case 'operator':
        if (token.kind === 'end' && this.#frame.kind === 'text') return this.#endChain();
        this.#takeOperator(token);
        return undefined;
    }
  }

  #takeOperand(token: Token): void {
    if (token.kind === 'literal') this.#addOperand({ kind: 'literal', literal: token.literal });
    else if (token.kind === 'word') this.#takeWord(token.word, token.opensCall);
    else if (token.kind === 'symbol') this.#takeSymbol(token.symbol, token.start);
    else throw expressionExpected(token.start, this.#text);
  }

  #takeWord(word: string, opensCall: boolean): void {
    if (word === 'not') this.#addNot();
    else if (opensCall) this.#calledFunction = word;
    else this.#addOperand({ kind: 'property', name: word });
  }

  #takeSymbol(symbol: string, start: number): void {
    const { kind, arguments: parsed, terms, term } = this.#frame;
    const isEmpty = parsed.length + terms.length + term.operands.length + term.nots === 0 && !term.isUnsupported;
    if (symbol === '(') this.#open();
    else if (symbol === '-') term.isUnsupported = true;
    else if (symbol === ')' && kind === 'call' && isEmpty) this.#close();
    else throw expressionExpected(start, this.#text);
  }

  /** The text after the slash of a path. LINQ providers write `Age/HasValue` for a nullable member. */
  #takeSegment(token: Token): void {
    if (token.kind !== 'word') throw syntaxError(token, this.#text);
    if (token.opensCall) this.#calledFunction = token.word;
    this.#expected = token.opensCall ? 'operand' : 'operator';
  }

  #takeOperator(token: Token): void {
    const { term, connectors, kind } = this.#frame;
    this.#expected = 'operand';
    if (token.kind === 'word' && (token.word === 'and' || token.word === 'or')) {
      this.#endTerm();
      connectors.push(token.word);
    } else if (token.kind === 'word' && isComparison(token.word)) {
      if (term.operator !== undefined) term.isUnsupported = true;
      term.operator = token.word;
    } else if (token.kind === 'word' && arithmeticOperators.has(token.word)) {
      term.isUnsupported = true;
    } else if (token.kind === 'symbol' && token.symbol === '/') {
      term.isUnsupported = true;
      this.#expected = 'segment';
    } else if (token.kind === 'symbol' && token.symbol === ',' && kind === 'call') {
      this.#frame.arguments.push(this.#endChain());
    } else if (token.kind === 'symbol' && token.symbol === ')' && kind !== 'text') {
      this.#close();
    } else throw this.#operatorExpected(token);
  }

  #operatorExpected(token: Token): Error {
    const { start } = token;
    switch (this.#frame.kind) {
      case 'text':
        return syntaxError(token, this.#text);
      case 'group':
        return closingOrOperatorExpected(start, this.#text);
      case 'call':
        return closingOrCommaExpected(start, this.#text);
    }
  }

  #addNot(): void {
    const { term } = this.#frame;
    if (term.operands.length > 0) {
      term.isUnsupported = true;
      return;
    }
    term.nots += 1;
    this.#openNots += 1;
    if (this.#openNots > nestingMax) throw nestedTooDeep();
  }

  #addOperand(operand: OperandSyntax): void {
    const { operands } = this.#frame.term;
    if (operands.length === 0 && operand.kind !== 'group') this.#comparisons += 1;
    if (this.#comparisons > comparisonsMax) throw tooLong();
    operands.push(operand);
    this.#expected = 'operator';
  }

  #open(): void {
    this.#outerFrames.push(this.#frame);
    if (this.#outerFrames.length > nestingMax) throw nestedTooDeep();
    this.#frame = openFrame(this.#calledFunction === undefined ? 'group' : 'call', this.#calledFunction);
    this.#calledFunction = undefined;
  }

  #close(): void {
    const { kind, name, arguments: parsed } = this.#frame;
    if (this.#frame.term.operands.length > 0) parsed.push(this.#endChain());
    const [chain] = parsed;
    this.#frame = this.#outerFrames.pop() ?? this.#frame;
    if (kind === 'group' && chain !== undefined) this.#addOperand({ kind, chain });
    else this.#addOperand({ kind: 'call', name, arguments: parsed });
  }

  #endTerm(): void {
    const { terms, term } = this.#frame;
    this.#openNots -= term.nots;
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
