import type { SettingReport } from '../model/setting-report.ts';
import type { EmulatorOptions } from './emulator-options.ts';
import { presetOptions } from './presets.ts';
import type { Setting } from './setting.ts';
import { optionRows, settingGroups } from './settings-table.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Describes the settings of an emulator that runs in the user's process. `settings` includes the defaults; `given` is
 * what the caller passed.
 */
export function describeOptions(settings: object, given: EmulatorOptions): SettingReport[] {
  const known: Readonly<Record<string, Setting>> = optionRows;
  const preset = presetOptions(given);
  return settingGroups.flatMap(({ heading, rows }) =>
    Object.entries(rows).flatMap(([name, row]) =>
      known[name] === row
        ? describe(row, {
            heading,
            name,
            value: valueIn(settings, name),
            given: valueIn(given, name),
            preset: valueIn(preset, name),
            profile: given.profile,
          })
        : [],
    ),
  );
}

/** The settings of a profile, in one line. */
export function describeProfile(profile: string, settings: readonly SettingReport[]): string {
  const given = settings.filter(({ from }) => from.kind === 'profile');
  const words = given.map(({ name, value }) => (value === true ? name : `${name} ${value}`));
  return `Profile ${profile}: ${words.join(', ')}`;
}

const valueIn = (values: object, name: string): unknown => (values as Values)[name];

interface Place {
  readonly heading: string;
  readonly name: string;
  readonly value: unknown;
  readonly given: unknown;
  /** The value in the profile. */
  readonly preset: unknown;
  readonly profile: EmulatorOptions['profile'];
}

function describe(row: Setting, place: Place): SettingReport[] {
  const { heading, name, value, given, preset } = place;
  if (row.kind === 'group') {
    return Object.entries(row.members).flatMap(([member, inner]) =>
      describe(inner, {
        ...place,
        name: `${name}.${member}`,
        value: valueIn((value ?? {}) as object, member),
        given: valueIn((given ?? {}) as object, member),
        preset: valueIn((preset ?? {}) as object, member),
      }),
    );
  }
  return [{ group: heading, name, value: shownValue(row, value ?? given), from: originOf(place), help: row.help }];
}

function originOf({ name, given, preset, profile }: Place): SettingReport['from'] {
  if (given !== undefined) return { kind: 'option', name };
  return preset === undefined || profile === undefined ? { kind: 'default' } : { kind: 'profile', name: profile };
}

/** The value without keys, tokens and certificates. */
function shownValue(row: Setting, value: unknown): SettingReport['value'] {
  if (value === undefined) return null;
  if (row.kind === 'text' && row.isSecret) return row.shown?.(String(value)) ?? '(secret)';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item: { readonly name?: string }) => item.name ?? '').join(', ');
  return '(given)';
}
