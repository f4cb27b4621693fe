import type { Command } from 'commander';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { type ExplainOptions, explainCommand } from './explain-command.ts';
import { UnusableOption } from './unusable-option.ts';

interface ExplainFlags extends ControlFlags {
  readonly json?: true;
  readonly table?: string;
  readonly account?: string;
}

const help = `
Without --table it needs no emulator: the plan follows from the filter alone.
With --table a running emulator reads one page, and its figures are printed as
well. The exit code is 2 for a filter that the service refuses, and 1 when the
emulator that was asked has no answer.

Examples:
  tanzanite explain "PartitionKey eq 'a' and RowKey ge 'b' and Age gt 5"
  tanzanite explain "Age gt 5" --table People
  tanzanite explain "Age gt 5" --json

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

/** `tanzanite explain <filter>` */
export function addExplain(command: Command, environment: Environment): Command {
  return addControlFlags(command)
    .summary('say what a query costs and what would make it cheaper')
    .description('say how the service would carry out a query, and what would make it cheaper')
    .argument('<filter>', 'the filter, as $filter holds it; "" for none')
    .option('--json', 'print JSON')
    .option('--table <name>', 'read one page of this table of a running emulator')
    .option('--account <name>', 'account of the table; without one, the first of the emulator')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite explain --help lists the flags)')
    .addHelpText('after', help)
    .action((filter: string, flags: ExplainFlags) => explainCommand(readExplainOptions(filter, flags, environment)));
}

function readExplainOptions(filter: string, flags: ExplainFlags, environment: Environment): ExplainOptions {
  const { json: isJson = false, table, account } = flags;
  if (table === undefined) {
    const idle = (['url', 'insecure', 'account', 'controlToken'] as const).filter((name) => flags[name] !== undefined);
    if (idle.length > 0) throw new UnusableOption(`${idle.map(flagOf).join(', ')}: name a --table beside it.`);
    return { filter, isJson };
  }
  const emulator = readControlAddress(flags, environment);
  return { filter, isJson, page: { table, ...(account === undefined ? {} : { account }) }, emulator };
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
