import type { SettingReport } from '../model/setting-report.ts';
import type { ControlRoute, ControlTools } from './control-route.ts';

export interface SettingsReport {
  /** Of the emulator. */
  readonly version: string;
  /** Names of the accounts, at least one; with `--accounts any` those used so far. */
  readonly accounts: readonly string[];
  /** The folder of the data, as a whole path; null for memory. */
  readonly location: string | null;
  readonly settings: readonly SettingReport[];
}

/** GET /_emulator/settings: what the emulator runs with, as `tanzanite settings` shows it, without keys, tokens and passwords. */
export function settingsRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/settings',
    handler: async (): Promise<SettingsReport> => ({
      version: tools.version,
      accounts: await tools.accounts(),
      location: tools.location ?? null,
      settings: await tools.describeSettings(),
    }),
  };
}
