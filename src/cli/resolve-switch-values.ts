/**
 * Takes the values off switches, since commander knows none there: `--silent true` and `--silent=true` become `--silent`,
 * `--silent false` and `--silent=false` nothing.
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
