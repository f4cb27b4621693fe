import { describe, expect, it } from 'vitest';
import { nameRightFlag } from '../../../src/cli/name-right-flag.ts';
import { runCommand } from './run-command.ts';

describe('nameRightFlag', () => {
  it.each([
    ["error: unknown option '--nonsense'\n"],
    ["error: unknown option '--tablPort'\n(Did you mean --tablePort?)\n"],
    ["error: option '--tablePort <port>' argument '--port' is invalid. A port is 0 to 65535.\n"],
    ["error: unknown option '--constructor'\n"],
  ])('leaves any other complaint: %j', (complaint) => {
    expect(nameRightFlag(complaint)).toBe(complaint);
  });
});

describe('A start with a flag that is called otherwise here', () => {
  it.each([
    ['--port 3', '--tablePort'],
    ['--port=3', '--tablePort'],
    ['-p 3', '--tablePort'],
    ['--host 0.0.0.0', '--tableHost'],
    ['--in-memory', '--inMemoryPersistence'],
    ['--inMemory', '--inMemoryPersistence'],
    ['--db ./data', '--location'],
    ['--data ./data', '--location'],
  ])('is refused with code 2 and names the right one: %s', async (line, right) => {
    const { code, stdout, stderr } = await runCommand(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: unknown option '${line.split(/[ =]/)[0]}'\n(Did you mean ${right}?)\n(tanzanite start --help lists the flags)\n`,
    );
  });
});
