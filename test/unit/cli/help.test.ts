import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  exitCodeFindings,
  exitCodeInterrupted,
  exitCodesHelp,
  exitCodeUnanswered,
  exitCodeUnusable,
} from '../../../src/cli/exit-codes.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { ignoredFlags } from '../../../src/cli/read-start-options.ts';
import { runCommand } from '../../support/run-command.ts';

const program = await createProgram({ start: async () => undefined, environment: {}, notice: () => undefined });
const commands = program.commands.map((command) => [command.name(), command] as const);
const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const columnsMax = 80;

/** Each command and each subcommand, by the words with which they are called. */
const calls = commands.flatMap(([name, command]) => [
  [name, command] as const,
  ...command.commands.map((below) => [`${name} ${below.name()}`, below] as const),
]);

const helps = new Map<string, Promise<string>>();

/** The help that the built command prints. Each help is printed only once for all tests. */
function helpOf(...words: string[]): Promise<string> {
  const call = words.join(' ');
  const help = helps.get(call) ?? runCommand([...words, '--help']).then(({ stdout }) => stdout);
  helps.set(call, help);
  return help;
}

const visibleOptions = (command: Command): Option[] =>
  program
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');

/** The options of a command and its subcommands, each once. */
const allOptions = (command: Command): Option[] => {
  const options = [command, ...command.commands].flatMap(visibleOptions);
  return options.filter(({ flags }, at) => options.findIndex((other) => other.flags === flags) === at);
};

describe('the help', () => {
  it('of the program has a line for each command, examples and exit codes', async () => {
    const text = await helpOf();
    for (const [name] of commands) expect(text.match(new RegExp(`^ {2}${name}\\b.*[a-z]$`, 'gm'))).toHaveLength(1);
    expect(text).toContain('\nExamples:\n');
    expect(text).toContain(exitCodesHelp);
  });

  it('of start has each of its flags once, under a heading', async () => {
    const text = await helpOf('start');
    const headings = [...text.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    expect(headings.slice(0, 2)).toEqual(['Address', 'Data']);
    expect(headings.slice(-4)).toEqual(['Options', 'Environment', 'Examples', 'Exit codes']);
    expect(headings.length).toBeGreaterThan(8);
    const start = program.commands.find((command) => command.name() === 'start')!;
    for (const { flags } of visibleOptions(start)) expect(text.split(`  ${flags} `)).toHaveLength(2);
  });

  it('is also printed by the command help, for the program and each command', { timeout: 240_000 }, async () => {
    expect(await runCommand(['help'])).toEqual({ code: 0, stdout: await helpOf(), stderr: '' });
    await Promise.all(
      calls.map(async ([name]) => {
        const words = name.split(' ');
        const [printed, stdout] = await Promise.all([runCommand(['help', ...words]), helpOf(...words)]);
        expect(printed).toEqual({ code: 0, stdout, stderr: '' });
      }),
    );
  });

  it.each([['', undefined] as const, ...calls])('of %s fits a terminal', async (name) => {
    const lines = (await helpOf(...(name === '' ? [] : name.split(' ')))).split('\n');
    expect(lines.filter((line) => line.length > columnsMax)).toEqual([]);
  });
});

interface Described {
  readonly flags: string;
  readonly choices: readonly string[];
  readonly defaultValue: string;
}

const startFlags = visibleOptions(program.commands.find((command) => command.name() === 'start')!).map(
  ({ flags }) => flags,
);

/** The flags in the tables of each command on the page. */
const described = new Map(
  page
    .split(/^## /m)
    .filter((section) => section.startsWith('`tanzanite '))
    .map((section) => {
      const title = /^`tanzanite (.*)`\n/.exec(section)?.[1] ?? '';
      const rows = [...section.matchAll(/^\| `(-.*?)` \| (.*) \| (.*?) ?\|$/gm)];
      const flags = rows.map(([, flags = '', text = '', value = '']): Described => {
        const choices = /\((`[^)]*`)\)$/.exec(text)?.[1]?.replaceAll('`', '').split(', ') ?? [];
        return { flags: flags.replaceAll('\\|', '|'), choices, defaultValue: value.replaceAll('`', '') };
      });
      return [title, flags] as const;
    }),
);

/** Describes an option as the page does. A default that the command computes itself is only in the description. */
function describeOption({ flags, argChoices, defaultValue, defaultValueDescription, description }: Option): Described {
  const described = /\(default: ([^)]*)\)$/.exec(description)?.[1];
  return {
    flags,
    choices: argChoices ?? [],
    defaultValue: defaultValueDescription ?? String(defaultValue ?? described ?? ''),
  };
}

describe('docs/cli.md', () => {
  it('has exactly the commands of the program, with their arguments', () => {
    const titles = commands.map(([name, command]) =>
      [
        name,
        ...command.registeredArguments.map((argument) =>
          argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
        ),
        ...(command.commands.length > 0 ? ['<command>'] : []),
      ].join(' '),
    );
    expect([...described.keys()]).toEqual(titles);
  });

  it.each(commands.filter(([name, command]) => name !== 'start' && command.commands.length === 0))(
    'has every flag of %s with its choices and default, in the order of the help, and no other flag',
    (name, command) => {
      const own = [...described].find(([title]) => title.split(' ')[0] === name)?.[1];
      // The flags of start are in docs/settings.md.
      const flags = visibleOptions(command).filter(({ flags }) => name !== 'settings' || !startFlags.includes(flags));
      expect(own).toEqual(flags.map(describeOption));
    },
  );

  it.each(commands.filter(([, command]) => command.commands.length > 0))(
    'has exactly the flags of the subcommands of %s, with their choices and defaults',
    (name, command) => {
      const own = [...described].find(([title]) => title.split(' ')[0] === name)?.[1] ?? [];
      const byFlags = (list: readonly Described[]): Map<string, Described> =>
        new Map(list.map((one) => [one.flags, one]));
      expect(own.length).toBeGreaterThan(0);
      expect(byFlags(own)).toEqual(byFlags(allOptions(command).map(describeOption)));
    },
  );

  it('has every subcommand with its arguments', () => {
    for (const [name, { registeredArguments }] of calls.filter(([name]) => name.includes(' '))) {
      const words = registeredArguments.map((argument) => {
        const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
        return argument.required ? `<${text}>` : `[${text}]`;
      });
      expect(page).toMatch(new RegExp(`\`(tanzanite )?${[name, ...words].join(' ').replaceAll(/[[\].]/g, '\\$&')}\``));
    }
  });

  it('has the headings of the flags', () => {
    for (const [, command] of commands.filter(([name]) => name !== 'start' && name !== 'settings')) {
      const groups = allOptions(command).flatMap(({ helpGroupHeading }) => helpGroupHeading ?? []);
      for (const group of groups) expect(page).toContain(`\n### ${group.replace(/:$/, '')}\n`);
    }
  });

  it('has exactly the flags of Azurite that have no effect', () => {
    const section = /### Flags of Azurite[^#]*/.exec(page)?.[0] ?? '';
    expect([...section.matchAll(/`(--[^`]+)`/g)].map(([, flag]) => flag)).toEqual(ignoredFlags);
  });

  it('has the exit codes, with the texts of the help', () => {
    const rows = [...page.matchAll(/^\| `(\d+)` \| (.*) \|$/gm)].map(([, code, text]) => [Number(code), text]);
    const help = [...exitCodesHelp.replaceAll(/\n {6}/g, ' ').matchAll(/^ {2}(\d+) {1,3}(.*)$/gm)];
    expect(rows).toEqual(help.map(([, code, text]) => [Number(code), text]));
    expect(rows.map(([code]) => code)).toEqual([
      0,
      exitCodeUnanswered,
      exitCodeUnusable,
      exitCodeFindings,
      exitCodeInterrupted,
    ]);
  });

  it('has exactly the variables that the help texts name', async () => {
    const texts = await Promise.all(calls.map(([name]) => helpOf(...name.split(' '))));
    const named = texts.flatMap((text) =>
      [...text.matchAll(/^ {2}((?:AZURE|AZURITE|TANZANITE)_\w+)/gm)].map(([, name]) => name),
    );
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...new Set(named)].sort());
  });
});
