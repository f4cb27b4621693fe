import type { Filter } from './filter.ts';
import { notBoolean, unknownFunction } from './filter-faults.ts';
import { compare, connect, mayBeBoolean, negate, type Operand, refused, toCondition, typeOf } from './operands.ts';
import { cutChain, loosestConnector, shapeTextOf, termsPerPiece } from './pieces.ts';
import type { Shape, ShapeCache } from './shape.ts';
import type { Chain, Term, WrittenOperand } from './syntax.ts';

export interface BindOptions {
  /** Types of the properties that every row has; all others are open. */
  readonly declared: ReadonlyMap<string, string>;
  readonly shapes: ShapeCache;
}

/**
 * The typed tree of a filter. Throws InvalidInput where types do not fit, and only then NotImplemented for what the
 * service does not do.
 */
export function bindFilter(chain: Chain, options: BindOptions): Filter {
  const operand = new Binder(options).bindChain(chain);
  if (!mayBeBoolean(typeOf(operand))) throw notBoolean();
  const filter = toCondition(operand);
  if (filter instanceof Error) throw filter;
  return filter;
}

/** Recursive by parentheses, which are bounded by then. */
class Binder {
  readonly #declared: ReadonlyMap<string, string>;
  readonly #shapes: ShapeCache;

  constructor({ declared, shapes }: BindOptions) {
    this.#declared = declared;
    this.#shapes = shapes;
  }

  bindChain(chain: Chain): Operand {
    if (chain.terms.length <= termsPerPiece) return this.#bindShape(this.#shapeOf(chain), chain.terms);
    const connector = loosestConnector(chain);
    const operands = cutChain(chain, connector).flatMap((piece) => {
      if (piece.terms.length > termsPerPiece) return [this.bindChain(piece)];
      const shape = this.#shapeOf(piece);
      const parts = shape.kind === connector ? shape.terms : [shape];
      return parts.map((part) => this.#bindShape(part, piece.terms));
    });
    return connect(connector, operands);
  }

  #shapeOf(chain: Chain): Shape {
    return this.#shapes.read(shapeTextOf(chain));
  }

  #bindShape(shape: Shape, terms: readonly Term[]): Operand {
    switch (shape.kind) {
      case 'term': {
        const term = terms[shape.index];
        return term === undefined ? refused() : this.#bindTerm(term);
      }
      case 'not':
        return negate(this.#bindShape(shape.term, terms));
      case 'and':
      case 'or':
        return connect(
          shape.kind,
          shape.terms.map((part) => this.#bindShape(part, terms)),
        );
    }
  }

  /** A term but for its first `not`, which its shape has. */
  #bindTerm(term: Term): Operand {
    let operand = this.#bindComparison(term);
    for (let nots = term.nots; nots > 1; nots--) operand = negate(operand);
    return operand;
  }

  #bindComparison({ operands, operator, isOdd }: Term): Operand {
    const [left = refused(), right] = operands.map((operand) => this.#bindOperand(operand));
    if (isOdd) return refused();
    return operator === undefined || right === undefined ? left : compare(left, operator, right);
  }

  #bindOperand(operand: WrittenOperand): Operand {
    switch (operand.kind) {
      case 'literal':
        return operand;
      case 'property':
        return { kind: 'property', name: operand.name, type: this.#declared.get(operand.name) };
      case 'group':
        return this.bindChain(operand.chain);
      case 'call':
        for (const argument of operand.arguments) this.bindChain(argument);
        if (!functions.has(operand.name)) throw unknownFunction(operand.name);
        return refused();
    }
  }
}

/** Those of OData 3 (OData Version 3.0 URL Conventions, 10.2.3.4); the service has none of them. Evidence: recorded. */
const functions: ReadonlySet<string> = new Set([
  ...['substringof', 'endswith', 'startswith', 'length', 'indexof', 'replace', 'substring', 'tolower', 'toupper'],
  ...['trim', 'concat', 'day', 'hour', 'minute', 'month', 'second', 'year', 'round', 'floor', 'ceiling'],
  ...['isof', 'cast'],
]);
