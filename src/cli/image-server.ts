// Tells the entry of the image (src/image) two things before it runs the command line: the files that a server will use,
// so that they can be given to its user, and the address at which the server of the container listens. It resolves the
// settings in the same way as the start itself.

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
  /** What is to be run. */
  readonly words: readonly string[];
  readonly files: Readonly<Partial<Record<FileName, string>>>;
  /** The settings file. */
  readonly config?: string;
  /**
   * Files whose owner root must not change. The settings file names them, and users other than root may write that file. If
   * it is in the volume, the server could have written it to obtain any file.
   */
  readonly untrusted: readonly FileName[];
  /** Where the tables are. */
  readonly url: string;
}

/** The programs of Azurite's that run alone, and read flags only. */
const soloServices: ReadonlyMap<string, AzuriteService> = new Map([
  ['azurite-blob', 'blob'],
  ['azurite-queue', 'queue'],
]);

/** The server that these words start; undefined for another command. For words that are refused it has no files: the start reports why. */
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

/** The words, with copies in place of files that the user of the server may not read. */
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

/** Not every system can connect to the wildcard address. */
function urlAt(host: string, port: string | number, isSecure: boolean): string {
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${isSecure ? 'https' : 'http'}://${own.includes(':') ? `[${own}]` : own}:${port}`;
}
