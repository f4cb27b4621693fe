// `tanzanite report`: its flags and its help. The rest is loaded only when the command runs.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { NumberRange, ReportFlags } from './report-flags.ts';

const help = `
FILE is a recording (start --record, exec --record) or an HTTP archive. The
report is a recording too, and anyone can repeat it with tanzanite parity. It
contains the versions, the settings that differ from the default, and the
requests, without secrets. Placeholders replace texts of entities, keys,
literals, accounts and hosts; equal values get equal placeholders. Names of
tables and properties, numbers, booleans and dates stay.

The report is printed. With --out it is also written, after a confirmation by
--yes or at a terminal.

Examples:
  tanzanite report orders.ndjson --requests 12,17-20
  tanzanite report orders.ndjson --requests 1-40 --out report.ndjson`;

/** `tanzanite report` */
export function addReport(command: Command, _: CommandContext): void {
  command
    .summary('create a bundle of recorded requests for an issue')
    .description('create a bundle of recorded requests for an issue, without secrets and personal values')
    .argument('<file>', 'a recording, or an HTTP archive')
    .addOption(
      new Option('--requests <numbers>', 'only these requests, numbered as in parity, such as 12,17-20').argParser(
        readRanges,
      ),
    )
    .option('--out <file>', 'write the report to this new file')
    .option('--yes', 'do not ask before the file is written')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(async (file: string, flags: ReportFlags) => {
      const { reportCommand } = await import('./report-command.ts');
      await reportCommand(file, flags);
    });
}

function readRanges(text: string): readonly NumberRange[] {
  return text.split(',').map((part) => {
    const [, first, last = first] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(first) > Number(last))
      throw new InvalidArgumentError('Give numbers and ranges, such as 12,17-20.');
    return { first: Number(first), last: Number(last) };
  });
}
