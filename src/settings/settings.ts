import type { CapacityModelOptions } from '../capacity/capacity-settings.ts';
import type { capacityRows } from './capacity-settings.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import type { Resolved, Setting } from './setting.ts';
import { optionRows } from './settings-table.ts';

/**
 * The settings of an emulator: its options, with the defaults filled in. If neither `location` nor `store` is set, all
 * data is in memory.
 */
export type Settings = Resolved<Omit<EmulatorOptions, 'inMemory' | 'capacity'>, typeof optionRows> & {
  readonly capacity: Resolved<CapacityModelOptions, typeof capacityRows>;
};

/** The defaults of the table of settings. They are exactly the members that `Settings` requires. */
export const defaultSettings: Settings = Object.freeze(defaultsOf(optionRows)) as Settings;

/** Fills in the defaults. The result is frozen. */
export function resolveSettings({ inMemory: _inMemory, ...given }: EmulatorOptions): Settings {
  return Object.freeze({
    ...defaultSettings,
    ...given,
    apiVersions: given.apiVersions ?? (given.loose ? 'any' : defaultSettings.apiVersions),
    capacity: Object.freeze({ ...defaultSettings.capacity, ...given.capacity }),
  });
}

function defaultsOf(rows: Readonly<Record<string, Setting>>): object {
  const defaults = Object.entries(rows).flatMap(([name, row]): [string, unknown][] => {
    if (row.kind === 'group') return row.isPartial ? [[name, Object.freeze(defaultsOf(row.members))]] : [];
    return 'default' in row ? [[name, row.default]] : [];
  });
  return Object.fromEntries(defaults);
}
