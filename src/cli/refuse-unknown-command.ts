import { UnusableOption } from './unusable-option.ts';

/** Throws UnusableOption where the first word is no command; otherwise it would count as an argument of start. */
export function refuseUnknownCommand(word: string | undefined, commands: readonly string[]): void {
  if (word === undefined || word.startsWith('-') || commands.includes(word)) return;
  const hint = Object.hasOwn(hints, word) ? hints[word] : hintOf(nearest(word, commands));
  throw new UnusableOption(`unknown command ${word}: ${hint ?? ''}tanzanite --help lists the commands`);
}

/** Words that people try, and that are near to nothing, or to the wrong command. */
const hints: Readonly<Record<string, string>> = {
  version: 'did you mean --version? ',
  stop: 'an emulator ends with Ctrl-C or SIGTERM. ',
};

const hintOf = (command: string | undefined): string => (command === undefined ? '' : `did you mean ${command}? `);

const editsMax = 2;

/** The command that was probably meant: it begins with the word, or a slip or two lead to it. */
function nearest(word: string, commands: readonly string[]): string | undefined {
  const begun = commands.filter((command) => word.length > 1 && command.startsWith(word));
  if (begun.length === 1) return begun[0];
  const limit = Math.min(editsMax, word.length / 2);
  const [best] = commands
    .map((command) => ({ command, edits: countEdits(word, command) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits);
  return best?.command;
}

/** Letters to put in, take out or change until one word is the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
