// `tanzanite parity`: its flags and its help. What it does is loaded when the command is run.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { ParityFlags } from './parity-flags.ts';

const help = `
FILE is a recording (start --record, exec --record), or an HTTP archive (HAR) of
another program with bodies. --against is the address of an account on this
machine, such as http://127.0.0.1:10002/devstoreaccount1, @FILE (the first line
of a file is a connection string), env:NAME (a variable holds one), or the
connection string itself.

Tables get names with a prefix there and are removed at the end. Times, ids and
ETags are compared by their form. Requests to an account beyond this machine are
counted first, and must be confirmed by --yes or at a terminal.

The exit code is 0 if all responses are the same, 1 if some differ or nothing
answers, 2 if the file or the command line cannot be used.

Examples:
  tanzanite exec --record orders.ndjson -- npm test
  tanzanite parity orders.ndjson --against http://127.0.0.1:10102
  tanzanite parity orders.ndjson --against @azure.txt --tables-prefix try1`;

/** `tanzanite parity` */
export function addParity(command: Command, { environment }: CommandContext): void {
  command
    .summary('repeat recorded requests elsewhere and compare the responses')
    .description('repeat recorded requests at another endpoint, and name what is answered differently')
    .argument('<file>', 'a recording, or an HTTP archive')
    .requiredOption('--against <endpoint>', 'repeat the requests there: an address, @FILE, env:NAME')
    .addOption(
      new Option(
        '--tables-prefix <text>',
        'put this prefix before the names of tables (default: parity and 8 digits)',
      ).argParser(readPrefix),
    )
    .option('--yes', 'do not ask before requests are sent beyond this machine')
    .option('--json', 'print one JSON document, and no progress')
    .option('--insecure', 'accept any certificate, such as a self-signed one')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action(async (file: string, flags: ParityFlags) => {
      const { parityCommand } = await import('./parity-command.ts');
      await parityCommand(file, flags, environment);
    });
}

function readPrefix(text: string): string {
  if (/^[A-Za-z][A-Za-z0-9]{2,19}$/.test(text)) return text;
  throw new InvalidArgumentError('Give 3 to 20 letters and digits, a letter first.');
}
