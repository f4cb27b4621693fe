// Finds out which files a server will use, and at which address the server will listen. Before the entry point of the
// image (src/image) runs a command line, it gives the server's user access to these files. The settings are resolved in
// the same way as for a start.

import { Command } from 'commander';
import { addressRows, certificateFlags } from '../settings/address-settings.ts';
import { dataRows, imageVolume } from '../settings/data-settings.ts';
import { logFlags } from '../settings/log-settings.ts';
import { type AzuriteService, flagsIn, soloWords, tableWords } from './azurite-flags.ts';
import type { Environment } from './command-context.ts';
import { defaultUrl } from './emulator-flags.ts';
import { findFolder, findGiven, type Sources } from './given-settings.ts';
import { openStartSources } from './placeless-sources.ts';
import { volumeIn } from './process-variables.ts';
import { addOtherSpellings, type FlagRow } from './setting-flags.ts';
import { addStartFlags } from './start.ts';

/** Files that a server reads or writes. */
export type FileName = 'location' | 'debug' | 'cert' | 'key';

export interface ImageServer {
  /** The command line to run. */
  readonly words: readonly string[];
  readonly files: Readonly<Partial<Record<FileName, string>>>;
  /** The settings file. */
  readonly config?: string;
  /**
   * The files that a settings file names, if users other than root can change this settings file. Root must not change
   * the owner of these files: the server could write a settings file into the volume, and so become the owner of any
   * file.
   */
  readonly untrusted: readonly FileName[];
  /** The address of the table endpoint. */
  readonly url: string;
}

/** Azurite's programs that run alone. They read flags, but neither variables nor a settings file. */
const soloServices: ReadonlyMap<string, AzuriteService> = new Map([
  ['azurite-blob', 'blob'],
  ['azurite-queue', 'queue'],
]);

/**
 * Returns the server that these words start, or undefined if they start no server. If the words are refused, returns a
 * server without files, because the start itself reports the error.
 */
export function readServer(words: readonly string[], environment: Environment): ImageServer | undefined {
  const [first = 'start'] = words;
  const service = soloServices.get(first);
  if (service !== undefined) return readSolo(service, words, volumeIn(environment) ?? imageVolume);
  const isNamed = first === 'start' || first === 'azurite';
  if (!isNamed && !first.startsWith('-')) return undefined;
  try {
    return { words, ...describe(openStart(isNamed ? words.slice(1) : words, environment)) };
  } catch {
    return { words, files: {}, untrusted: [], url: defaultUrl };
  }
}

/** The address of the emulator in a container. `words` started the first process of the container. */
export function readUrl(words: readonly string[], environment: Environment): string {
  const server = readServer(words, environment) ?? readServer([], environment);
  return server?.url ?? '';
}

/** The command line, with copies in place of files that the user of the server may not read. */
export function withCopies(
  { words }: ImageServer,
  copies: Readonly<Partial<Record<FileName, string>>>,
): readonly string[] {
  const flags = new Map(Object.entries(copies).map(([name, copy]) => [`--${name}`, copy]));
  const others = flagsIn(words).filter(({ name }) => !flags.has(name));
  return [...others.flatMap((flag) => flag.words), ...[...flags].flat()];
}

function readSolo(service: AzuriteService, words: readonly string[], volume: string): ImageServer {
  const [program = '', ...given] = words;
  const own = soloWords(service, given, { host: addressRows.host.image, location: volume });
  const flags = flagsIn(own);
  return {
    words: [program, ...own],
    files: filesBy((name) => flags.findLast((flag) => flag.name === `--${name}`)?.value),
    untrusted: [],
    url: defaultUrl,
  };
}

/** Throws if commander or a setting refuses. */
function openStart(words: readonly string[], environment: Environment): Sources {
  const command = new Command('start').helpOption(false).exitOverride();
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  addOtherSpellings(addStartFlags(command));
  command.parse(tableWords(words), { from: 'user' });
  return openStartSources(command, environment);
}

/** Throws UnusableOption. */
function describe(sources: Sources): Omit<ImageServer, 'words'> {
  const textOf = (row: FlagRow): string | undefined => {
    const given = findGiven(row, sources);
    return given && String(given.value);
  };
  const { path, isRootOnly } = sources.file;
  const isUntrusted = (name: FileName): boolean =>
    !isRootOnly && findGiven(fileRows[name], sources)?.from.kind === 'file';
  const { host, port } = addressRows;
  return {
    files: filesBy((name) => (name === 'location' ? findFolder(sources) : textOf(fileRows[name]))),
    ...(path === '' ? {} : { config: path }),
    untrusted: fileNames.filter(isUntrusted),
    url: urlAt(textOf(host) ?? host.default, textOf(port) ?? port.default, textOf(certificateFlags.cert) !== undefined),
  };
}

const fileRows: Readonly<Record<FileName, FlagRow>> = {
  location: dataRows.location,
  debug: logFlags.debug,
  cert: certificateFlags.cert,
  key: certificateFlags.key,
};
const fileNames = Object.keys(fileRows) as FileName[];

function filesBy(find: (name: FileName) => string | undefined): ImageServer['files'] {
  const found = fileNames.map((name) => [name, find(name)] as const);
  return Object.fromEntries(found.filter(([, path]) => path !== undefined));
}

/** Replaces a wildcard address by the loopback address, because not every system can connect to a wildcard address. */
function urlAt(host: string, port: string | number, isSecure: boolean): string {
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${isSecure ? 'https' : 'http'}://${own.includes(':') ? `[${own}]` : own}:${port}`;
}
