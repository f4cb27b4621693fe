import { Parser } from 'odata-v4-parser';
import type { Connector } from './syntax.ts';

/** How the terms of a piece of a filter hang together, whatever they are: `term` counts them in the order written. */
export type Shape =
  | { readonly kind: Connector; readonly terms: readonly Shape[] }
  | { readonly kind: 'not'; readonly term: Shape }
  | { readonly kind: 'term'; readonly index: number };

/** Shapes by their text (`n0 eq @p0 and not g0`), so that a program pays the grammar once for its filters. */
export interface ShapeCache {
  read(shapeText: string): Shape;
  /** How many are held. */
  readonly size: number;
  /** How often the grammar was asked. */
  readonly parsed: number;
}

/** Holds the `shapesMax` shapes that were read last. */
export function createShapeCache(shapesMax: number): ShapeCache {
  const shapes = new Map<string, Shape>();
  let parsed = 0;
  return {
    read(shapeText) {
      const known = shapes.get(shapeText);
      const shape = known ?? parseShape(shapeText);
      if (known === undefined) parsed += 1;
      shapes.delete(shapeText);
      shapes.set(shapeText, shape);
      if (shapes.size > shapesMax) shapes.delete(shapes.keys().next().value ?? '');
      return shape;
    },
    get size() {
      return shapes.size;
    },
    get parsed() {
      return parsed;
    },
  };
}

type Mark = Connector | 'not' | 'term';

/** The part of a node of odata-v4-parser's tree that is looked at. */
interface GrammarNode {
  readonly type: string;
  readonly value: unknown;
}

/** Throws a plain Error where the grammar refuses the text: whoever writes shapes is wrong then, not the client. */
function parseShape(shapeText: string): Shape {
  const marks: Mark[] = [];
  addMarks(new Parser().filter(shapeText), marks);
  return associate(marks);
}

// odata-v4-parser takes all that follows a `not` into it: `not a and b` comes out as `not (a and b)`. So its tree is
// laid out in the order written and put together anew.
function addMarks(node: GrammarNode, marks: Mark[]): void {
  switch (node.type) {
    case 'AndExpression':
    case 'OrExpression': {
      const { left, right } = node.value as { left: GrammarNode; right: GrammarNode };
      addMarks(left, marks);
      marks.push(node.type === 'AndExpression' ? 'and' : 'or');
      addMarks(right, marks);
      return;
    }
    case 'NotExpression':
      marks.push('not');
      addMarks(node.value as GrammarNode, marks);
      return;
    default:
      marks.push('term');
  }
}

/** `not` binds tighter than `and`, `and` tighter than `or`. Evidence: recorded. */
function associate(marks: readonly Mark[]): Shape {
  const alternatives: Shape[][] = [];
  let conditions: Shape[] = [];
  let nots = 0;
  let index = 0;
  for (const mark of [...marks, 'or' as const]) {
    if (mark === 'not') nots += 1;
    if (mark === 'term') {
      conditions.push(negated(Object.freeze({ kind: 'term', index }), nots));
      index += 1;
      nots = 0;
    }
    if (mark === 'or') {
      alternatives.push(conditions);
      conditions = [];
    }
  }
  return joined(
    'or',
    alternatives.map((terms) => joined('and', terms)),
  );
}

function negated(shape: Shape, nots: number): Shape {
  return nots === 0 ? shape : negated(Object.freeze({ kind: 'not', term: shape }), nots - 1);
}

function joined(kind: Connector, terms: Shape[]): Shape {
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return only;
  return Object.freeze({ kind, terms: Object.freeze(terms) });
}
