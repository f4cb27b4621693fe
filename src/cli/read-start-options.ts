// What a start runs with: the settings that are given, and what they mean together.

import { Option } from 'commander';
import { accessRows } from '../settings/access-settings.ts';
import { certificateFlags } from '../settings/address-settings.ts';
import { versionFlags } from '../settings/compatibility-settings.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import type { ValuesOf } from '../settings/setting.ts';
import { resolveSettings } from '../settings/settings.ts';
import { commandLineRows, optionRows } from '../settings/settings-table.ts';
import type { CommandContext, StartOptions } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import { describeUnknownVariables, findGiven, placeOf, readGiven, type Sources } from './given-settings.ts';
import { readAccounts } from './read-accounts.ts';
import { readFile } from './read-file.ts';
import type { FlagRow } from './setting-flags.ts';

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

/** What is given, without defaults: options that the library has too, and the others. */
type Shared = Omit<EmulatorOptions, 'accounts' | 'tls'> & { readonly accounts?: string };
type Own = ValuesOf<typeof commandLineRows>;

type AccountSettings = Pick<StartOptions['settings'], 'accounts' | 'accountsFile'>;
type TlsSettings = Pick<StartOptions['settings'], 'tls'>;

/** Gives one frozen object. Throws UnusableOption. */
export function readStartOptions(sources: Sources, notice: CommandContext['notice']): StartOptions {
  const shared = readGiven(optionRows, sources) as Shared;
  const own = readGiven(commandLineRows, sources) as Own;
  refuseContradictions(shared, sources);
  noticeWithoutEffect(sources, { ...shared, isAdvised: own.advise ?? false }, notice);
  const { accounts: _accounts, location = optionRows.location.flagDefault, ...options } = shared;
  const { logFormat, logLevel, silent } = { ...logDefaults, ...own };
  const { debug, advise: advises = false } = own;
  const settings = resolveSettings({
    ...options,
    ...readVersions(own, sources),
    ...(options.inMemory || options.store !== undefined ? {} : { location }),
  });
  return Object.freeze({
    settings: Object.freeze({ ...settings, ...readAccountSettings(sources), ...readCertificate(own, sources) }),
    silent,
    advises,
    log: {
      isPretty: logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true),
      isJsonOnly: logFormat === 'json',
      level: logLevel,
    },
    ...(debug === undefined ? {} : { debugFile: debug }),
  });
}

/** Throws UnusableOption. */
function refuseContradictions({ store, storeSecondary, location, inMemory }: Shared, sources: Sources): void {
  const place = (row: FlagRow): string => placeGiven(row, sources);
  if (store === undefined) {
    if (storeSecondary === undefined) return;
    throw new UnusableOption(`${place(optionRows.storeSecondary)} needs a --store beside it.`);
  }
  const other = location === undefined ? inMemory && optionRows.inMemory : optionRows.location;
  if (!other) return;
  throw new UnusableOption(`${place(optionRows.store)} and ${place(other)} contradict each other. Give one of them.`);
}

const logDefaults = {
  logFormat: commandLineRows.logFormat.default,
  logLevel: commandLineRows.logLevel.default,
  silent: commandLineRows.silent.default,
};

/** Says once what was accepted and has no effect. */
function noticeWithoutEffect(
  sources: Sources,
  given: Shared & { readonly isAdvised: boolean },
  notice: CommandContext['notice'],
): void {
  const { isAdvised } = given;
  const { command, environment } = sources;
  const isGiven = (flag: Option): boolean => command.getOptionValueSource(flag.attributeName()) === 'cli';
  const ignored = ignoredFlags.map((flag) => new Option(flag)).filter(isGiven);
  if (ignored.length > 0) notice(`${ignored.map(({ long }) => long).join(', ')}: accepted, without effect here.`);
  for (const line of describeUnknownVariables(environment)) notice(line);
  const place = (row: FlagRow): string => placeGiven(row, sources);
  if (given.inMemory && given.location !== undefined) {
    notice(`${place(optionRows.location)}: without effect beside ${place(optionRows.inMemory)}.`);
  }
  if (given.seed !== undefined && given.seedAlways !== undefined) {
    notice(`${place(optionRows.seed)}: without effect beside ${place(optionRows.seedAlways)}.`);
  }
  if (given.store !== undefined && given.durability !== undefined) {
    const server = 'the settings of the database decide that';
    notice(`${place(optionRows.durability)}: without effect beside ${place(optionRows.store)}; ${server}.`);
  }
  if (given.storeSecondary !== undefined && given.replicaLagMs !== undefined) {
    notice(`${place(optionRows.replicaLagMs)}: without effect beside ${place(optionRows.storeSecondary)}.`);
  }
  if (isAdvised && given.advisor === false) {
    notice(`${place(commandLineRows.advise)}: without effect beside ${place(optionRows.advisor)}.`);
  }
  if (given.pageBoundaries === 'range' && given.throttle === 'off') {
    const [pages, throttle] = [place(optionRows.pageBoundaries), place(optionRows.throttle)];
    notice(`${pages} range: without effect beside ${throttle} off, which counts nothing and so splits nothing.`);
  }
}

/** Where the value of a setting stands; the flag, where the default applies. */
function placeGiven(row: FlagRow, sources: Sources): string {
  const given = findGiven(row, sources);
  return given === undefined ? (new Option(row.flag).long ?? '') : placeOf(given.from);
}

function readVersions(
  { skipApiVersionCheck, strictApiVersion }: Own,
  sources: Sources,
): Pick<EmulatorOptions, 'apiVersions'> {
  if (skipApiVersionCheck && strictApiVersion) {
    const rows = [versionFlags.skipApiVersionCheck, versionFlags.strictApiVersion];
    const places = rows.map((row) => placeGiven(row, sources)).join(' and ');
    throw new UnusableOption(`${places} contradict each other. Give one of them.`);
  }
  if (strictApiVersion) return { apiVersions: 'known' };
  return skipApiVersionCheck ? { apiVersions: 'any' } : {};
}

/** Reads a file once now, so that its faults are reported like those of any other setting. */
function readAccountSettings(sources: Sources): AccountSettings {
  const given = readAccounts(findGiven(accessRows.accounts, sources));
  if (given.kind === 'any') return { accounts: 'any' };
  return given.kind === 'file' ? { accountsFile: given.file } : { accounts: given.accounts };
}

function readCertificate({ cert, key, pwd }: Own, sources: Sources): TlsSettings {
  if (cert === undefined) {
    if (key !== undefined || pwd !== undefined) throw new UnusableOption('--key and --pwd need a --cert.');
    return {};
  }
  const place = (row: FlagRow, file: string): string => `${placeGiven(row, sources)} ${file}`;
  const names = {
    cert: place(certificateFlags.cert, cert),
    key: place(certificateFlags.key, key ?? ''),
    password: placeGiven(certificateFlags.pwd, sources),
  };
  if (key !== undefined) {
    const pair = { cert: readFile(names.cert, cert), key: readFile(names.key, key) };
    return { tls: { ...pair, ...(pwd === undefined ? {} : { passphrase: pwd }), names } };
  }
  if (pwd !== undefined) return { tls: { pfx: readFile(names.cert, cert), passphrase: pwd, names } };
  throw new UnusableOption(`${names.cert} needs its --key (PEM) or its --pwd (PFX; --pwd "" if it has none).`);
}
