import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../src/library/read-options.ts';
import { presetOptions, withPresets } from '../../../src/settings/presets.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';

describe('The options of a profile', () => {
  it('are none for default, which is the default', () => {
    expect([presetOptions({}), presetOptions({ profile: 'default' })]).toEqual([{}, {}]);
    expect(defaultSettings.profile).toBe('default');
  });

  it('are for strict those of the service without mercy', () => {
    expect(presetOptions({ profile: 'strict' })).toEqual({
      apiVersions: 'known',
      tableDeleteDelayMs: 40_000,
      pageBoundaries: 'partition',
      replicaLagMs: 900_000,
      throttle: 'enforce',
    });
  });

  it('are for chaos those of strict, and its faults', () => {
    expect(presetOptions({ profile: 'chaos' })).toEqual({ ...presetOptions({ profile: 'strict' }), faults: 'chaos' });
    expect(presetOptions({ profile: 'chaos', faults: 'rules.json' })).not.toHaveProperty('faults');
  });

  it('are left out where an option is given, false and 0 included', () => {
    const given = { profile: 'strict', throttle: 'off', replicaLagMs: 0, capacity: { scale: 2 } } as const;
    expect(withPresets(given)).toEqual({
      ...given,
      apiVersions: 'known',
      tableDeleteDelayMs: 40_000,
      pageBoundaries: 'partition',
    });
  });

  it('are left out where they contradict an option that is given', () => {
    const store = { store: 'postgres://db/tables', storeSecondary: 'postgres://standby/tables' };
    expect(presetOptions({ profile: 'strict', ...store })).not.toHaveProperty('replicaLagMs');
    const warnings: string[] = [];
    const log = {
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, line: string) => warnings.push(line),
    };
    expect(readOptions({ profile: 'strict', ...store, log }).settings.replicaLagMs).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('are stronger than what follows from another option', () => {
    expect(readOptions({ profile: 'strict', loose: true }).settings.apiVersions).toBe('known');
  });

  it('are refused by another name', () => {
    const read = () => readOptions({ profile: 'severe' } as object);
    expect(read).toThrow('startEmulator: profile must be one of default, strict, chaos');
  });
});
