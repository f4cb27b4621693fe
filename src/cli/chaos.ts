// `tanzanite chaos`: its flags and its help. The emulator is loaded only when the command runs.

import { type Command, Option } from 'commander';
import { type Recipe, recipes } from '../faults/recipes.ts';
import { nearest } from '../settings/nearest-name.ts';
import type { CommandContext } from './command-context.ts';
import { enableCompileCache } from './compile-cache.ts';
import { addEmulatorForCommandFlags, type ChaosFlags, refuseNames } from './exec-flags.ts';
import { UnusableOption } from './exit-codes.ts';

const recipeNames: readonly string[] = recipes.map(({ name }) => name);

const help = `
The command runs once without a failure, and then once for each failure:
${recipes.map(({ name, what }) => `  ${name.padEnd(22)} ${what}`).join('\n')}

Each run has its own emulator, as tanzanite exec starts it. A run survives
if the command ends with 0. A failure is not met if it struck no request of the
command. docs/faults.md says how a program survives each failure.

The exit code is 0 if every run ended with 0, else 1. A run that takes longer
than --timeout is ended, and has the exit code 124.

Examples:
  tanzanite chaos -- npm test
  tanzanite chaos --only timeout-after-commit,empty-page -- node import.mjs
  tanzanite chaos --out ./chaos --junit chaos.xml -- pytest`;

/** `tanzanite chaos -- <command>` */
export function addChaos(command: Command, context: CommandContext): void {
  addEmulatorForCommandFlags(command)
    .summary('run a command once for each failure that it should survive')
    .description('run a command once for each service failure that the command should survive')
    .usage('[options] -- <command...>')
    .argument('<command...>', 'the program and its arguments; no shell reads them')
    .addOption(
      new Option('--only <names>', 'only these failures, separated by commas (repeatable)')
        .default([], '')
        .argParser(addNames),
    )
    .addOption(
      new Option('--timeout <time>', 'end a run after this time, such as 90s or 10m')
        .default(readTime('10m'), '10m')
        .argParser(readTime),
    )
    .option('--out <folder>', 'keep the output of each run in this folder')
    .option('--json', 'print JSON')
    .option('--junit <file>', 'write the results as JUnit, too')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(async (words: readonly string[], flags: ChaosFlags) => {
      refuseNames(flags.env);
      enableCompileCache(process.env);
      const { chaosCommand } = await import('./chaos-command.ts');
      await chaosCommand(words, { flags, recipes: chooseRecipes(flags.only) }, context);
    });
}

/** Throws UnusableOption. */
function addNames(word: string, before: readonly string[]): readonly string[] {
  const names = word.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !recipeNames.includes(name));
  if (wrong === undefined) return [...before, ...names];
  const near = nearest(wrong, recipeNames);
  const hint = near === undefined ? `the failures are ${recipeNames.join(', ')}` : `did you mean ${near}?`;
  throw new UnusableOption(`--only: there is no failure ${wrong || 'without a name'}; ${hint}`);
}

/** The named recipes, in the order of the list; all recipes if none is named. */
const chooseRecipes = (names: readonly string[]): readonly Recipe[] =>
  names.length === 0 ? recipes : recipes.filter(({ name }) => names.includes(name));

const unitMs: Readonly<Record<string, number>> = { '': 1_000, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const dayMs = 86_400_000;

/** Returns milliseconds. Throws UnusableOption. */
function readTime(word: string): number {
  const [, number, unit = ''] = /^(\d{1,8})(ms|s|m|h)?$/.exec(word) ?? [];
  const ms = Number(number) * (unitMs[unit] ?? 0);
  if (ms >= 1 && ms <= dayMs) return ms;
  throw new UnusableOption(`--timeout must be a time from 1ms to 24h, such as 90s or 10m, not ${word || 'empty'}.`);
}
