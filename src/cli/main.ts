#!/usr/bin/env node
import type { Command } from 'commander';
import { escapeControls } from '../model/printable-text.ts';
import { exitCodeUnanswered, exitCodeUnusable } from './exit-codes.ts';
import { NoAnswer } from './no-answer.ts';
import { createFrame, isLightCommand } from './program-frame.ts';
import { readWords } from './read-words.ts';
import { refuseUnknownCommand } from './refuse-unknown-command.ts';
import { UnusableOption } from './unusable-option.ts';

const complain = (line: string): void =>
  void process.stderr.write(`tanzanite: ${escapeControls(line.replaceAll(/\s*\n\s*/g, ' '))}\n`);

try {
  const words = readWords(process.argv.slice(2));
  const [first] = words;
  const program = isLightCommand(first) ? createFrame(process.env) : await createWholeProgram();
  refuseUnknownCommand(
    first,
    program.commands.map((command) => command.name()),
  );
  await program.parseAsync(words, { from: 'user' });
} catch (error) {
  if (!(error instanceof UnusableOption || error instanceof NoAnswer)) throw error;
  complain(error.message);
  process.exit(error instanceof NoAnswer ? exitCodeUnanswered : exitCodeUnusable);
}

/** Loads the emulator, which takes its time. */
async function createWholeProgram(): Promise<Command> {
  const [{ createProgram }, { startCommand }] = await Promise.all([
    import('./program.ts'),
    import('./start-command.ts'),
  ]);
  return createProgram({ start: startCommand, environment: process.env, notice: complain });
}
