import { ServiceError } from '../model/service-error.ts';
import type { Filter } from './filter.ts';
import { notBoolean, placed, unknownFunction } from './filter-faults.ts';
import { compare, connect, mayBeBoolean, negate, type Operand, refused, toCondition, typeOf } from './operands.ts';
import type { Chain, OperandSyntax, Term } from './syntax.ts';
import type { ReadTermTree, TermTree } from './term-tree.ts';

export interface BindOptions {
  /** Types of the properties that every row has. Every other property may have any type. */
  readonly declared: ReadonlyMap<string, string>;
  readonly readTermTree: ReadTermTree;
}

/**
 * Turns the syntax of a filter into a tree with types. Throws InvalidInput for operands whose types do not match. If
 * all types match, throws NotImplemented for an expression that the service does not implement.
 */
export function bindFilter(chain: Chain, options: BindOptions): Filter {
  const operand = new Binder(options).bindChain(chain);
  if (!mayBeBoolean(typeOf(operand))) throw notBoolean();
  const filter = toCondition(operand);
  if (filter instanceof Error) throw filter;
  return filter;
}

/** Recurses into parentheses. The syntax parser limits their depth. */
class Binder {
  readonly #declared: ReadonlyMap<string, string>;
  readonly #readTermTree: ReadTermTree;

  constructor({ declared, readTermTree }: BindOptions) {
    this.#declared = declared;
    this.#readTermTree = readTermTree;
  }

  bindChain({ terms, connectors }: Chain): Operand {
    return this.#bindTree(this.#readTermTree(connectors), terms);
  }

  #bindTree(tree: TermTree, terms: readonly Term[]): Operand {
    if (typeof tree === 'object') {
      return connect(
        tree.connector,
        tree.branches.map((branch) => this.#bindTree(branch, terms)),
      );
    }
    const term = terms[tree];
    return term === undefined ? refused() : this.#bindTerm(term);
  }

  /** A refusal gets the place of the innermost term that it is about. */
  #bindTerm(term: Term): Operand {
    try {
      const operand = this.#bindNegations(term);
      return operand.kind === 'refused' ? { ...operand, fault: placed(operand.fault, term) } : operand;
    } catch (error) {
      throw error instanceof ServiceError ? placed(error, term) : error;
    }
  }

  #bindNegations(term: Term): Operand {
    let operand = this.#bindComparison(term);
    for (let nots = term.nots; nots > 0; nots--) operand = negate(operand);
    return operand;
  }

  #bindComparison({ operands, operator, isUnsupported }: Term): Operand {
    const [left = refused(), right] = operands.map((operand) => this.#bindOperand(operand));
    if (isUnsupported) return refused();
    return operator === undefined || right === undefined ? left : compare(left, operator, right);
  }

  #bindOperand(operand: OperandSyntax): Operand {
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

/**
 * The functions of OData 3 (OData Version 3.0 URL Conventions, 10.2.3.4). The service implements none of them.
 * Evidence: recorded.
 */
const functions: ReadonlySet<string> = new Set([
  ...['substringof', 'endswith', 'startswith', 'length', 'indexof', 'replace', 'substring', 'tolower', 'toupper'],
  ...['trim', 'concat', 'day', 'hour', 'minute', 'month', 'second', 'year', 'round', 'floor', 'ceiling'],
  ...['isof', 'cast'],
]);
