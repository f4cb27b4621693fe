// The values of profiles, which replace defaults. They are in the members `strict` and `chaos` of the rows.

import { isOverruled, type SettingName } from './contradictions.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import type { ProfileName } from './profile-settings.ts';
import type { Setting } from './setting.ts';
import { optionRows } from './settings-table.ts';

/** The value of a setting in a profile; undefined if it keeps its default. */
export function presetOf(row: Setting, profile: ProfileName): string | number | boolean | undefined {
  if (profile === 'default' || row.kind === 'group' || row.kind === 'object' || row.kind === 'custom') return undefined;
  return profile === 'chaos' ? (row.chaos ?? row.strict) : row.strict;
}

/** The options that a profile adds to the given ones. It does not replace or contradict a given option. */
export function presetOptions(given: EmulatorOptions): EmulatorOptions {
  const { profile = 'default' } = given;
  const isFree = (name: string, value: unknown): boolean =>
    !isOverruled({ setting: name as SettingName, value }, (other) => (given as Values)[other]);
  return presetsIn(optionRows, given as Values, { profile, isFree });
}

/** The given options, and the options that their profile adds. */
export function withPresets(given: EmulatorOptions): EmulatorOptions {
  const { capacity, ...preset } = presetOptions(given);
  return { ...preset, ...given, ...(capacity && { capacity: { ...capacity, ...given.capacity } }) };
}

type Values = Readonly<Record<string, unknown>>;

interface Chosen {
  readonly profile: ProfileName;
  readonly isFree: (name: string, value: unknown) => boolean;
}

function presetsIn(rows: Readonly<Record<string, Setting>>, given: Values, chosen: Chosen): object {
  const presets = Object.entries(rows).flatMap(([name, row]): [string, unknown][] => {
    if (row.kind === 'group') {
      const members = presetsIn(row.members, (given[name] ?? {}) as Values, chosen);
      return Object.keys(members).length > 0 ? [[name, members]] : [];
    }
    const value = given[name] === undefined ? presetOf(row, chosen.profile) : undefined;
    return value === undefined || !chosen.isFree(name, value) ? [] : [[name, value]];
  });
  return Object.fromEntries(presets);
}
