import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../src/library/read-options.ts';
import { presetOptions, withPresets } from '../../../src/settings/presets.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';

describe('The options of a profile', () => {
  it('are empty for the profile default', () => {
    expect([presetOptions({}), presetOptions({ profile: 'default' })]).toEqual([{}, {}]);
    expect(defaultSettings.profile).toBe('default');
  });

  it('for strict are those of the service at its strictest', () => {
    expect(presetOptions({ profile: 'strict' })).toEqual({
      apiVersions: 'known',
      tableDeleteDelayMs: 40_000,
      pageBoundaries: 'partition',
      replicaLagMs: 900_000,
      throttle: 'enforce',
    });
  });

  it('for chaos are those of strict, and its fault rules', () => {
    expect(presetOptions({ profile: 'chaos' })).toEqual({ ...presetOptions({ profile: 'strict' }), faults: 'chaos' });
    expect(presetOptions({ profile: 'chaos', faults: 'rules.json' })).not.toHaveProperty('faults');
  });

  it('are left out if an option is given, even as false or 0', () => {
    const given = { profile: 'strict', throttle: 'off', replicaLagMs: 0, capacity: { scale: 2 } } as const;
    expect(withPresets(given)).toEqual({
      ...given,
      apiVersions: 'known',
      tableDeleteDelayMs: 40_000,
      pageBoundaries: 'partition',
    });
  });

  it('are left out if they contradict an option that is given', () => {
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

  it('override values that follow from another option', () => {
    expect(readOptions({ profile: 'strict', loose: true }).settings.apiVersions).toBe('known');
  });

  it('are refused under an unknown name', () => {
    const read = () => readOptions({ profile: 'severe' } as object);
    expect(read).toThrow('startEmulator: profile must be one of default, strict, chaos');
  });
});
