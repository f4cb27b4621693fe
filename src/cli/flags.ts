// The flags of `tanzanite start`. Azurite's names mean here what they mean there (peers: its table flags and its README);
// those of services that are not here are taken and, with one notice, do nothing.

import { type Command, Option } from 'commander';
import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import type { Durability } from '../storage/durability.ts';
import { addCapacityFlags, type CapacityFlags } from './capacity-flags.ts';
import { count, dayInSeconds, number } from './numbers.ts';

export interface Flags extends CapacityFlags {
  readonly tableHost: string;
  readonly tablePort: number;
  readonly tableKeepAliveTimeout: number;
  readonly location: string;
  readonly inMemoryPersistence?: true;
  readonly durability: Durability;
  readonly cert?: string;
  readonly key?: string;
  readonly pwd?: string;
  readonly silent?: true;
  readonly debug?: string;
  readonly logFormat: 'auto' | 'json' | 'pretty';
  readonly loose?: true;
  readonly skipApiVersionCheck?: true;
  readonly strictApiVersion?: true;
  readonly disableProductStyleUrl?: true;
  readonly tableDeleteDelay: number;
  readonly accounts?: string;
  readonly explainAuth?: true;
  readonly secondary: EmulatorSettings['replica']['status'];
  readonly replicaLag: number;
  readonly pageBoundaries: EmulatorSettings['pageBoundaries'];
  readonly requestsInFlightMax: number;
  readonly controlToken?: string;
}

export const defaultLocation = 'tanzanite-data';

/** Flags that are taken so that a command line of Azurite's starts unchanged. */
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

/** Azurite's switches, to which it takes a value as well. Evidence: peers (Azurite reads only whether there is any). */
export const azuriteSwitches: readonly string[] = [
  '-s',
  '--silent',
  '-L',
  '--loose',
  '--inMemoryPersistence',
  '--skipApiVersionCheck',
  '--disableProductStyleUrl',
  '--disableTelemetry',
];

const portMax = 65_535;

export function addFlags(command: Command): Command {
  command.optionsGroup('Address:');
  addAddressFlags(command);
  command.optionsGroup('Data:');
  addDataFlags(command);
  command.optionsGroup('Accounts and who may ask:');
  addAccessFlags(command);
  command.optionsGroup('What the service would refuse:');
  addMannersFlags(command);
  command.optionsGroup('What production does now and then:');
  addProductionFlags(command);
  command.optionsGroup('Scalability targets:');
  addCapacityFlags(command);
  command.optionsGroup('Log:');
  addLogFlags(command);
  command.optionsGroup('');
  for (const flag of ignoredFlags) command.addOption(new Option(flag).hideHelp());
  return command;
}

function addAddressFlags(command: Command): void {
  const { host, port, keepAliveTimeoutMs, requestsInFlightMax } = defaultSettings;
  command
    .option('--tableHost <address>', 'address to listen on', host)
    .option('--tablePort <port>', 'port to listen on, 0 for any free one', number('port', portMax), port)
    .addOption(
      new Option('--tableKeepAliveTimeout <seconds>', 'how long an idle connection is kept')
        .argParser(number('number of seconds', dayInSeconds))
        .default(keepAliveTimeoutMs / 1000),
    )
    .addOption(
      new Option('--requests-in-flight-max <count>', 'requests answered at a time; more get 503 ServerBusy')
        .argParser(count('number of requests'))
        .default(requestsInFlightMax),
    )
    .option('--disableProductStyleUrl', 'read the account from the path even where the host names one')
    .option('--cert <file>', 'certificate, PEM or PFX: serve HTTPS')
    .option('--key <file>', 'key of a PEM certificate')
    .option('--pwd <text>', 'password of a PFX certificate');
}

function addDataFlags(command: Command): void {
  command
    .option('-l, --location <folder>', 'folder of the data, created when missing', defaultLocation)
    .option('--inMemoryPersistence', 'keep everything in memory, nothing on disk')
    .addOption(
      new Option('--durability <degree>', 'what an acknowledged write survives: the process, loss of power, nothing')
        .choices(['process', 'power', 'none'])
        .default(defaultSettings.durability),
    );
}

function addAccessFlags(command: Command): void {
  command
    .option(
      '--accounts <any|file>',
      'any: every account name, with the well-known key; or a file, read again when it changes',
    )
    .option('--explain-auth', 'tell callers on this machine in a header why they are refused')
    .option('--control-token <token>', 'opens /_emulator/ to who sends it; better given as TANZANITE_CONTROL_TOKEN');
}

function addMannersFlags(command: Command): void {
  command
    .option('-L, --loose', 'take what the service is documented to refuse (docs/differences.md)')
    .option('--skipApiVersionCheck', 'take any x-ms-version')
    .option('--strict-api-version', 'take only versions the service is known to have, no newer ones');
}

function addProductionFlags(command: Command): void {
  const { tableDeleteDelayMs, pageBoundaries, replica } = defaultSettings;
  const seconds = number('number of seconds', dayInSeconds);
  command
    .addOption(
      new Option('--table-delete-delay <seconds>', 'how long the name of a deleted table answers TableBeingDeleted')
        .argParser(seconds)
        .default(tableDeleteDelayMs / 1000),
    )
    .addOption(
      new Option(
        '--page-boundaries <where>',
        'end pages of queries with each partition, or range partition, maybe empty, as production may',
      )
        .choices(['none', 'partition', 'range'])
        .default(pageBoundaries),
    )
    .addOption(
      new Option('--secondary <status>', 'what Get Table Service Stats says of the secondary')
        .choices(['live', 'bootstrap', 'unavailable'])
        .default(replica.status),
    )
    .addOption(
      new Option('--replica-lag <seconds>', 'how far it says that the secondary is behind')
        .argParser(seconds)
        .default(replica.lagMs / 1000),
    );
}

function addLogFlags(command: Command): void {
  command
    .option('-s, --silent', 'no log line for each request')
    .option('-d, --debug <file>', 'write the log to a file')
    .addOption(
      new Option('--log-format <format>', 'JSON lines, or lines for a person; auto: a person at a terminal')
        .choices(['auto', 'json', 'pretty'])
        .default('auto'),
    );
}
