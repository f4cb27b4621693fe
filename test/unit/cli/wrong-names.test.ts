import { describe, expect, it } from 'vitest';
import { UnusableOption } from '../../../src/cli/exit-codes.ts';
import { commandNames } from '../../../src/cli/program.ts';
import { refuseUnknownCommand } from '../../../src/cli/wrong-names.ts';
import { runCommand } from '../../support/run-command.ts';

describe('refuseUnknownCommand', () => {
  it.each([undefined, '--silent', '-s', ...commandNames])('accepts: %s', (word) => {
    expect(() => refuseUnknownCommand(word, commandNames)).not.toThrow();
  });

  it.each([
    ['heath', 'did you mean health?'],
    ['strat', 'did you mean start?'],
    ['wiat', 'did you mean wait?'],
    ['expl', 'did you mean explain?'],
    ['connectionstring', 'did you mean connection-string?'],
    ['version', 'did you mean --version?'],
    ['stop', 'an emulator ends with Ctrl-C or SIGTERM.'],
    ['azurite-table', 'did you mean start, which takes the same flags?'],
    ['azurite-blob', 'did you mean azurite, which starts blobs and queues too?'],
  ])('names %s, and suggests the right name', (word, hint) => {
    expect(() => refuseUnknownCommand(word, commandNames)).toThrow(
      new UnusableOption(`unknown command ${word}: ${hint} tanzanite --help lists the commands`),
    );
  });

  it.each(['foo', 'x', 'c', 'constructor', 'toString'])('suggests nothing for %s', (word) => {
    expect(() => refuseUnknownCommand(word, commandNames)).toThrow(
      new UnusableOption(`unknown command ${word}: tanzanite --help lists the commands`),
    );
  });
});

describe('A start with a flag that has another name in Tanzanite', () => {
  it.each([
    ['--port 3', '--tablePort'],
    ['--port=3', '--tablePort'],
    ['-p 3', '--tablePort'],
    ['--host 0.0.0.0', '--tableHost'],
    ['--in-memory', '--inMemoryPersistence'],
    ['--tablPort 3', '--tablePort'],
    ['--inMemory', '--inMemoryPersistence'],
    ['--db ./data', '--location'],
    ['--data ./data', '--location'],
  ])('is refused with code 2 and names the right flag: %s', async (line, right) => {
    const { code, stdout, stderr } = await runCommand(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `tanzanite: unknown flag ${line.split(/[ =]/)[0]}: did you mean ${right}? tanzanite start --help lists the flags\n`,
    );
  });
});
