import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityBytes } from '../../../src/model/entity-limits.ts';
import { entityBytesMax, propertiesMax } from '../../../src/model/limits.ts';
import type { Mutation } from '../../../src/model/mutation.ts';
import { decodeProperties, encodeProperties, type Properties } from '../../../src/model/properties.ts';
import {
  type CurrentEntity,
  type Decision,
  decideMutation,
  type MutationPlan,
  planMutation,
} from '../../../src/storage/decide-mutation.ts';
import { properties } from '../../support/arbitrary-values.ts';
import { anyState, keyOf, texts, textValue, unchangedSince } from '../../support/entities.ts';

const key = keyOf('cats', 'tom');
const [now, before] = ['2024-05-01T10:00:00.1Z', '2024-05-01T10:00:00.1000001Z'];
const ifMatch = fc.constantFrom(anyState, unchangedSince(now), unchangedSince(before));
const mutation: fc.Arbitrary<Mutation> = fc
  .oneof(
    fc.record({ kind: fc.constantFrom('insert', 'insertOrReplace', 'insertOrMerge'), properties }),
    fc.record({ kind: fc.constantFrom('replace', 'merge'), properties, ifMatch }),
    fc.record({ kind: fc.constant('delete' as const), ifMatch }),
  )
  .map((one) => ({ ...key, ...one }) as Mutation);
const current: fc.Arbitrary<CurrentEntity | undefined> = fc.option(
  properties.map((map) => ({ timestamp: now, properties: encodeProperties(map) })),
  { nil: undefined },
);

/** The outcome of a plan, by the kind of plan. */
function outcomeOf(plan: MutationPlan, isThere: boolean): Decision {
  if (plan.kind === 'insert' && isThere) return { kind: 'exists' };
  if ((plan.kind === 'update' || plan.kind === 'delete') && !isThere) return { kind: 'missing' };
  return plan.kind === 'delete' ? { kind: 'delete' } : { kind: 'write', properties: plan.properties };
}

describe('a plan that does not depend on the entity', () => {
  it('has the same result as one with the entity, and exists for each mutation without condition or merge', () => {
    fc.assert(
      fc.property(current, mutation, (entity, one) => {
        const plan = planMutation(one);
        const isConditional = 'ifMatch' in one && one.ifMatch.kind === 'unchanged';
        const isMerge = one.kind === 'merge' || one.kind === 'insertOrMerge';
        expect(plan !== undefined).toBe(!isConditional && !isMerge);
        if (plan) expect(decideMutation(entity, one)).toEqual(outcomeOf(plan, entity !== undefined));
      }),
    );
  });
});

describe('a decision', () => {
  const held = { timestamp: now, properties: '"Age":3' };

  it('refuses a missing entity before a stale one, and a stale one before a limit', () => {
    const tooMany = new Map(Array.from({ length: propertiesMax + 1 }, (_, at) => [`P${at}`, textValue('')]));
    const merge = { kind: 'merge', ...key, properties: tooMany, ifMatch: unchangedSince(before) } as const;
    expect(decideMutation(undefined, merge)).toEqual({ kind: 'missing' });
    expect(decideMutation(held, merge)).toMatchObject({ kind: 'stale' });
    expect(decideMutation(held, { ...merge, ifMatch: unchangedSince(now) })).toEqual({ kind: 'tooManyProperties' });
  });

  it('applies the limits to the result of a merge, exact to the property and the byte', () => {
    const many = (count: number) => new Map(Array.from({ length: count }, (_, at) => [`P${at}`, textValue('')]));
    const merge = (changes: Properties) =>
      decideMutation(held, { kind: 'insertOrMerge', ...key, properties: changes }).kind;
    expect(merge(many(propertiesMax - 1))).toBe('write');
    expect(merge(many(propertiesMax))).toBe('tooManyProperties');
    const frame = entityBytes(key, new Map([...decodeProperties(held.properties), ['Text', textValue('')]]));
    const chars = Math.floor((entityBytesMax - frame) / 2);
    expect(merge(texts({ Text: 'é'.repeat(chars) }))).toBe('write');
    expect(merge(texts({ Text: 'é'.repeat(chars + 1) }))).toBe('tooLarge');
  });
});
