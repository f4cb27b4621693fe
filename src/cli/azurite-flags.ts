// Decides which words of a command line in Azurite's form go to which server.

import { otherSpelling } from '../settings/setting-names.ts';
import { resolveSwitchValues, type Switches, startSwitches } from './command-words.ts';

/**
 * Azurite's switches. Azurite accepts a value after each of them. Evidence: peers (Azurite checks only whether the
 * switch has a value).
 */
const switches: Switches = new Map(
  [
    ...['-s', '--silent', '-L', '--loose', '--inMemoryPersistence', '--skipApiVersionCheck'],
    ...['--disableProductStyleUrl', '--disableTelemetry'],
  ].map((name) => [name, undefined]),
);

/** A server of Azurite that runs next to the table endpoint. */
export type AzuriteService = 'blob' | 'queue';

type Words = readonly string[];

const both: readonly AzuriteService[] = ['blob', 'queue'];

/** Flags with a value, and the servers that take them. Evidence: peers (Azurite 3.37, `BlobEnvironment` and `QueueEnvironment`). */
const valueFlags: Readonly<Record<string, readonly AzuriteService[]>> = {
  '--location': both,
  '--cert': both,
  '--key': both,
  '--pwd': both,
  '--oauth': both,
  '--debug': both,
  '--extentMemoryLimit': both,
  '--blobHost': ['blob'],
  '--blobPort': ['blob'],
  '--blobKeepAliveTimeout': ['blob'],
  '--queueHost': ['queue'],
  '--queuePort': ['queue'],
  // The command azurite accepts this flag, but azurite-queue refuses it.
  '--queueKeepAliveTimeout': [],
};

const longNames: Readonly<Record<string, string>> = {
  '-l': '--location',
  '-d': '--debug',
  '-s': '--silent',
  '-L': '--loose',
};

/** Flags that the table endpoint does not have. */
const foreignFlag = /^--(blob|queue|extentMemoryLimit$|disableTelemetry$)/;

interface Flag {
  /** The long name, as Azurite spells it. */
  readonly name: string;
  readonly value?: string;
  /** The one or two words in which the flag was given. */
  readonly words: Words;
}

function* readFlags(words: Words): Generator<Flag> {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, given = word, inline] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
    const name = longNames[given] ?? camelOf(given);
    const next = words[at + 1];
    if (inline !== undefined) yield { name, value: inline, words: [word] };
    else if (name in valueFlags && next !== undefined) {
      at += 1;
      yield { name, value: next, words: [word, next] };
    } else yield { name, words: [word] };
  }
}

/** `--blobPort` for `--blob-port`. */
const camelOf = (word: string): string => (/^--\w+-/.test(word) ? (otherSpelling(word) ?? word) : word);

/** The flags of a command line. Any other word becomes a flag named after itself. */
export const flagsIn = (words: Words): readonly Flag[] => [...readFlags(words)];

/**
 * Returns the words of an Azurite server that runs alone. Missing flags get defaults. A default must not repeat a given
 * flag, because Azurite reads a repeated flag as a list. With `--inMemoryPersistence`, there is no default folder.
 */
export function soloWords(
  service: AzuriteService,
  words: Words,
  defaults: { readonly host: string; readonly location: string },
): Words {
  const names = flagsIn(words).map(({ name }) => name);
  const has = (name: string): boolean => names.includes(name);
  const host = `--${service}Host`;
  return [
    ...(has(host) ? [] : [host, defaults.host]),
    ...(has('--location') || has('--inMemoryPersistence') ? [] : ['--location', defaults.location]),
    ...words,
  ];
}

/** The last value given to one of Azurite's flags; undefined if there is none. */
export function flagValue(words: Words, name: string): string | undefined {
  return flagsIn(resolveSwitchValues(words, switches)).findLast((flag) => flag.name === name)?.value;
}

/** Azurite does not verify tokens, so `--oauth verify` becomes `--oauth basic` for its servers. */
const valueOfAzurite = (name: string, value: string): string => (name === '--oauth' ? 'basic' : value);

/** The words that `tanzanite start` gets: all but the flags that only Azurite has. */
export function tableWords(words: Words): Words {
  const flags = [...readFlags(resolveSwitchValues(words, startSwitches))];
  return flags.filter(({ name }) => !foreignFlag.test(name)).flatMap((flag) => flag.words);
}

/**
 * Returns the words of an Azurite server. The server keeps its data in the folder of the tables; `location` is the
 * default folder. If a flag is given twice, only the last value is kept, because Azurite would read the two values as a
 * list. The table endpoint uses the last value too.
 */
export function azuriteWords(service: AzuriteService, words: Words, location: string): Words {
  // Tanzanite opens no outgoing connection, and the servers that it starts must not open one either.
  const given = new Map<string, Words>([['--disableTelemetry', ['--disableTelemetry']]]);
  for (const { name, value } of readFlags(resolveSwitchValues(words, switches))) {
    if (valueFlags[name]?.includes(service) && value !== undefined)
      given.set(name, [name, valueOfAzurite(name, value)]);
    else if (switches.has(name)) given.set(name, [name]);
  }
  // Azurite refuses --location together with this flag. `tanzanite start` prints that --location has no effect.
  if (given.has('--inMemoryPersistence')) given.delete('--location');
  else if (!given.has('--location')) given.set('--location', ['--location', location]);
  return [...given.values()].flat();
}
