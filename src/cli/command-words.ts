// Changes the words of a command line before commander reads them. This concerns `help`, `--help` after other words,
// and switches in Azurite's form.

import { namesOf } from '../settings/setting-names.ts';
import { settingGroups } from '../settings/settings-table.ts';
import { flagRows } from './setting-flags.ts';

/**
 * Maps each spelling of a switch to the flag that turns the switch off, or to undefined if the switch has no effect
 * here.
 */
export type Switches = ReadonlyMap<string, string | undefined>;

/**
 * The switches of `start`. A value after a switch is accepted, as in Azurite. Evidence: peers (Azurite reads only
 * whether there is a value).
 */
export const startSwitches: Switches = new Map<string, string | undefined>([
  ...settingGroups
    .flatMap(({ rows }) => flagRows(rows))
    .filter(({ kind }) => kind === 'switch')
    .map((row) => namesOf(row.flag))
    .flatMap(({ flag, short, otherFlag, opposite }) =>
      [flag, short, otherFlag].flatMap((name) => (name === undefined ? [] : [[name, opposite] as const])),
    ),
  ['--disableTelemetry', undefined],
  ['--disable-telemetry', undefined],
]);

/** The words as commander needs them: `--help` in place of `help`, and switches without a value. */
export function readWords(words: readonly string[]): readonly string[] {
  const [first = 'start'] = words;
  if (first === 'help') return [...words.slice(1), '--help'];
  // The other commands have no switch of Azurite. Their words may be a filter, which must not change.
  const isNamed = first === 'start' || first === 'settings';
  if (!isNamed && !first.startsWith('-')) return words;
  // Help is printed even with flags that would be refused.
  if (words.some((word) => word === '--help' || word === '-h')) return isNamed ? [first, '--help'] : ['--help'];
  return resolveSwitchValues(words, startSwitches);
}

/**
 * Removes the values of switches, because commander allows no values: `--silent true` and `--silent=true` become
 * `--silent`, and `--silent false` and `--silent=false` become the flag that turns the switch off.
 */
export function resolveSwitchValues(words: readonly string[], switches: Switches): readonly string[] {
  const end = words.indexOf('--');
  if (end !== -1) return [...resolveSwitchValues(words.slice(0, end), switches), ...words.slice(end)];
  return words.flatMap((word, at) => {
    const [name = '', value] = splitAtSign(word);
    if (switches.has(name)) return isOff(value ?? words[at + 1]) ? offOf(name, switches) : [isOn(value) ? name : word];
    const isValue = (isOn(word) || isOff(word)) && switches.has(words[at - 1] ?? '');
    return isValue ? [] : [word];
  });
}

function offOf(name: string, switches: Switches): string[] {
  const opposite = switches.get(name);
  return opposite === undefined ? [] : [opposite];
}

const isOn = (word: string | undefined): boolean => word === 'true';
const isOff = (word: string | undefined): boolean => word === 'false';

function splitAtSign(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
