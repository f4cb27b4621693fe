import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClockChange,
  type ClockSetting,
  changeClock,
  isTurned,
  serviceNowMs,
  unturnedClock,
} from '../../../src/model/clock-setting.ts';

const machineMs = Date.UTC(2030, 0, 31, 12);
const hourMs = 3_600_000;
const settingAfter = (...changes: readonly ClockChange[]): ClockSetting =>
  changes.reduce((setting, change) => changeClock(setting, change, machineMs), unturnedClock);
const frozen: ClockChange = { kind: 'freeze' };

describe('A clock setting', () => {
  it.each<[string, readonly ClockChange[], atOnceMs: number, anHourLaterMs: number]>([
    ['unturned', [], 0, hourMs],
    ['advanced', [{ kind: 'advance', ms: 5 }], 5, hourMs + 5],
    ['set to a later moment', [{ kind: 'set', nowMs: machineMs + 7 }], 7, hourMs + 7],
    ['set to an earlier one', [{ kind: 'set', nowMs: machineMs - 7 }], -7, hourMs - 7],
    ['frozen', [frozen], 0, 0],
    ['frozen and advanced', [frozen, { kind: 'advance', ms: 5 }], 5, 5],
    ['frozen twice', [frozen, frozen], 0, 0],
    ['resumed', [frozen, { kind: 'advance', ms: 5 }, { kind: 'resume' }], 5, hourMs + 5],
    ['resumed, though it was not frozen', [{ kind: 'advance', ms: 5 }, { kind: 'resume' }], 5, hourMs + 5],
    ['released', [{ kind: 'advance', ms: 5 }, frozen, { kind: 'release' }], 0, hourMs],
  ])('that is %s determines the time of the service', (_, changes, atOnceMs, anHourLaterMs) => {
    const setting = settingAfter(...changes);
    const times = [0, hourMs].map((ms) => serviceNowMs(setting, machineMs + ms) - machineMs);
    expect(times).toEqual([atOnceMs, anHourLaterMs]);
  });

  it('continues from its frozen moment when it is resumed later', () => {
    const resumed = changeClock(settingAfter(frozen), { kind: 'resume' }, machineMs + hourMs);
    expect(serviceNowMs(resumed, machineMs + hourMs + 1)).toBe(machineMs + 1);
  });

  it('that is released no longer changes the time', () => {
    expect([
      isTurned(unturnedClock),
      isTurned(settingAfter(frozen)),
      isTurned(settingAfter({ kind: 'advance', ms: 1 })),
    ]).toEqual([false, true, true]);
    expect(isTurned(settingAfter({ kind: 'advance', ms: 1 }, frozen, { kind: 'release' }))).toBe(false);
  });

  it.each<[string, ClockChange]>([
    ['before 1601', { kind: 'set', nowMs: Date.UTC(1601, 0, 1) - 1 }],
    ['after 9999', { kind: 'set', nowMs: Date.UTC(10_000, 0, 1) }],
    ['that is none', { kind: 'set', nowMs: Number.NaN }],
    ['beyond 9999, by an advance', { kind: 'advance', ms: Date.UTC(10_000, 0, 1) - machineMs }],
    ['beyond all dates', { kind: 'advance', ms: Number.POSITIVE_INFINITY }],
    ['in the past, by an advance', { kind: 'advance', ms: -1 }],
    ['that no advance reaches', { kind: 'advance', ms: Number.NaN }],
  ])('refuses a moment %s', (_, change) => {
    expect(() => settingAfter(change)).toThrow(RangeError);
    expect(() => settingAfter(frozen, change)).toThrow(RangeError);
  });

  it('accepts the first and the last moment of these years', () => {
    for (const nowMs of [Date.UTC(1601, 0, 1), Date.UTC(10_000, 0, 1) - 1]) {
      expect(serviceNowMs(settingAfter({ kind: 'set', nowMs }), machineMs)).toBe(nowMs);
    }
  });

  it('stops at the last moment of the year 9999', () => {
    const lastMs = Date.UTC(10_000, 0, 1) - 1;
    const setting = settingAfter({ kind: 'set', nowMs: lastMs });
    expect(serviceNowMs(setting, machineMs + hourMs)).toBe(lastMs);
    expect(changeClock(setting, { kind: 'advance', ms: 0 }, machineMs + hourMs)).toBeDefined();
  });

  it('never skips back, and skips exactly as far as the time moves forward, whatever changes it', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(1e12) }),
      fc.record({ kind: fc.constant('set' as const), nowMs: fc.integer({ min: -1e13, max: 1e13 }) }),
      fc.record({ kind: fc.constantFrom('freeze' as const, 'resume' as const, 'release' as const) }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(change, fc.nat(1e6)), { maxLength: 40 }), (changes) => {
        let [setting, nowMs] = [unturnedClock, machineMs];
        for (const [one, passedMs] of changes) {
          nowMs += passedMs;
          const next = changeClock(setting, one, nowMs);
          const movedMs = serviceNowMs(next, nowMs) - serviceNowMs(setting, nowMs);
          expect(next.skippedMs - setting.skippedMs).toBe(Math.max(0, movedMs));
          setting = next;
        }
      }),
    );
  });
});
