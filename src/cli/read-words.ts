import { azuriteSwitches } from './flags.ts';
import { resolveSwitchValues } from './resolve-switch-values.ts';

/** The words of a command line as the program takes them: `help` as `--help`, switches without a value. */
export function readWords(words: readonly string[]): readonly string[] {
  const [first = 'start', second] = words;
  if (first === 'help') return second === undefined ? ['--help'] : [second, '--help'];
  // The other commands share no switch with Azurite, and what follows them may be a filter.
  return first === 'start' || first.startsWith('-') ? resolveSwitchValues(words, azuriteSwitches) : words;
}
