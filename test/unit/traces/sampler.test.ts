import { describe, expect, it } from 'vitest';
import { isRecorded, parseSampler } from '../../../src/traces/sampler.ts';
import { randomIds } from '../../../src/traces/span-ids.ts';

const ids = randomIds();
const traceOf = (traceId: string, isSampled: boolean) => ({ traceId, parentId: '00f067aa0ba902b7', isSampled });
const [low, high] = [`${'a'.repeat(24)}10000000`, `${'a'.repeat(24)}f0000000`];

describe('A sampler', () => {
  it.each<[string | undefined, { readonly sampled: boolean; readonly unsampled: boolean; readonly alone: boolean }]>([
    [undefined, { sampled: true, unsampled: false, alone: true }],
    ['always_on', { sampled: true, unsampled: true, alone: true }],
    ['always_off', { sampled: false, unsampled: false, alone: false }],
    ['parentbased_always_off', { sampled: true, unsampled: false, alone: false }],
  ])('%s follows the decision of the caller', (name, expected) => {
    const sampler = parseSampler(name, undefined);
    expect({
      sampled: isRecorded(sampler, traceOf(high, true), ids),
      unsampled: isRecorded(sampler, traceOf(high, false), ids),
      alone: isRecorded(sampler, undefined, ids),
    }).toEqual(expected);
  });

  it('with a ratio decides by the digits of the trace id, so that all services agree', () => {
    const sampler = parseSampler('traceidratio', '0.5');
    expect([low, high].map((traceId) => isRecorded(sampler, traceOf(traceId, false), ids))).toEqual([true, false]);
    expect(isRecorded(parseSampler('parentbased_traceidratio', '0'), undefined, ids)).toBe(false);
  });
});

describe('The id of a span', () => {
  it('has the right number of digits, and is never repeated or zero', () => {
    const drawn = Array.from({ length: 5_000 }, () => ids.spanId());
    expect(new Set(drawn).size).toBe(5_000);
    expect(drawn.filter((id) => !/^(?!0+$)[0-9a-f]{16}$/.test(id))).toEqual([]);
    expect(ids.traceId()).toMatch(/^[0-9a-f]{32}$/);
  });
});
