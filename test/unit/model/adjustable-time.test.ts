import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdjustableTime, createAdjustableTime } from '../../../src/model/adjustable-time.ts';
import { type Cancel, systemModelTime } from '../../../src/model/time.ts';
import { ManualTime } from '../../support/manual-time.ts';

const startMs = new ManualTime().nowMs();

function newTime(): {
  source: ManualTime;
  time: AdjustableTime;
  fired: string[];
  start: (ms: number, name: string) => Cancel;
} {
  const source = new ManualTime();
  const time = createAdjustableTime(source);
  const fired: string[] = [];
  const start = (ms: number, name: string): Cancel =>
    time.after(ms, () => fired.push(`${name} at ${time.nowMs() - startMs}`));
  return { source, time, fired, start };
}

describe('Adjustable time', () => {
  it('follows its source until it is adjusted', () => {
    const { source, time, fired, start } = newTime();
    start(10, 'timer');
    source.sleep(9);
    expect([time.nowMs(), time.monotonicMs(), fired]).toEqual([startMs + 9, 9, []]);
    source.sleep(1);
    expect([time.nowMs(), time.monotonicMs(), fired]).toEqual([startMs + 10, 10, ['timer at 10']]);
    expect(source.pending).toBe(0);
  });

  it('does not move or fire timers while it is frozen, and continues from there', () => {
    const { source, time, fired, start } = newTime();
    start(10, 'timer');
    source.sleep(5);
    time.freeze();
    source.sleep(1_000);
    expect([time.isFrozen, time.nowMs(), time.monotonicMs(), fired]).toEqual([true, startMs + 5, 5, []]);
    expect(source.pending).toBe(0);
    time.resume();
    source.sleep(4);
    expect([time.isFrozen, time.nowMs(), fired]).toEqual([false, startMs + 9, []]);
    source.sleep(1);
    expect(fired).toEqual(['timer at 10']);
  });

  it.each(['frozen', 'running'] as const)(
    'fires the timers that become due as it advances, each at its moment (%s)',
    (how) => {
      const { time, fired, start } = newTime();
      if (how === 'frozen') time.freeze();
      start(3_600_000, 'hour');
      start(60_000, 'minute');
      time.after(1_000, () => start(1_000, 'second'));
      start(86_400_001, 'later');
      time.advance(86_400_000);
      expect(fired).toEqual(['second at 2000', 'minute at 60000', 'hour at 3600000']);
      expect([time.nowMs(), time.monotonicMs()]).toEqual([startMs + 86_400_000, 86_400_000]);
      time.advance(1);
      expect(fired.at(-1)).toBe('later at 86400001');
    },
  );

  it('advances if it is set to a later moment', () => {
    const { source, time, fired, start } = newTime();
    start(1_000, 'timer');
    time.set(startMs + 5_000);
    expect([time.nowMs(), time.monotonicMs(), fired]).toEqual([startMs + 5_000, 5_000, ['timer at 1000']]);
    source.sleep(1);
    expect(time.nowMs()).toBe(startMs + 5_001);
  });

  it('changes only its date if it is set to an earlier moment', () => {
    const { source, time, fired, start } = newTime();
    source.sleep(1_000);
    start(1_000, 'timer');
    time.set(0);
    expect([time.nowMs(), time.monotonicMs(), fired]).toEqual([0, 1_000, []]);
    source.sleep(1_000);
    expect([time.nowMs(), fired]).toEqual([1_000, [`timer at ${1_000 - startMs}`]]);
  });

  it('goes back with its source, but not within a millisecond', () => {
    let nowMs = startMs + 0.9;
    const time = createAdjustableTime({ ...systemModelTime, nowMs: () => nowMs });
    const seen = [startMs + 0.9, startMs + 0.1, startMs + 1.1, startMs + 0.1].map((ms) => {
      nowMs = ms;
      return time.nowMs() - startMs;
    });
    expect(seen.map((ms) => Math.round(ms * 10) / 10)).toEqual([0.9, 0.9, 1.1, 0.1]);
  });

  it('adopts a setting of other clocks, and fires the timers that it has skipped', () => {
    const { time, fired, start } = newTime();
    start(1_000, 'timer');
    time.freeze();
    const frozenAtMs = startMs - 5_000;
    time.adopt({ offsetMs: 0, frozenAtMs, skippedMs: 999 });
    expect([time.nowMs(), fired]).toEqual([frozenAtMs, []]);
    time.adopt({ offsetMs: 0, frozenAtMs, skippedMs: 1_000 });
    expect([time.nowMs(), time.monotonicMs(), fired]).toEqual([frozenAtMs, 1_000, ['timer at -5000']]);
    time.adopt({ offsetMs: 0, skippedMs: 0 });
    expect([time.isFrozen, time.nowMs(), time.monotonicMs()]).toEqual([false, startMs, 1_000]);
  });

  it('advances by centuries in as many steps as there are timers', () => {
    const { time } = newTime();
    const centuriesMs = Date.UTC(9999, 0) - startMs;
    let fired = 0;
    const everySecond = (left: number): void => {
      fired++;
      if (left > 0) time.after(1_000, () => everySecond(left - 1));
    };
    time.after(1_000, () => everySecond(9));
    time.advance(centuriesMs);
    expect([fired, time.monotonicMs(), time.nowMs()]).toEqual([10, centuriesMs, Date.UTC(9999, 0)]);
  });

  it('fires no timer that was cancelled', () => {
    const { source, time, fired, start } = newTime();
    const cancel = start(10, 'timer');
    cancel();
    time.advance(20);
    expect([fired, source.pending]).toEqual([[], 0]);
  });

  it('supports a timer that is longer than the timers of the source', () => {
    const { source, fired, start } = newTime();
    start(2 ** 31 + 10, 'long');
    source.sleep(2 ** 31 - 1);
    expect([fired, source.pending]).toEqual([[], 1]);
    source.sleep(11);
    expect(fired).toEqual([`long at ${2 ** 31 + 10}`]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('throws if it is set to or advanced by %d', (ms) => {
    const { time } = newTime();
    expect(() => time.set(ms)).toThrow(RangeError);
    expect(() => time.advance(ms)).toThrow(RangeError);
    expect(time.nowMs()).toBe(startMs);
  });

  it('throws if it is advanced by a negative time', () => {
    expect(() => newTime().time.advance(-1)).toThrow(RangeError);
  });

  it('never decreases monotonicMs, and fires every timer when it is due, for any sequence of calls', () => {
    const act = fc.oneof(
      fc.record({ act: fc.constantFrom('pass', 'advance', 'start'), ms: fc.nat(1_000) }),
      fc.record({ act: fc.constant('set'), ms: fc.integer({ min: startMs - 5_000, max: startMs + 5_000 }) }),
      fc.record({ act: fc.constantFrom('freeze', 'resume'), ms: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { source, time } = newTime();
        const dues: number[] = [];
        const fired: number[] = [];
        for (const { act, ms } of acts) {
          const before = time.monotonicMs();
          if (act === 'pass') source.sleep(ms);
          else if (act === 'advance') time.advance(ms);
          else if (act === 'set') time.set(ms);
          else if (act === 'freeze') time.freeze();
          else if (act === 'resume') time.resume();
          else {
            const due = before + ms;
            dues.push(due);
            time.after(ms, () => {
              expect(time.monotonicMs()).toBeGreaterThanOrEqual(due);
              fired.push(due);
            });
          }
          expect(time.monotonicMs()).toBeGreaterThanOrEqual(before);
          if (act === 'set') expect(time.nowMs()).toBe(ms);
          if (act === 'advance') expect(time.monotonicMs()).toBe(before + ms);
        }
        time.advance(1_000);
        expect(fired.toSorted()).toEqual(dues.toSorted());
      }),
    );
  });
});
