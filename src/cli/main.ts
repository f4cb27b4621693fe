#!/usr/bin/env node
import { escapeControls } from '../model/printable-text.ts';
import type { CommandContext, StartCommandOptions } from './command-context.ts';
import { readWords } from './command-words.ts';
import { enableCompileCache } from './compile-cache.ts';
import { exitCodeUnanswered, exitCodeUnusable, NoAnswer, UnusableOption } from './exit-codes.ts';
import { commandNames, commandsNeeded, createProgram } from './program.ts';
import { Interrupted } from './progress.ts';
import { refuseUnknownCommand } from './wrong-names.ts';

const printError = (line: string): void =>
  void process.stderr.write(`tanzanite: ${escapeControls(line.replaceAll(/\s*\n\s*/g, ' '))}\n`);

// A notice that cannot be written, because a disk is full or the reader is gone, must not end the process.
process.stderr.on('error', () => undefined);

const context: CommandContext = { environment: process.env, start: startEmulator, notice: printError };

try {
  const words = readWords(process.argv.slice(2));
  refuseUnknownCommand(words[0], commandNames);
  const program = await createProgram(context, commandsNeeded(words));
  await program.parseAsync(words, { from: 'user' });
} catch (error) {
  if (error instanceof Interrupted) {
    printError(error.message);
    process.exit(error.exitCode);
  }
  if (!(error instanceof UnusableOption || error instanceof NoAnswer)) throw error;
  printError(error.message);
  process.exit(error instanceof NoAnswer ? exitCodeUnanswered : exitCodeUnusable);
}

/** Loads the emulator. This takes most of the time of a start. */
async function startEmulator(options: StartCommandOptions): Promise<void> {
  enableCompileCache(process.env);
  const { startCommand } = await import('./start-command.ts');
  return startCommand(options, printError);
}
