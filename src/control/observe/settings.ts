import { createSecretKey } from 'node:crypto';
import manifest from '../../../package.json' with { type: 'json' };
import { developmentAccount } from '../../auth/accounts.ts';
import type { SettingReport } from '../../model/setting-report.ts';
import type { ControlRoute, ControlTools } from '../control-route.ts';

export interface SettingsReport {
  /** Version of the emulator. */
  readonly version: string;
  /** Names of the accounts, at least one. With `--accounts any`, these are the accounts used so far. */
  readonly accounts: readonly string[];
  /** Accounts whose key is the development key, which every Azure SDK knows. */
  readonly developmentAccounts: readonly string[];
  /** The absolute path of the folder of the data; null in memory. */
  readonly location: string | null;
  /**
   * The address at which a trace is shown: an http:// or https:// address that contains `{traceId}`. Null if no viewer
   * shows traces.
   */
  readonly traceUrl: string | null;
  readonly settings: readonly SettingReport[];
}

/**
 * GET /_emulator/settings: returns the settings of the emulator, as `tanzanite settings` shows them, without keys,
 * tokens and passwords.
 */
export function settingsRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/settings',
    handler: () => report(tools),
  };
}

async function report(tools: ControlTools): Promise<SettingsReport> {
  const accounts = await tools.accountNames();
  const developmentKey = createSecretKey(Buffer.from(developmentAccount.key, 'base64'));
  return {
    version: manifest.version,
    accounts,
    developmentAccounts: accounts.filter((name) => tools.accounts.keysOf(name)?.[0]?.equals(developmentKey)),
    location: tools.location ?? null,
    traceUrl: tools.traceUrl ?? null,
    settings: await tools.describeSettings(),
  };
}
