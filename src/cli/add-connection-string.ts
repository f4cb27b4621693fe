import { type Command, Option } from 'commander';
import { developmentAccount } from '../auth/accounts.ts';
import type { ConnectionStringOptions, SharedAccessKind } from './connection-string-command.ts';
import { readEmulatorAddress, urlFlag } from './emulator-flags.ts';
import type { Environment } from './environment.ts';
import { type Shell, shells } from './shells.ts';
import { UnusableOption } from './unusable-option.ts';

interface ConnectionStringFlags {
  readonly account: string;
  readonly accounts?: string;
  readonly url?: string;
  readonly export?: true;
  readonly shell: Shell;
  readonly sas?: SharedAccessKind | true;
  readonly table?: string;
  readonly permissions?: string;
  readonly expires?: string;
  readonly urlOnly?: true;
}

const help = `
It asks no emulator: what it prints fits one that was started with the same
accounts. A signature stands for the account, or for the entities of a table; it
allows everything for an hour, unless told otherwise.

--export names AZURE_STORAGE_CONNECTION_STRING, which the Azure CLI and many
samples read, and AZURE_TABLES_CONNECTION_STRING. AzureWebJobsStorage is not
among them: the Functions host wants blobs and queues there as well.

Go's aztables takes no string with a signature: give it --sas --url-only.

Examples:
  tanzanite connection-string
  eval "$(tanzanite connection-string --export)"
  tanzanite connection-string --shell powershell | Invoke-Expression
  tanzanite connection-string --sas --table People --permissions r --expires 60
  curl "$(tanzanite connection-string --sas --table People --url-only)"

Environment:
  AZURITE_ACCOUNTS         accounts and keys, as the emulator was started with
  TANZANITE_URL            as --url`;

/** `tanzanite connection-string` */
export function addConnectionString(command: Command, environment: Environment): Command {
  return command
    .summary('print what a client connects with')
    .description('print the connection string of an account, as the Azure SDKs take it')
    .option('--account <name>', 'account to connect to', developmentAccount.name)
    .option('--accounts <any|file>', 'where its key is, as the emulator was started with; without: AZURITE_ACCOUNTS')
    .option(...urlFlag)
    .option('--export', 'print it as environment variables, for a shell to read')
    .addOption(
      new Option('--shell <name>', 'the shell that is to read them')
        .choices(shells)
        .default('sh')
        .implies({ export: true }),
    )
    .optionsGroup('Shared access signature:')
    .addOption(
      new Option('--sas [kind]', 'with a signature in place of the key; table where a --table is named').choices([
        'account',
        'table',
      ]),
    )
    .option('--table <name>', 'the only table that it reaches')
    .option('--permissions <letters>', 'what it allows, of raud for a table or rwdlacu for the account (default: all)')
    .option('--expires <when>', 'in so many seconds, or a time in ISO 8601 (default: 3600)')
    .option('--url-only', 'print the signed address of the account, or of the table, instead of a connection string')
    .optionsGroup('')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite connection-string --help lists the flags)')
    .addHelpText('after', help)
    .action(async (flags: ConnectionStringFlags) => {
      // Loaded only now: health and its kin need none of it.
      const { connectionStringCommand } = await import('./connection-string-command.ts');
      connectionStringCommand(readOptions(flags, environment));
    });
}

function readOptions(flags: ConnectionStringFlags, environment: Environment): ConnectionStringOptions {
  const { account, accounts, table, permissions, expires, urlOnly: isUrlOnly = false } = flags;
  if (isUrlOnly && flags.export) throw new UnusableOption('--url-only and --export contradict each other.');
  return {
    account,
    accounts: accounts === undefined ? { kind: 'environment', environment } : { kind: 'flag', value: accounts },
    url: readEmulatorAddress(flags, environment).url,
    isUrlOnly,
    ...(flags.export ? { shell: flags.shell } : {}),
    ...(flags.sas === undefined
      ? refuseIdle(flags)
      : { access: { kind: kindOf(flags.sas, table), table, permissions, expires } }),
  };
}

/** What speaks of a signature means nothing without one. */
function refuseIdle({ table, permissions, expires, urlOnly }: ConnectionStringFlags): object {
  const given = Object.entries({
    '--table': table,
    '--permissions': permissions,
    '--expires': expires,
    '--url-only': urlOnly,
  });
  const idle = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (idle.length > 0) throw new UnusableOption(`${idle.join(', ')}: give --sas beside it.`);
  return {};
}

function kindOf(sas: SharedAccessKind | true, table: string | undefined): SharedAccessKind {
  if (sas === true) return table === undefined ? 'account' : 'table';
  if (sas === 'table' && table === undefined) throw new UnusableOption('--sas table: name a --table beside it.');
  if (sas === 'account' && table !== undefined) {
    throw new UnusableOption('--sas account reaches every table: leave out --table, or give --sas table.');
  }
  return sas;
}
