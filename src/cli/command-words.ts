// The words of a command line, before commander reads them: Azurite's form of switches, and `help`.

/** Azurite's switches, to which it takes a value too. Evidence: peers (Azurite reads only whether there is a value). */
export const azuriteSwitches: readonly string[] = [
  '-s',
  '--silent',
  '-L',
  '--loose',
  '--inMemoryPersistence',
  '--skipApiVersionCheck',
  '--disableProductStyleUrl',
  '--disableTelemetry',
];

/** The words as the program takes them: `help` as `--help`, switches without a value. */
export function readWords(words: readonly string[]): readonly string[] {
  const [first = 'start'] = words;
  if (first === 'help') return [...words.slice(1), '--help'];
  // The other commands share no switch with Azurite, and the words after them may be a filter.
  return first === 'start' || first.startsWith('-') ? resolveSwitchValues(words, azuriteSwitches) : words;
}

/**
 * Takes the values off switches, because commander has none there: `--silent true` and `--silent=true` become `--silent`,
 * `--silent false` and `--silent=false` are left out.
 */
export function resolveSwitchValues(words: readonly string[], switches: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  if (end !== -1) return [...resolveSwitchValues(words.slice(0, end), switches), ...words.slice(end)];
  return words.flatMap((word, at) => {
    const [name = '', value] = splitAtSign(word);
    if (switches.includes(name)) return isOff(value ?? words[at + 1]) ? [] : [isOn(value) ? name : word];
    const isValue = (isOn(word) || isOff(word)) && switches.includes(words[at - 1] ?? '');
    return isValue ? [] : [word];
  });
}

const isOn = (word: string | undefined): boolean => word === 'true';
const isOff = (word: string | undefined): boolean => word === 'false';

function splitAtSign(word: string): [name: string, value?: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
