import { describe, expect, it } from 'vitest';
import { compareOutcomes, type Outcome } from './compare-outcomes.mjs';

const outcome = (name: string, outcome: Outcome['outcome']): Outcome => ({ name, outcome, message: '' });

describe('the outcomes of a suite', () => {
  it('are wrong if a test fails that is not on the list', () => {
    const { unexpected, expected, outdated } = compareOutcomes([outcome('a', 'failed')], {});
    expect(unexpected.map(({ name }) => name)).toEqual(['a']);
    expect([expected, outdated]).toEqual([[], []]);
  });

  it('are right if a listed test fails, and give its reason', () => {
    const { unexpected, expected, outdated } = compareOutcomes([outcome('a', 'failed')], { a: 'why' });
    expect(expected).toEqual([{ name: 'a', reason: 'why' }]);
    expect([unexpected, outdated]).toEqual([[], []]);
  });

  it('make the list outdated if a listed test passes, is skipped or does not exist', () => {
    const { outdated } = compareOutcomes([outcome('a', 'passed'), outcome('b', 'skipped')], { a: '', b: '', c: '' });
    expect(outdated).toEqual([
      { name: 'a', state: 'passed' },
      { name: 'b', state: 'skipped' },
      { name: 'c', state: 'did not run' },
    ]);
  });

  it('count a test once, as failed, if it passes and its teardown fails', () => {
    const { passed, failed } = compareOutcomes([outcome('a', 'passed'), outcome('a', 'failed')], {});
    expect(passed).toBe(0);
    expect(failed).toHaveLength(1);
  });
});
