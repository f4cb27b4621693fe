// The flags of `tanzanite start`. Azurite's names mean here what they mean there (peers: its table flags and its README);
// those of services that are not here are taken and, with one notice, do nothing.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultSettings, type EmulatorSettings } from '../emulator.ts';
import type { Durability } from '../storage/store.ts';

export interface Flags {
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

const number =
  (name: string, max: number) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) > max) throw new InvalidArgumentError(`A ${name} is 0 to ${max}.`);
    return Number(text);
  };

const portMax = 65_535;
const dayInSeconds = 86_400;

export function addFlags(command: Command): Command {
  const { host, port, durability, keepAliveTimeoutMs } = defaultSettings;
  command
    .option('--tableHost <address>', 'address to listen on', host)
    .option('--tablePort <port>', 'port to listen on, 0 for any free one', number('port', portMax), port)
    .addOption(
      new Option('--tableKeepAliveTimeout <seconds>', 'how long an idle connection is kept')
        .argParser(number('number of seconds', dayInSeconds))
        .default(keepAliveTimeoutMs / 1000),
    )
    .option('-l, --location <folder>', 'folder of the data, created when missing', defaultLocation)
    .option('--inMemoryPersistence', 'keep everything in memory, nothing on disk')
    .addOption(
      new Option('--durability <degree>', 'what an acknowledged write survives: the process, loss of power, nothing')
        .choices(['process', 'power', 'none'])
        .default(durability),
    )
    .option(
      '--accounts <which>',
      'any: every account name, with the well-known key; or a file, read again when it changes',
    )
    .option('--explain-auth', 'tell callers on this machine in a header why they are refused')
    .addOption(
      new Option('--secondary <status>', 'what Get Table Service Stats says of the secondary')
        .choices(['live', 'bootstrap', 'unavailable'])
        .default(defaultSettings.replica.status),
    )
    .addOption(
      new Option('--replica-lag <seconds>', 'how far it says that the secondary is behind')
        .argParser(number('number of seconds', dayInSeconds))
        .default(defaultSettings.replica.lagMs / 1000),
    )
    .option('--cert <file>', 'certificate, PEM or PFX: serve HTTPS')
    .option('--key <file>', 'key of a PEM certificate')
    .option('--pwd <text>', 'password of a PFX certificate')
    .option('-s, --silent', 'no log line for each request')
    .option('-d, --debug <file>', 'write the log, more of it, to a file')
    .addOption(
      new Option('--log-format <format>', 'JSON lines, or lines for a person; auto: a person at a terminal')
        .choices(['auto', 'json', 'pretty'])
        .default('auto'),
    )
    .option('-L, --loose', 'take what the service is documented to refuse (docs/differences.md)')
    .option('--skipApiVersionCheck', 'take any x-ms-version')
    .option('--strict-api-version', 'take only versions the service is known to have, no newer ones')
    .option('--disableProductStyleUrl', 'read the account from the path even where the host names one')
    .addOption(
      new Option('--table-delete-delay <seconds>', 'how long the name of a deleted table answers TableBeingDeleted')
        .argParser(number('number of seconds', dayInSeconds))
        .default(defaultSettings.tableDeleteDelayMs / 1000),
    )
    .addOption(
      new Option(
        '--page-boundaries <where>',
        'end pages of queries with each partition, maybe empty, as production may',
      )
        .choices(['none', 'partition'])
        .default(defaultSettings.pageBoundaries),
    )
    .option('--control-token <token>', 'opens /_emulator/ to who sends it; better given as TANZANITE_CONTROL_TOKEN');
  for (const flag of ignoredFlags) command.addOption(new Option(flag).hideHelp());
  return command;
}
