// `tanzanite start`: its flags, and what they and the environment ask for. The emulator itself is loaded by `context.start`.

import { type Command, Option } from 'commander';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import type { ValuesOf } from '../settings/setting.ts';
import { resolveSettings } from '../settings/settings.ts';
import { commandLineRows, optionRows, settingGroups } from '../settings/settings-table.ts';
import type { CommandContext, Environment, StartOptions } from './command-context.ts';
import { exitCodesHelp, UnusableOption } from './exit-codes.ts';
import { readAccounts, readAccountsFile, readFile } from './read-accounts.ts';
import { flagOf, flagRows, readGiven } from './setting-flags.ts';
import { nameRightFlag } from './wrong-names.ts';

const help = `
Environment:
  AZURITE_ACCOUNTS                 accounts and their keys in base64, such as
                                   account1:key1[:key2];account2:key1…; without
                                   it devstoreaccount1 with its well-known key
  AZURITE_SKIP_API_VERSION_CHECK   true: the same as --skipApiVersionCheck
  TANZANITE_CONTROL_TOKEN          the same as --control-token

Examples:
  tanzanite start --location ./data --durability power
  tanzanite start --inMemoryPersistence --silent --accounts any
  tanzanite start --throttle enforce --throttle-queue 0 --partition-target 500
  tanzanite start --tableHost 0.0.0.0 --cert tls.pem --key tls.key
${exitCodesHelp}`;

/** Azurite's flags that are accepted and do nothing, so that its command lines start unchanged. */
export const ignoredFlags: readonly string[] = [
  '--blobHost <address>',
  '--blobPort <port>',
  '--blobKeepAliveTimeout <seconds>',
  '--queueHost <address>',
  '--queuePort <port>',
  '--queueKeepAliveTimeout <seconds>',
  '--extentMemoryLimit <megabytes>',
  '--oauth <level>',
  '--disableTelemetry',
];

export function addStart(command: Command, context: CommandContext): void {
  for (const { heading, rows } of settingGroups) {
    command.optionsGroup(`${heading}:`);
    for (const row of flagRows(rows)) command.addOption(flagOf(row));
  }
  for (const flag of ignoredFlags) command.addOption(new Option(flag).hideHelp());
  command
    .optionsGroup('')
    .summary('start the table endpoint')
    .description('start the table endpoint; tanzanite without a command does the same')
    .showHelpAfterError('(tanzanite start --help lists the flags)')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .configureOutput({ outputError: (message, write) => write(nameRightFlag(message)) })
    // Refused below, where the word is known: commander only counts them.
    .allowExcessArguments()
    .action(() => {
      refuseArguments(command.args);
      return context.start(readStartOptions(command, context));
    });
}

/** Throws UnusableOption. */
function refuseArguments([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new UnusableOption(
    `start takes flags only, not the word ${word}; a command stands first. tanzanite start --help lists the flags`,
  );
}

/** What the flags or the environment give, without defaults: options that the library has too, and the others. */
type Shared = Omit<EmulatorOptions, 'accounts' | 'tls'> & { readonly accounts?: string };
type Own = ValuesOf<typeof commandLineRows>;

type AccountSettings = Pick<StartOptions['settings'], 'accounts' | 'accountsFile'>;
type TlsSettings = Pick<StartOptions['settings'], 'tls'>;

/** Turns flags and environment into one frozen object. Throws UnusableOption. */
function readStartOptions(command: Command, { environment, notice }: CommandContext): StartOptions {
  const shared = readGiven(optionRows, command, environment) as Shared;
  const own = readGiven(commandLineRows, command, environment) as Own;
  noticeWithoutEffect(command, shared, notice);
  const { accounts, location = optionRows.location.flagDefault, ...options } = shared;
  const { logFormat = commandLineRows.logFormat.default, debug, silent = false } = own;
  const settings = resolveSettings({
    ...options,
    ...readVersions(own),
    ...(options.inMemory ? {} : { location }),
  });
  return Object.freeze({
    settings: Object.freeze({ ...settings, ...readAccountsFlag(accounts, environment), ...readCertificate(own) }),
    silent,
    log: {
      isPretty: logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true),
      isJsonOnly: logFormat === 'json',
    },
    ...(debug === undefined ? {} : { debugFile: debug }),
  });
}

/** Says once what was accepted and has no effect. */
function noticeWithoutEffect(command: Command, given: Shared, notice: CommandContext['notice']): void {
  const isGiven = (flag: Option): boolean => command.getOptionValueSource(flag.attributeName()) === 'cli';
  const ignored = ignoredFlags.map((flag) => new Option(flag)).filter(isGiven);
  if (ignored.length > 0) notice(`${ignored.map(({ long }) => long).join(', ')}: accepted, without effect here.`);
  if (given.inMemory && given.location !== undefined) {
    notice('--location: without effect beside --inMemoryPersistence.');
  }
  if (given.pageBoundaries === 'range' && given.throttle === 'off') {
    notice(
      '--page-boundaries range: without effect beside --throttle off, which counts nothing and so splits nothing.',
    );
  }
}

function readVersions({ skipApiVersionCheck, strictApiVersion }: Own): Pick<EmulatorOptions, 'apiVersions'> {
  if (skipApiVersionCheck && strictApiVersion) {
    throw new UnusableOption('--skipApiVersionCheck and --strict-api-version contradict each other. Give one of them.');
  }
  if (strictApiVersion) return { apiVersions: 'known' };
  return skipApiVersionCheck ? { apiVersions: 'any' } : {};
}

function readAccountsFlag(given: string | undefined, environment: Environment): AccountSettings {
  if (given === undefined) return { accounts: readAccounts(environment) };
  if (given === 'any') return { accounts: 'any' };
  // Read once now, so that its faults are reported like those of any other flag.
  readAccountsFile(given);
  return { accountsFile: given };
}

function readCertificate({ cert, key, pwd }: Own): TlsSettings {
  if (cert === undefined) {
    if (key !== undefined || pwd !== undefined) throw new UnusableOption('--key and --pwd need a --cert.');
    return {};
  }
  if (key !== undefined) return { tls: { cert: readFile('--cert', cert), key: readFile('--key', key) } };
  if (pwd !== undefined) return { tls: { pfx: readFile('--cert', cert), passphrase: pwd } };
  throw new UnusableOption('--cert needs a --key (PEM) or a --pwd (PFX) beside it.');
}
