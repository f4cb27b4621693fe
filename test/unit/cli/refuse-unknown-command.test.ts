import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { refuseUnknownCommand } from '../../../src/cli/refuse-unknown-command.ts';
import { UnusableOption } from '../../../src/cli/unusable-option.ts';

const program = createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });
const commands = program.commands.map((command) => command.name());

describe('refuseUnknownCommand', () => {
  it.each([undefined, '--silent', '-s', ...commands])('lets pass: %s', (word) => {
    expect(() => refuseUnknownCommand(word, commands)).not.toThrow();
  });

  it.each([
    ['heath', 'did you mean health?'],
    ['strat', 'did you mean start?'],
    ['wiat', 'did you mean wait?'],
    ['expl', 'did you mean explain?'],
    ['connectionstring', 'did you mean connection-string?'],
    ['version', 'did you mean --version?'],
    ['stop', 'an emulator ends with Ctrl-C or SIGTERM.'],
  ])('names %s, and what was meant', (word, hint) => {
    expect(() => refuseUnknownCommand(word, commands)).toThrow(
      new UnusableOption(`unknown command ${word}: ${hint} tanzanite --help lists the commands`),
    );
  });

  it.each(['foo', 'x', 'c', 'azurite', 'constructor', 'toString'])('guesses nothing for %s', (word) => {
    expect(() => refuseUnknownCommand(word, commands)).toThrow(
      new UnusableOption(`unknown command ${word}: tanzanite --help lists the commands`),
    );
  });
});
