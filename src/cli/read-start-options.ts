// Reads the settings of a start, and refuses settings that contradict each other.

import { Option } from 'commander';
import { accessRows } from '../settings/access-settings.ts';
import { certificateFlags } from '../settings/address-settings.ts';
import { findContradictions, isNeeds, type SettingUse } from '../settings/contradictions.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import type { ValuesOf } from '../settings/setting.ts';
import { namesOf } from '../settings/setting-names.ts';
import { resolveSettings } from '../settings/settings.ts';
import { commandLineRows, optionRows } from '../settings/settings-table.ts';
import type { CommandContext, StartCommandOptions } from './command-context.ts';
import { UnusableOption } from './exit-codes.ts';
import {
  describeOrigin,
  describeUnknownVariables,
  explicit,
  findFolder,
  findGiven,
  readGiven,
  type Sources,
  settingRow,
} from './given-settings.ts';
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
  '--disableTelemetry',
];

/** The given settings without defaults. The library has the settings in `Shared` too, but not those in `Own`. */
type Shared = Omit<EmulatorOptions, 'accounts' | 'tls'> & { readonly accounts?: string };
type Own = ValuesOf<typeof commandLineRows>;

type AccountSettings = Pick<StartCommandOptions['settings'], 'accounts' | 'accountsFile'>;
type TlsSettings = Pick<StartCommandOptions['settings'], 'tls'>;

/** Returns a frozen object. Throws UnusableOption. */
export function readStartOptions(sources: Sources, notice: CommandContext['notice']): StartCommandOptions {
  const given = readGiven({ ...optionRows, ...commandLineRows }, explicit(sources));
  refuseContradictions(given, sources);
  noticeWithoutEffect(sources, given, notice);
  const { accounts: _accounts, location: _location, ...options } = readGiven(optionRows, sources) as Shared;
  const own = readGiven(commandLineRows, sources) as Own;
  const location = findFolder(sources);
  const { logFormat, logLevel, silent } = { ...logDefaults, ...own };
  const { debug, advise: advises = false, untilStdinEnds = false } = own;
  const settings = resolveSettings({
    ...options,
    ...readVersions(own),
    ...(location === undefined ? {} : { location }),
  });
  return Object.freeze({
    settings: Object.freeze({
      ...settings,
      ...readAccountSettings(sources),
      ...readCertificate(own, sources),
      ...(settings.otlp === 'env' && { otlpVariables: sources.environment }),
    }),
    silent,
    untilStdinEnds,
    advises,
    log: {
      isPretty: logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true),
      isJsonOnly: logFormat === 'json',
      level: logLevel,
    },
    ...(debug === undefined ? {} : { debugFile: debug }),
  });
}

/** Throws UnusableOption for the first contradiction. */
function refuseContradictions(given: object, sources: Sources): void {
  const [found] = findContradictions(given, 'commandLine', 'refuse');
  if (found === undefined) return;
  const { use, counterpart } = found;
  if (!isNeeds(counterpart)) {
    const places = `${placeOfUse(use, sources)} and ${placeOfUse(counterpart, sources)}`;
    throw new UnusableOption(`${places} contradict each other. Give one of them.`);
  }
  const row = settingRow(use.setting);
  const file = row.kind === 'text' && !row.isSecret ? ` ${findGiven(row, sources)?.value}` : '';
  const needed = counterpart.map(({ setting, when }) => {
    const { flag } = namesOf(settingRow(setting).flag);
    return `a ${flag}${when === undefined ? '' : ` (${when})`}`;
  });
  throw new UnusableOption(`${placeOfUse(use, sources)}${file} needs ${needed.join(' or ')} as well.`);
}

const logDefaults = {
  logFormat: commandLineRows.logFormat.default,
  logLevel: commandLineRows.logLevel.default,
  silent: commandLineRows.silent.default,
};

/** Prints once which settings were accepted but have no effect. */
function noticeWithoutEffect(sources: Sources, given: object, notice: CommandContext['notice']): void {
  const { command, environment } = sources;
  const isGiven = (flag: Option): boolean => command.getOptionValueSource(flag.attributeName()) === 'cli';
  const ignored = ignoredFlags.map((flag) => new Option(flag)).filter(isGiven);
  if (ignored.length > 0) notice(`${ignored.map(({ long }) => long).join(', ')}: accepted, without effect here.`);
  for (const line of describeUnknownVariables(environment)) notice(line);
  for (const { use, counterpart, why = '' } of findContradictions(given, 'commandLine', 'notice')) {
    if (isNeeds(counterpart)) continue;
    notice(`${placeOfUse(use, sources)} has no effect with ${placeOfUse(counterpart, sources)}${why}.`);
  }
}

/** Where a setting comes from, followed by its value if only that value contradicts another setting. */
function placeOfUse({ setting, value }: SettingUse, sources: Sources): string {
  const place = placeGiven(settingRow(setting), sources);
  return typeof value === 'string' ? `${place} ${value}` : place;
}

/** Where the value of a setting comes from; the flag, if the default applies. */
function placeGiven(row: FlagRow, sources: Sources): string {
  const given = findGiven(row, sources);
  return given === undefined ? (new Option(row.flag).long ?? '') : describeOrigin(given.from);
}

function readVersions({ skipApiVersionCheck, strictApiVersion }: Own): Pick<EmulatorOptions, 'apiVersions'> {
  if (strictApiVersion) return { apiVersions: 'known' };
  return skipApiVersionCheck ? { apiVersions: 'any' } : {};
}

/** Reads a file of accounts now, so that its faults are reported like faults of any other setting. */
function readAccountSettings(sources: Sources): AccountSettings {
  const given = readAccounts(findGiven(accessRows.accounts, sources));
  if (given.kind === 'any') return { accounts: 'any' };
  return given.kind === 'file' ? { accountsFile: given.file } : { accounts: given.accounts };
}

function readCertificate({ cert, key, pwd }: Own, sources: Sources): TlsSettings {
  if (cert === undefined) return {};
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
  return { tls: { pfx: readFile(names.cert, cert), passphrase: pwd ?? '', names } };
}
