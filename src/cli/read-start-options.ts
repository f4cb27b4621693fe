import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import { readCapacityFlags } from './capacity-flags.ts';
import type { Environment } from './environment.ts';
import { defaultLocation, type Flags, ignoredFlags } from './flags.ts';
import { readAccounts, readAccountsFile, readFile } from './read-accounts.ts';
import { readControlToken } from './read-control-token.ts';
import type { StartOptions } from './start-options.ts';
import { UnusableOption } from './unusable-option.ts';

export interface Surroundings {
  readonly environment: Environment;
  readonly notice: (line: string) => void;
}

/** Turns flags and environment into one frozen object. Throws UnusableOption. */
export function readStartOptions(flags: Flags, { environment, notice }: Surroundings): StartOptions {
  noticeIgnored(flags, notice);
  const { debug, tableHost, tablePort, tableKeepAliveTimeout, tableDeleteDelay, durability } = flags;
  const tls = readTls(flags);
  const controlToken = readControlToken(flags.controlToken, environment);
  return Object.freeze({
    settings: Object.freeze({
      ...defaultSettings,
      host: tableHost,
      port: tablePort,
      durability,
      keepAliveTimeoutMs: tableKeepAliveTimeout * 1000,
      tableDeleteDelayMs: tableDeleteDelay * 1000,
      pageBoundaries: flags.pageBoundaries,
      requestsInFlightMax: flags.requestsInFlightMax,
      capacity: readCapacityFlags(flags),
      isHostStyleKnown: !flags.disableProductStyleUrl,
      accounts: flags.accounts === 'any' ? 'any' : readAccounts(environment),
      ...(flags.accounts === undefined || flags.accounts === 'any' ? {} : accountsFile(flags.accounts)),
      explainsAuthentication: flags.explainAuth ?? false,
      replica: { status: flags.secondary, lagMs: flags.replicaLag * 1000 },
      compatibility: {
        versions: versionPolicy(flags, environment),
        isLoose: flags.loose ?? false,
        retryAfterSeconds: flags.retryAfter,
      },
      ...(flags.inMemoryPersistence ? {} : { location: flags.location }),
      ...(tls ? { tls } : {}),
      ...(controlToken === undefined ? {} : { controlToken }),
    }),
    silent: flags.silent ?? false,
    log: {
      isPretty: flags.logFormat === 'pretty' || (flags.logFormat === 'auto' && process.stdout.isTTY === true),
      isJsonOnly: flags.logFormat === 'json',
    },
    ...(debug === undefined ? {} : { debugFile: debug }),
  });
}

function noticeIgnored(flags: Flags, notice: Surroundings['notice']): void {
  const given = ignoredFlags.map((flag) => flag.split(' ', 1)[0] ?? '').filter((name) => name.slice(2) in flags);
  if (given.length > 0) notice(`${given.join(', ')}: taken, without effect here.`);
  if (flags.inMemoryPersistence && flags.location !== defaultLocation) {
    notice('--location: without effect beside --inMemoryPersistence.');
  }
  if (flags.pageBoundaries === 'range' && flags.throttle === 'off') {
    notice('--page-boundaries range: without effect beside --throttle off, since ranges come of counting.');
  }
}

function versionPolicy(flags: Flags, environment: Environment): EmulatorSettings['compatibility']['versions'] {
  const isUnchecked = flags.skipApiVersionCheck || environment['AZURITE_SKIP_API_VERSION_CHECK'] === 'true';
  if (isUnchecked && flags.strictApiVersion) {
    throw new UnusableOption('--skipApiVersionCheck and --strict-api-version contradict each other. Give one of them.');
  }
  if (flags.strictApiVersion) return 'known';
  return isUnchecked || flags.loose ? 'any' : 'newer';
}

/** Looks into the file once, so that what is wrong with it is said as of any other flag. */
function accountsFile(file: string): { accountsFile: string } {
  readAccountsFile(file);
  return { accountsFile: file };
}

function readTls({ cert, key, pwd }: Flags): EmulatorSettings['tls'] {
  if (cert === undefined) {
    if (key !== undefined || pwd !== undefined) throw new UnusableOption('--key and --pwd need a --cert.');
    return undefined;
  }
  if (key !== undefined) return { cert: readFile('--cert', cert), key: readFile('--key', key) };
  if (pwd !== undefined) return { pfx: readFile('--cert', cert), passphrase: pwd };
  throw new UnusableOption('--cert needs a --key (PEM) or a --pwd (PFX) beside it.');
}
