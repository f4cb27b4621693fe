// `tanzanite parity`: its flags and its help. The rest is loaded only when the command runs.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import type { ParityFlags } from './parity-flags.ts';

const help = `
FILE is a recording (start --record, exec --record), or an HTTP archive (HAR) of
another program with bodies. --against is one of these:
  an address     of an account on this machine, such as
                 http://127.0.0.1:10002/devstoreaccount1
  @FILE          a file with a connection string in its first line
  env:NAME       a variable with a connection string
  a string       the connection string itself

At the endpoint, the names of tables get a prefix, and the tables are removed at
the end. Times, ids and ETags are compared by their form. Before requests go to
an account on another machine, they are counted, and you must confirm them with
--yes or at a terminal.

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
    .description('repeat recorded requests at another endpoint, and report which responses differ')
    .argument('<file>', 'a recording, or an HTTP archive')
    .requiredOption('--against <endpoint>', 'repeat the requests at this endpoint: an address, @FILE, env:NAME')
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
