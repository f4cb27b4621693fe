// A connection string that a flag gives: directly, in a variable, or in a file.

import { readFileSync } from 'node:fs';
import { developmentAccount } from '../auth/accounts.ts';
import type { Environment } from './command-context.ts';
import type { FoundEndpoint } from './data-endpoint.ts';
import { UnusableOption } from './exit-codes.ts';

export interface ConnectionText {
  readonly text: string;
  /** Where the string comes from, as messages say it. */
  readonly source: string;
  /** Whether the string itself is on the command line. */
  readonly isVisible: boolean;
}

/** `given` is `@FILE`, `env:NAME` or a connection string. Throws UnusableOption. */
export function readConnectionText(flag: string, given: string, environment: Environment): ConnectionText {
  if (given.startsWith('@')) return { ...readFirstLine(flag, given.slice(1)), isVisible: false };
  if (!given.startsWith('env:')) return { text: given, source: flag, isVisible: true };
  const name = given.slice('env:'.length);
  const text = environment[name];
  if (!text) throw new UnusableOption(`${flag} ${given}: the variable is not set.`);
  return { text, source: name, isVisible: false };
}

function readFirstLine(flag: string, file: string): Pick<ConnectionText, 'text' | 'source'> {
  const source = `${flag} @${file}`;
  try {
    const [text = ''] = readFileSync(file, 'utf8')
      .replace(/^\ufeff/, '')
      .split(/\r?\n/, 1);
    return { text, source };
  } catch (error) {
    throw new UnusableOption(`${source} cannot be read: ${error instanceof Error ? error.message : error}.`);
  }
}

/** Warns that other users can read a secret on the command line. */
export function warnIfVisible(
  { isVisible, source }: ConnectionText,
  { endpoint: { credential } }: FoundEndpoint,
  warn: (line: string) => void,
): void {
  // The key of the development account is public.
  const isSecret = credential.kind === 'signature' || credential.key !== developmentAccount.key;
  if (!isVisible || !isSecret) return;
  warn(
    `${source} holds a secret, which other users of this machine can read in the list of processes: give @FILE or env:NAME.`,
  );
}
