#!/usr/bin/env node
import { exitCodeUnanswered, exitCodeUnusable } from './exit-codes.ts';
import { NoAnswer } from './no-answer.ts';
import { createProgram } from './program.ts';
import { startCommand } from './start-command.ts';
import { UnusableOption } from './unusable-option.ts';

const complain = (line: string): void => void process.stderr.write(`tanzanite: ${line.replaceAll(/\s*\n\s*/g, ' ')}\n`);

try {
  await createProgram({ start: startCommand, environment: process.env, notice: complain }).parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof UnusableOption || error instanceof NoAnswer)) throw error;
  complain(error.message);
  process.exit(error instanceof NoAnswer ? exitCodeUnanswered : exitCodeUnusable);
}
