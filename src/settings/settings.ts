import type { CapacityOptions, capacityRows } from './capacity-settings.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import type { Resolved, Setting } from './setting.ts';
import { optionRows } from './settings-table.ts';

/** What an emulator runs with: the options, with a value for each that has a default. Without a location all is in memory. */
export type Settings = Resolved<Omit<EmulatorOptions, 'inMemory' | 'capacity'>, typeof optionRows> & {
  readonly capacity: Resolved<CapacityOptions, typeof capacityRows>;
};

/** The defaults of the table. Its types say that they are whole: `Resolved` asks for what has a default, and no more. */
export const defaultSettings: Settings = Object.freeze(defaultsOf(optionRows)) as Settings;

/** Fills in the defaults, and freezes the whole. */
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
