// Commands and flags that do not exist, and what was probably meant.

import { nearest } from '../settings/nearest-name.ts';
import { UnusableOption } from './exit-codes.ts';

/** Throws UnusableOption if the first word is not a command; commander would treat it as an argument of start. */
export function refuseUnknownCommand(word: string | undefined, commands: readonly string[]): void {
  if (word === undefined || word.startsWith('-') || commands.includes(word)) return;
  const hint = Object.hasOwn(commandHints, word) ? commandHints[word] : hintOf(nearest(word, commands));
  throw new UnusableOption(`unknown command ${word}: ${hint ?? ''}tanzanite --help lists the commands`);
}

/** Words that people try. The command with the most similar name would be the wrong one. */
const commandHints: Readonly<Record<string, string>> = {
  version: 'did you mean --version? ',
  stop: 'an emulator ends with Ctrl-C or SIGTERM. ',
  'azurite-table': 'did you mean start, which takes the same flags? ',
  'azurite-blob': 'did you mean azurite, which starts blobs and queues too? ',
  'azurite-queue': 'did you mean azurite, which starts blobs and queues too? ',
};

const hintOf = (command: string | undefined): string => (command === undefined ? '' : `did you mean ${command}? `);

/** Flags that people know from other programs; the flag with the most similar name would be the wrong one. */
const rightFlags: Readonly<Record<string, string>> = {
  '-p': '--tablePort',
  '--port': '--tablePort',
  '--host': '--tableHost',
  '--in-memory': '--inMemoryPersistence',
  '--inMemory': '--inMemoryPersistence',
  '--memory': '--inMemoryPersistence',
  '--db': '--location',
  '--data': '--location',
};

/**
 * Returns the flag of `tanzanite start` that means the same as this flag of another program. Returns undefined if this
 * file knows no such flag.
 */
export function rightFlag(wrong: string): string | undefined {
  return Object.hasOwn(rightFlags, wrong) ? rightFlags[wrong] : undefined;
}
