import { Command, InvalidArgumentError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { parseAccounts } from '../auth/accounts.ts';
import { defaultSettings } from '../emulator.ts';
import { exitCodeUnusable } from './exit-codes.ts';
import type { StartOptions } from './start-command.ts';

interface Flags {
  readonly tableHost: string;
  readonly tablePort: number;
  readonly location: string;
  readonly inMemoryPersistence?: true;
  readonly durability: StartOptions['durability'];
  readonly silent?: true;
  readonly debug?: string;
}

export interface ProgramOptions {
  readonly start: (options: StartOptions) => Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The command line. Flags carry the names that Azurite gave them. */
export function createProgram({ start, environment }: ProgramOptions): Command {
  const program = new Command('tanzanite')
    .description('Emulator of the Azure Table service')
    .version(manifest.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite --help lists the flags)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodeUnusable));
  program
    .command('start', { isDefault: true })
    .description('start the table endpoint (what tanzanite does without a command)')
    .showHelpAfterError('(tanzanite --help lists the flags)')
    .option('--tableHost <address>', 'address to listen on', defaultSettings.host)
    .option('--tablePort <port>', 'port to listen on, 0 for any free one', parsePort, defaultSettings.port)
    .option('-l, --location <folder>', 'folder of the data, created when missing', 'tanzanite-data')
    .option('--inMemoryPersistence', 'keep everything in memory, nothing on disk')
    .addOption(
      new Option('--durability <degree>', 'what an acknowledged write survives: the process, loss of power, nothing')
        .choices(['process', 'power', 'none'])
        .default(defaultSettings.durability),
    )
    .option('-s, --silent', 'no log line for each request')
    .option('-d, --debug <file>', 'write the log, more of it, to a file')
    .addHelpText('after', environmentHelp)
    .action((flags: Flags) => start(toOptions(flags, environment)));
  return program;
}

const environmentHelp = `
Environment:
  AZURITE_ACCOUNTS  accounts and keys: account1:key1[:key2];account2:key1… (keys base64)
                    default: devstoreaccount1 with its well-known key`;

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('A port is 0 to 65535.');
  return Number(text);
}

function toOptions(flags: Flags, environment: ProgramOptions['environment']): StartOptions {
  const { tableHost, tablePort, durability, debug } = flags;
  return Object.freeze({
    host: tableHost,
    port: tablePort,
    durability,
    silent: flags.silent ?? false,
    accounts: readAccounts(environment['AZURITE_ACCOUNTS']),
    ...(flags.inMemoryPersistence ? {} : { location: flags.location }),
    ...(debug === undefined ? {} : { debugFile: debug }),
  });
}

function readAccounts(text: string | undefined): StartOptions['accounts'] {
  if (text === undefined || text.trim() === '') return defaultSettings.accounts;
  try {
    return parseAccounts(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`tanzanite: AZURITE_ACCOUNTS ${reason}.\n`);
    process.exit(exitCodeUnusable);
  }
}
