import { describe, expect, it } from 'vitest';
import { azuriteSwitches } from '../../../src/cli/flags.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { resolveSwitchValues } from '../../../src/cli/resolve-switch-values.ts';

const resolve = (line: string): string => resolveSwitchValues(line.split(' '), azuriteSwitches).join(' ');

describe('resolveSwitchValues', () => {
  it.each([
    ['--silent true --tablePort 0', '--silent --tablePort 0'],
    ['--silent=true', '--silent'],
    ['-s true -L=true', '-s -L'],
    ['--disableTelemetry=true --skipApiVersionCheck true', '--disableTelemetry --skipApiVersionCheck'],
  ])('takes a true off: %s', (line, resolved) => {
    expect(resolve(line)).toBe(resolved);
  });

  it.each([
    ['--loose false --silent', '--silent'],
    ['start --loose=false', 'start'],
    ['-s false --inMemoryPersistence=false -L', '-L'],
  ])('takes a switch off that is false: %s', (line, resolved) => {
    expect(resolve(line)).toBe(resolved);
  });

  it.each([
    'start --silent --loose --location /data',
    '--location true --silent',
    '--accounts=true --pwd false',
    '--silent=maybe --loose 1',
    '--strict-api-version true',
    'true false',
    '-- --silent true --loose=false',
  ])('leaves everything else: %s', (line) => {
    expect(resolve(line)).toBe(line);
  });

  it('takes one value for a switch, not two', () => {
    expect(resolve('--silent true true')).toBe('--silent true');
    expect(resolve('--silent=true true')).toBe('--silent true');
    expect(resolve('--silent=false true')).toBe('true');
  });
});

describe('azuriteSwitches', () => {
  it('are flags of start that take no value', () => {
    const program = createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });
    const start = program.commands.find((command) => command.name() === 'start')!;
    const switches = start.options.filter(({ required, optional }) => !required && !optional);
    const names = switches.flatMap(({ short, long }) => [short, long]);
    expect(names).toEqual(expect.arrayContaining([...azuriteSwitches]));
  });
});
