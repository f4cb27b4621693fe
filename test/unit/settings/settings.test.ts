import { describe, expect, it } from 'vitest';
import { defaultSettings, resolveSettings } from '../../../src/settings/settings.ts';

describe('resolveSettings', () => {
  it('fills in every default, in units of the options', () => {
    expect(resolveSettings({})).toEqual({
      host: '127.0.0.1',
      port: 10002,
      https: 'off',
      keepAliveTimeoutMs: 72_000,
      requestsInFlightMax: 10_000,
      disableProductStyleUrl: false,
      durability: 'process',
      explain: true,
      allowForeignPages: false,
      oauthOverHttp: false,
      apiVersions: 'newer',
      loose: false,
      tableDeleteDelayMs: 0,
      pageBoundaries: 'none',
      secondary: 'live',
      replicaLagMs: 0,
      faultHeader: true,
      identity: false,
      throttle: 'observe',
      capacity: {
        scale: 1,
        queueLength: 32,
        waitMsMax: 5_000,
        accountTarget: 20_000,
        rangeTarget: 8_000,
        partitionTarget: 2_000,
        splitAfterMs: 15_000,
        mergeAfterMs: 60_000,
        moveMs: 1_000,
      },
      retryAfterSeconds: 0,
      advisor: true,
      profile: 'default',
    });
  });

  it('keeps given values, and the other defaults', () => {
    const settings = resolveSettings({ location: ' data', port: 1, capacity: { scale: 0.5 } });
    expect(settings).toEqual({
      ...defaultSettings,
      location: ' data',
      port: 1,
      capacity: { ...defaultSettings.capacity, scale: 0.5 },
    });
  });

  it('accepts every version with loose, unless versions are given', () => {
    expect(resolveSettings({ loose: true }).apiVersions).toBe('any');
    expect(resolveSettings({ loose: true, apiVersions: 'known' }).apiVersions).toBe('known');
  });

  it('freezes the settings and their groups', () => {
    const settings = resolveSettings({});
    expect([settings, settings.capacity, defaultSettings, defaultSettings.capacity].map(Object.isFrozen)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});
