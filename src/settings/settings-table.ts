// The table of settings: every flag of `tanzanite start` and every option of the library. CONTRIBUTING.md shows how to
// add a setting.

import { accessRows } from './access-settings.ts';
import { addressRows, certificateFlags } from './address-settings.ts';
import { adviceFlags, advisorRows } from './advisor-settings.ts';
import { throttleRows } from './capacity-settings.ts';
import { compatibilityRows, versionFlags } from './compatibility-settings.ts';
import { dataRows } from './data-settings.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { fileFlags } from './file-settings.ts';
import { identityRows } from './identity-settings.ts';
import { logFlags } from './log-settings.ts';
import { processFlags } from './process-settings.ts';
import { productionRows } from './production-settings.ts';
import { profileRows } from './profile-settings.ts';
import { recordingRows } from './recording-settings.ts';
import type { RowsFor, Scalar, Setting } from './setting.ts';
import { traceRows } from './trace-settings.ts';

interface SettingGroup {
  /** Heading of the group in `--help` and in docs/settings.md. */
  readonly heading: string;
  readonly rows: Readonly<Record<string, Setting>>;
}

/** In the order in which `--help` lists them. */
export const settingGroups: readonly SettingGroup[] = [
  { heading: 'Address', rows: { ...addressRows, ...certificateFlags } },
  { heading: 'Data', rows: dataRows },
  { heading: 'Accounts and access', rows: accessRows },
  { heading: 'Identity', rows: identityRows },
  { heading: 'Compatibility', rows: { ...compatibilityRows, ...versionFlags } },
  { heading: 'Behaviour of production', rows: productionRows },
  { heading: 'Scalability targets', rows: throttleRows },
  { heading: 'Advisor', rows: { ...advisorRows, ...adviceFlags } },
  { heading: 'Traces', rows: traceRows },
  { heading: 'Log', rows: { ...logFlags, ...recordingRows } },
  { heading: 'Process', rows: processFlags },
  { heading: 'Profile', rows: profileRows },
  { heading: 'Settings file', rows: fileFlags },
];

/** All options of the library. Most of them also have a flag. */
export const optionRows = {
  ...addressRows,
  ...dataRows,
  ...accessRows,
  ...identityRows,
  ...compatibilityRows,
  ...productionRows,
  ...throttleRows,
  ...advisorRows,
  ...recordingRows,
  ...traceRows,
  ...profileRows,
} as const satisfies RowsFor<EmulatorOptions>;

/** Settings of the command line only. */
export const commandLineRows = {
  ...certificateFlags,
  ...versionFlags,
  ...adviceFlags,
  ...logFlags,
  ...processFlags,
  ...fileFlags,
} as const satisfies Readonly<Record<string, Scalar>>;
