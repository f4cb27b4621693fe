import { describe, expect, it } from 'vitest';
import { stageFaults } from '../../../src/service/stage-faults.ts';
import { ManualTime } from '../../support/manual-time.ts';

const busy = { fault: { kind: 'error', code: 'ServerBusy' } } as const;

describe('The seams of an emulator', () => {
  it('do not exist while there is no rule', () => {
    const { rules, seams } = stageFaults({ seed: 1, time: new ManualTime() });
    expect(seams.current).toEqual([]);
    const [first = '', second = ''] = rules.add([busy, busy]);
    expect(seams.current).toHaveLength(1);
    rules.remove(first);
    expect(seams.current).toHaveLength(1);
    rules.remove(second);
    expect(seams.current).toEqual([]);
    rules.add([busy]);
    rules.clear();
    expect(seams.current).toEqual([]);
  });

  it('apply to a request until its end if it began while there was a rule', () => {
    const { rules, seams } = stageFaults({ seed: 1, time: new ManualTime() });
    rules.add([busy]);
    const passed = seams.current;
    rules.clear();
    expect(passed).toHaveLength(1);
  });

  it('use a new random seed each time if none is given', () => {
    const seeds = Array.from({ length: 5 }, () => stageFaults({ seed: undefined, time: new ManualTime() }).rules.seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
  });
});
