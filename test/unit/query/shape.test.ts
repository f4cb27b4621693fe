import { describe, expect, it } from 'vitest';
import { bindFilter } from '../../../src/query/bind.ts';
import { cutChain, loosestConnector, shapeTextOf, termsPerPiece } from '../../../src/query/pieces.ts';
import { createShapeCache } from '../../../src/query/shape.ts';
import { readSyntax } from '../../../src/query/syntax.ts';

const term = (index: number) => ({ kind: 'term', index });

describe('a shape', () => {
  it.each([
    ['n0', term(0)],
    ['n0 eq @p0', term(0)],
    ['not n0', { kind: 'not', term: term(0) }],
    ['not not g0', { kind: 'not', term: { kind: 'not', term: term(0) } }],
    ['not g0 and n0', { kind: 'and', terms: [{ kind: 'not', term: term(0) }, term(1)] }],
    [
      'n0 and not n1 or @p0 eq n2 and g0',
      {
        kind: 'or',
        terms: [
          { kind: 'and', terms: [term(0), { kind: 'not', term: term(1) }] },
          { kind: 'and', terms: [term(2), term(3)] },
        ],
      },
    ],
  ])('of %s binds as OData does', (text, shape) => {
    expect(createShapeCache(1).read(text)).toEqual(shape);
  });

  it('that the grammar refuses is a defect, not a refusal', () => {
    expect(() => createShapeCache(1).read('n0 eq n1 eq n2')).toThrow(/^Unexpected character/);
  });
});

describe('the shapes that are remembered', () => {
  it('are parsed once', () => {
    const shapes = createShapeCache(10);
    expect(shapes.read('n0 and n1')).toBe(shapes.read('n0 and n1'));
    expect(shapes).toMatchObject({ parsed: 1, size: 1 });
  });

  it('are those that were read last', () => {
    const shapes = createShapeCache(2);
    for (const text of ['n0', 'g0', 'n0', '@p0', 'n0']) shapes.read(text);
    expect(shapes).toMatchObject({ parsed: 3, size: 2 });
    shapes.read('g0');
    expect(shapes).toMatchObject({ parsed: 4, size: 2 });
  });

  it.each([
    ['other values', "A eq 1 and B gt 'x' or C", "A eq 2 and B gt 'y' or C"],
    ['other names and operators', 'A eq 1 and not (B lt 2)', 'PropertyOfAnotherName ge 1L and not (D ne 5.0)'],
    ['any depth', '(A eq 1) and (B eq 2)', '((((A eq 1) and (B eq 2)) and (C eq 3)) and (D eq 4)) and (E eq 5)'],
  ])('serve filters of %s', (_, first, second) => {
    const shapes = createShapeCache(10);
    const declared = new Map<string, string>();
    bindFilter(readSyntax(first), { declared, shapes });
    const { parsed } = shapes;
    bindFilter(readSyntax(second), { declared, shapes });
    expect(shapes.parsed).toBe(parsed);
  });

  it('are few for a filter of 300 terms', () => {
    const shapes = createShapeCache(10);
    const text = Array.from({ length: 300 }, (_, index) => `P${index} eq ${index}`).join(' or ');
    bindFilter(readSyntax(text), { declared: new Map(), shapes });
    expect(shapes.parsed).toBeLessThanOrEqual(2);
  });
});

describe('a piece of a filter', () => {
  it('hides names, values, operators and groups from the grammar', () => {
    const chain = readSyntax("INF1 lt 'x' and not (A or B) or 5 eq C and not not D or A add 1 eq 2");
    expect(shapeTextOf(chain)).toBe('n0 eq @p0 and not g0 or @p1 eq n1 and not n2 or g1');
  });

  it('is short, cut at the ors first, and all pieces are the whole', () => {
    const conjunction = 'A and B and C';
    const chain = readSyntax(Array.from({ length: 10 }, () => conjunction).join(' or '));
    const connector = loosestConnector(chain);
    const pieces = cutChain(chain, connector);
    expect(connector).toBe('or');
    expect(pieces.map(shapeTextOf)).toEqual(Array(5).fill('n0 and n1 and n2 or n3 and n4 and n5'));
    expect(pieces.flatMap(({ terms }) => terms)).toEqual(chain.terms);
    expect(pieces.every(({ terms }) => terms.length <= termsPerPiece)).toBe(true);
  });

  it('is a long conjunction where there is no or left, cut in turn at its ands', () => {
    const chain = readSyntax(`A or ${Array(20).fill('B').join(' and ')}`);
    expect(cutChain(chain, 'or').map(({ terms }) => terms.length)).toEqual([1, 20]);
    expect(cutChain(cutChain(chain, 'or')[1]!, 'and').map(({ terms }) => terms.length)).toEqual([8, 8, 4]);
  });
});
