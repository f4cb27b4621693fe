import { createInterface } from 'node:readline/promises';
import { UnusableOption } from './exit-codes.ts';

/** Throws UnusableOption unless a person at the terminal agrees. `elsewhere` says what to do without a terminal. */
export async function askAtTerminal(question: string, elsewhere: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UnusableOption(`${elsewhere}.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new UnusableOption('not confirmed; nothing was done.');
  } finally {
    lines.close();
  }
}
