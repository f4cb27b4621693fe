// The table of settings that cannot be combined. Both the command line and the library refuse a combination that makes
// no sense. In other combinations, one of the settings merely has no effect. The command line accepts such a
// combination and prints a notice, because its settings come from several places (flags, variables and a file), and
// because Azurite's command lines should run unchanged. The library usually refuses such a combination, because its
// options are written in one place. The library logs a notice instead if a refusal would stop a working program to
// which only the option `store` was added.

import type { commandLineRows, optionRows } from './settings-table.ts';

export type SettingName = keyof typeof optionRows | keyof typeof commandLineRows;

/** A setting that was given with any value, or with `value` if it is present. */
export interface SettingUse {
  readonly setting: SettingName;
  readonly value?: string | boolean;
}

/** A setting that another setting needs; `when` says in which case it is needed. */
interface Need {
  readonly setting: SettingName;
  readonly when?: string;
}

export interface Contradiction {
  /** The setting that is refused, or has no effect. */
  readonly use: SettingUse;
  /** The setting that `use` contradicts, or a list of settings of which `use` needs at least one. */
  readonly counterpart: SettingUse | readonly Need[];
  /** Absent if the command line accepts both settings together, or does not have one of them. */
  readonly commandLine?: ContradictionVerdict;
  /** Absent if the library accepts both settings together, or does not have one of them. */
  readonly library?: ContradictionVerdict;
  /** The reason, as the end of a sentence, with the punctuation before it. */
  readonly why?: string;
}

/** `notice`: a line says that the setting has no effect. */
export type ContradictionVerdict = 'refuse' | 'notice';

export const contradictions: readonly Contradiction[] = [
  { use: { setting: 'store' }, counterpart: { setting: 'location' }, commandLine: 'refuse', library: 'refuse' },
  {
    use: { setting: 'store' },
    counterpart: { setting: 'inMemory', value: true },
    commandLine: 'refuse',
    library: 'refuse',
  },
  { use: { setting: 'storeSecondary' }, counterpart: [{ setting: 'store' }], commandLine: 'refuse', library: 'refuse' },
  {
    use: { setting: 'location' },
    counterpart: { setting: 'inMemory', value: true },
    commandLine: 'notice',
    library: 'refuse',
  },
  // This row is only for the library. On the command line, the data has a default folder if it is not in memory.
  {
    use: { setting: 'inMemory', value: false },
    counterpart: [{ setting: 'location' }, { setting: 'store' }],
    library: 'refuse',
  },
  { use: { setting: 'seed' }, counterpart: { setting: 'seedAlways' }, commandLine: 'notice', library: 'refuse' },
  {
    use: { setting: 'durability' },
    counterpart: { setting: 'store' },
    commandLine: 'notice',
    library: 'notice',
    why: '; the settings of the database decide that',
  },
  {
    use: { setting: 'replicaLagMs' },
    counterpart: { setting: 'storeSecondary' },
    commandLine: 'notice',
    library: 'notice',
  },
  {
    use: { setting: 'pageBoundaries', value: 'range' },
    counterpart: { setting: 'throttle', value: 'off' },
    commandLine: 'notice',
    library: 'refuse',
    why: ', which counts nothing and so splits nothing',
  },
  { use: { setting: 'advise', value: true }, counterpart: { setting: 'advisor', value: false }, commandLine: 'notice' },
  ...(['oauthKeys', 'roleAssignments', 'identityPrincipals'] as const).map((setting) => ({
    use: { setting },
    counterpart: [{ setting: 'oauth' as const }, { setting: 'identity' as const }],
    commandLine: 'refuse' as const,
    library: 'refuse' as const,
  })),
  {
    use: { setting: 'oauthKeys' },
    counterpart: { setting: 'oauth', value: 'basic' },
    commandLine: 'notice',
    library: 'refuse',
  },
  {
    use: { setting: 'oauthOverHttp', value: true },
    counterpart: [{ setting: 'oauth' }, { setting: 'identity' }],
    commandLine: 'refuse',
    library: 'refuse',
  },
  {
    use: { setting: 'skipApiVersionCheck', value: true },
    counterpart: { setting: 'strictApiVersion', value: true },
    commandLine: 'refuse',
  },
  { use: { setting: 'https', value: 'auto' }, counterpart: { setting: 'cert' }, commandLine: 'refuse' },
  { use: { setting: 'https', value: 'auto' }, counterpart: { setting: 'tls' }, library: 'refuse' },
  ...(['httpsName', 'httpsDir', 'httpsAuthority'] as const).map((setting) => ({
    use: { setting },
    counterpart: [{ setting: 'https' as const, when: 'auto' }],
    commandLine: 'refuse' as const,
    library: 'refuse' as const,
  })),
  { use: { setting: 'key' }, counterpart: [{ setting: 'cert' }], commandLine: 'refuse' },
  { use: { setting: 'pwd' }, counterpart: [{ setting: 'cert' }], commandLine: 'refuse' },
  {
    use: { setting: 'cert' },
    counterpart: [
      { setting: 'key', when: 'PEM' },
      { setting: 'pwd', when: 'PFX; --pwd "" if it has none' },
    ],
    commandLine: 'refuse',
  },
];

/**
 * Returns those contradictions among the given settings that have this `verdict` on the command line or in the library
 * (`face`). Ignores settings that only have their default value.
 */
export function findContradictions(
  given: object,
  face: 'commandLine' | 'library',
  verdict: ContradictionVerdict,
): readonly Contradiction[] {
  const values = given as Readonly<Record<string, unknown>>;
  const isGiven = ({ setting, value }: SettingUse): boolean =>
    value === undefined ? values[setting] !== undefined : values[setting] === value;
  return contradictions.filter(({ use, counterpart, ...verdicts }) => {
    if (verdicts[face] !== verdict || !isGiven(use)) return false;
    return isNeeds(counterpart) ? !counterpart.some(isGiven) : isGiven(counterpart);
  });
}

/**
 * Whether `preset` contradicts a setting that the user has given, and therefore does not apply. `preset` is a value
 * from a profile or from the container image. `givenOf` returns the value that the user has given for a setting.
 */
export function isOverruled(
  preset: { readonly setting: SettingName; readonly value: unknown },
  givenOf: (setting: SettingName) => unknown,
): boolean {
  const isPreset = ({ setting, value }: SettingUse): boolean =>
    setting === preset.setting && (value === undefined || value === preset.value);
  const isGiven = ({ setting, value }: SettingUse): boolean =>
    value === undefined ? givenOf(setting) !== undefined : givenOf(setting) === value;
  return contradictions.some(({ use, counterpart }) => {
    if (isNeeds(counterpart)) return false;
    return (isPreset(use) && isGiven(counterpart)) || (isPreset(counterpart) && isGiven(use));
  });
}

export const isNeeds = (counterpart: Contradiction['counterpart']): counterpart is readonly Need[] =>
  Array.isArray(counterpart);
