import { describe, expect, it } from 'vitest';
import { readWords, resolveSwitchValues, startSwitches } from '../../../src/cli/command-words.ts';
import { createProgram } from '../../../src/cli/program.ts';

describe('readWords', () => {
  it.each([
    [['help'], ['--help']],
    [
      ['help', 'start'],
      ['start', '--help'],
    ],
    [
      ['help', 'connection-string'],
      ['connection-string', '--help'],
    ],
  ])('reads %j as %j', (words, read) => {
    expect(readWords(words)).toEqual(read);
  });

  it.each([
    [
      ['start', '--silent', 'true', '--loose=false'],
      ['start', '--silent', '--no-loose'],
    ],
    [
      ['--silent=true', '--loose', 'false'],
      ['--silent', '--no-loose'],
    ],
    [
      ['settings', '--silent', 'true'],
      ['settings', '--silent'],
    ],
  ])('removes values from the switches of a start: %j', (words, read) => {
    expect(readWords(words)).toEqual(read);
  });

  it.each([
    { words: [] },
    { words: ['health', '-s', 'true'] },
    { words: ['explain', '--silent', 'true'] },
    { words: ['start', 'help'] },
  ])('does not change other words: $words', ({ words }) => {
    expect(readWords(words)).toEqual(words);
  });
});

const resolve = (line: string): string => resolveSwitchValues(line.split(' '), startSwitches).join(' ');

describe('resolveSwitchValues', () => {
  it.each([
    ['--silent true --tablePort 0', '--silent --tablePort 0'],
    ['--silent=true', '--silent'],
    ['-s true -L=true', '-s -L'],
    ['--disableTelemetry=true --skipApiVersionCheck true', '--disableTelemetry --skipApiVersionCheck'],
  ])('removes the value true: %s', (line, resolved) => {
    expect(resolve(line)).toBe(resolved);
  });

  it.each([
    ['--loose false --silent', '--no-loose --silent'],
    ['start --loose=false', 'start --no-loose'],
    ['-s false --inMemoryPersistence=false -L', '--no-silent --no-inMemoryPersistence -L'],
    ['--in-memory-persistence=false', '--no-inMemoryPersistence'],
    ['--no-explain=false --noExplain false', '--explain --explain'],
    ['--disableTelemetry false --loose', '--loose'],
  ])('turns off a switch that is false: %s', (line, resolved) => {
    expect(resolve(line)).toBe(resolved);
  });

  it.each([
    'start --silent --loose --location /data',
    '--location true --silent',
    '--accounts=true --pwd false',
    '--silent=maybe --loose 1',
    'true false',
    '-- --silent true --loose=false',
  ])('does not change anything else: %s', (line) => {
    expect(resolve(line)).toBe(line);
  });

  it('removes one value of a switch, not two', () => {
    expect(resolve('--silent true true')).toBe('--silent true');
    expect(resolve('--silent=true true')).toBe('--silent true');
    expect(resolve('--silent=false true')).toBe('--no-silent true');
  });
});

describe('startSwitches', () => {
  it('are the flags of start without a value, in every spelling, except those that turn something off', async () => {
    const context = { start: async () => undefined, environment: {}, notice: () => undefined };
    const program = await createProgram(context, ['start']);
    const start = program.commands.find((command) => command.name() === 'start')!;
    const switches = start.options.filter(({ required, optional }) => !required && !optional);
    const names = switches.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
    const opposites = names.filter((name) =>
      /^--(no-(?!explain|advisor|fault-header)|no[A-Z](?!xplain|dvisor|aultHeader)|(explain|advisor|fault-header|faultHeader)$)/.test(
        name,
      ),
    );
    expect([...startSwitches.keys()].toSorted()).toEqual(names.filter((name) => !opposites.includes(name)).toSorted());
  });
});
