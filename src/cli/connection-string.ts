import { type Command, Option } from 'commander';
import { developmentAccount } from '../auth/accounts.ts';
import { keyConnectionString, sasConnectionString } from '../auth/connection-string.ts';
import { permissionLetters, signAccountSas, signTableSas } from '../auth/sign-shared-access.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseTableName } from '../model/table-name.ts';
import type { CommandContext, Environment } from './command-context.ts';
import { readEmulatorAddress, urlFlag } from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { exportLine } from './export-line.ts';
import { accountKeyFlag, readKey } from './read-accounts.ts';
import { print } from './standard-output.ts';

const help = `
It does not connect to an emulator: the string fits every emulator that was
started with the same accounts. A signature is for the account, or for the
entities of one table. By default it allows everything for an hour.

--export sets AZURE_STORAGE_CONNECTION_STRING, which the Azure CLI and many
samples read, and AZURE_TABLES_CONNECTION_STRING. It does not set
AzureWebJobsStorage, because the Functions host also expects blobs and queues
there.

Go's aztables accepts no connection string with a signature: use --sas
--url-only.

Examples:
  tanzanite connection-string
  eval "$(tanzanite connection-string --export)"
  tanzanite connection-string --shell powershell | Invoke-Expression
  tanzanite connection-string --sas --table People --permissions r --expires 60
  curl -H Accept:application/json \\
    "$(tanzanite connection-string --sas --table People --url-only)"

Environment:
  AZURITE_ACCOUNTS         accounts and keys, as the emulator was started with
  TANZANITE_URL            the same as --url`;

type SignatureKind = 'account' | 'table';

interface ConnectionStringFlags {
  readonly account: string;
  readonly accounts?: string;
  readonly url?: string;
  readonly secondary?: true;
  readonly export?: true;
  readonly shell: keyof typeof exportLine;
  readonly sas?: SignatureKind | true;
  readonly table?: string;
  readonly permissions?: string;
  readonly expires?: string;
  readonly urlOnly?: true;
}

/** `tanzanite connection-string` */
export function addConnectionString(command: Command, { environment }: CommandContext): void {
  command
    .summary('print the connection string of an account')
    .description('print the connection string of an account for the Azure SDKs')
    .option('--account <name>', 'connect to this account', developmentAccount.name)
    .option(...accountKeyFlag)
    .option(...urlFlag)
    .option('--secondary', 'also name the secondary, for LocationMode.SecondaryOnly in .NET')
    .option('--export', 'print commands that set environment variables')
    .addOption(
      new Option('--shell <name>', 'print the commands of --export for this shell')
        .choices(Object.keys(exportLine))
        .default('sh')
        .implies({ export: true }),
    )
    .optionsGroup('Shared access signature:')
    .addOption(
      new Option(
        '--sas [kind]',
        'include a signature instead of the key (default: table if --table is given, else account)',
      ).choices(['account', 'table']),
    )
    .option('--table <name>', 'allow this table only')
    .option(
      '--permissions <letters>',
      'allow these operations: letters from raud for a table, letters from rwdlacu for an account (default: all)',
    )
    .option('--expires <when>', 'expire after this many seconds, or at this ISO 8601 time (default: 3600)')
    .option('--url-only', 'print the signed address of the account or table instead of a connection string')
    .optionsGroup('')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((flags: ConnectionStringFlags) => printConnectionString(flags, environment));
}

/** The Azure CLI and the samples of Azure Storage read the first variable; the samples for tables read the second. */
const variables = ['AZURE_STORAGE_CONNECTION_STRING', 'AZURE_TABLES_CONNECTION_STRING'];

/** Throws UnusableOption. */
function printConnectionString(flags: ConnectionStringFlags, environment: Environment): void {
  const other = flags.export ? '--export' : flags.secondary ? '--secondary' : undefined;
  if (flags.urlOnly && other !== undefined) {
    throw new UnusableOption(`--url-only and ${other} contradict each other.`);
  }
  const text = connectionString(flags, environment);
  const lines = flags.export ? variables.map((name) => exportLine[flags.shell](name, text)) : [text];
  print(`${lines.join('\n')}\n`);
}

function connectionString(flags: ConnectionStringFlags, environment: Environment): string {
  const { account: name, sas, table = '', urlOnly } = flags;
  if (sas === undefined) refuseWithoutSas(flags);
  const kind = sas === undefined ? undefined : kindOf(sas, flags.table);
  const url = `${readEmulatorAddress(flags, environment).url}/${name}`;
  const secondaryUrl = flags.secondary ? `${url}-secondary` : undefined;
  const key = readKey(flags, environment);
  if (kind === undefined) return keyConnectionString({ name, key, url, secondaryUrl });
  const access = { permissions: readPermissions(kind, flags.permissions), expiresMs: readExpiry(flags.expires) };
  warnIfPast(access.expiresMs);
  const signer = { account: name, key };
  const signature = kind === 'table' ? signTableSas(readTable(table), access, signer) : signAccountSas(access, signer);
  if (!urlOnly) return sasConnectionString({ url, secondaryUrl }, signature);
  return `${kind === 'table' ? `${url}/${table}` : url}?${signature}`;
}

/** Refuses flags that have no meaning without a signature. */
function refuseWithoutSas({ table, permissions, expires, urlOnly }: ConnectionStringFlags): void {
  const flags = { '--table': table, '--permissions': permissions, '--expires': expires, '--url-only': urlOnly };
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length > 0) throw new UnusableOption(`${given.join(', ')}: give --sas as well.`);
}

function kindOf(sas: SignatureKind | true, table: string | undefined): SignatureKind {
  if (sas === true) return table === undefined ? 'account' : 'table';
  if (sas === 'table' && table === undefined) throw new UnusableOption('--sas table: give a --table as well.');
  if (sas === 'account' && table !== undefined) {
    throw new UnusableOption('--sas account reaches every table: leave out --table, or give --sas table.');
  }
  return sas;
}

function readTable(text: string): string {
  try {
    return parseTableName(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UnusableOption(`--table ${text} is not a table name: 3 to 63 letters and digits, a letter first.`);
  }
}

function readPermissions(kind: SignatureKind, text: string = permissionLetters[kind]): string {
  const all: string = permissionLetters[kind];
  if (text !== '' && [...text].every((letter) => all.includes(letter))) return text;
  const subject = kind === 'table' ? 'a table' : 'an account';
  throw new UnusableOption(`--permissions ${text}: the letters for ${subject} are ${all}.`);
}

const secondsDefault = '3600';
/** A century. */
const secondsMax = 3_155_760_000;
/**
 * A date without a time means the first moment of that day in UTC. A time of day needs a zone, so that the machine's
 * zone does not matter.
 */
const isoPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;

function readExpiry(text = secondsDefault): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= secondsMax) return Date.now() + Number(text) * 1000;
  const moment = isoPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UnusableOption(
    `--expires ${text} is neither a number of seconds nor a time such as 2030-01-31T12:00:00Z or 2030-01-31.`,
  );
}

/** Only a warning: a test may need a signature that is refused. */
function warnIfPast(expiresMs: number): void {
  if (expiresMs > Date.now()) return;
  const when = new Date(expiresMs).toISOString();
  process.stderr.write(`tanzanite: --expires: ${when} has passed; the service refuses this signature.\n`);
}
