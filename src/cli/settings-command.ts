// `tanzanite settings`: what a start with the same flags runs with, and where each value comes from.

import type { Command } from 'commander';
import { namesOf } from '../settings/setting-names.ts';
import { clipMiddle, columnsOf } from './columns.ts';
import type { CommandContext } from './command-context.ts';
import { describeOrigin, type Given } from './given-settings.ts';
import { openStartSources } from './placeless-sources.ts';
import { readStartOptions } from './read-start-options.ts';
import { type SettingGroup, type SettingInForce, settingsInForce, settingValue } from './settings-in-force.ts';
import { print } from './standard-output.ts';
import { addStartFlags, refuseArguments } from './start.ts';

const help = `
It takes the flags of start, refuses whatever start refuses, and starts nothing.
Each value comes from the first of these that sets it: a flag, a variable, the
settings file, the profile, the image (in a container), the default.
Passwords, tokens and keys are not printed.

Examples:
  tanzanite settings
  tanzanite settings --tablePort 0 --loose
  tanzanite settings --profile strict
  tanzanite settings --config ci.json --json`;

/** `tanzanite settings` */
export function addSettings(command: Command, { environment, notice }: CommandContext): void {
  command.option('--json', 'print JSON');
  addStartFlags(command)
    .summary('print the settings in force, and where each comes from')
    .description('print the settings that tanzanite start would use, and where each setting comes from')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: { readonly json?: true }) => {
      refuseArguments(command);
      const sources = openStartSources(command, environment);
      // Refuses what start refuses, such as a certificate without its key.
      readStartOptions(sources, notice);
      const groups = settingsInForce(sources);
      print(`${flags.json ? renderJson(groups) : renderSettings(groups, process.stdout.columns)}\n`);
    });
}

function renderJson(groups: readonly SettingGroup[]): string {
  const lines = groups.flatMap(({ settings }) =>
    settings.map(({ row, word, given }) => {
      const setting = { value: settingValue(row, word), from: given?.from ?? { kind: 'default' } };
      return `  ${JSON.stringify(namesOf(row.flag).member)}: ${JSON.stringify(setting)}`;
    }),
  );
  return `{\n${lines.join(',\n')}\n}`;
}

const valueColumnsMin = 8;
const none = '–';

/** On a terminal of `columns`, values are clipped so that every line fits. */
export function renderSettings(groups: readonly SettingGroup[], columns = Number.POSITIVE_INFINITY): string {
  const lines = groups.flatMap(({ settings }) => settings.map(cellsOf));
  const [nameColumns, valueColumns, fromColumns] = ([0, 1, 2] as const).map((at) =>
    Math.max(...lines.map((cells) => columnsOf(cells[at]))),
  ) as [number, number, number];
  const left = Math.max(valueColumnsMin, Math.min(valueColumns, columns - nameColumns - fromColumns - 6));
  const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - columnsOf(text)));
  return groups
    .map(({ heading, settings }) => {
      const rows = settings
        .map(cellsOf)
        .map(([name, value, from]) => `  ${pad(name, nameColumns)}  ${pad(clipMiddle(value, left), left)}  ${from}`);
      return [heading, ...rows].map((line) => clipMiddle(line, columns)).join('\n');
    })
    .join('\n');
}

function cellsOf({ row, word = none, given }: SettingInForce): readonly [string, string, string] {
  return [namesOf(row.flag).flag, word, given === undefined ? 'default' : placeColumn(given)];
}

/** Where a value comes from. The flag's name is not repeated, because it is in the first column. */
const placeColumn = ({ from }: Given): string => (from.kind === 'flag' ? 'flag' : describeOrigin(from));
