// Implements `tanzanite azurite`: the table endpoint together with Azurite's blob and queue servers, for programs that
// wait for all three endpoints.

import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { addressRows, certificateFlags } from '../settings/address-settings.ts';
import { versionFlags } from '../settings/compatibility-settings.ts';
import { logFlags } from '../settings/log-settings.ts';
import { processFlags } from '../settings/process-settings.ts';
import { namesOf } from '../settings/setting-names.ts';
import { optionRows } from '../settings/settings-table.ts';
import { type AzuriteService, azuriteWords, flagValue, tableWords } from './azurite-flags.ts';
import { findAzurite, hasAzuriteNames } from './azurite-package.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, exitCodeUnusable } from './exit-codes.ts';
import { findGiven, type Sources } from './given-settings.ts';
import { openStartSources } from './placeless-sources.ts';
import { ServerGroup } from './server-group.ts';
import { addOtherSpellings, type FlagRow } from './setting-flags.ts';
import { addStart } from './start.ts';
import { stdinEnd } from './stdin-end.ts';

/** Evidence: peers (Azure Toolkit for Rider passes a port for tables only if the help names `--tableHost`). */
const help = `
It takes the flags of tanzanite start and of azurite, and prints Azurite's three
ready lines. The package azurite serves blobs and queues. Install it separately:
npm install azurite. Without it only the tables are served. If one server ends
by itself, the others end too, and the command exits with its exit code.

Addresses: --blobHost, --blobPort, --queueHost, --queuePort, --tableHost,
--tablePort

Examples:
  tanzanite azurite --location ./data
  tanzanite azurite --inMemoryPersistence --blobPort 0 --queuePort 0
${exitCodesHelp}`;

export function addAzurite(command: Command, context: CommandContext): void {
  command
    .summary("start the table endpoint with Azurite's blobs and queues")
    .description("start the table endpoint with Azurite's blob and queue servers")
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => startAll(command.args, context));
}

/** Tables start last: some programs wait only for their ready line, which then means that all three are ready. */
async function startAll(words: readonly string[], context: CommandContext): Promise<void> {
  // If a flag occurs twice, the last value counts. The flags on the command line come last, so they override variables.
  const sources = await readSources(tableWords(words), context);
  const all = [...imageWords(sources), ...sharedWords(sources), ...words];
  const programs = findAzurite(context.environment);
  const endsWithInput = findGiven(processFlags.untilStdinEnds, sources)?.value === true;
  // Watch standard input from the beginning: it may end before the servers are ready.
  const programGone = endsWithInput ? stdinEnd() : undefined;
  const group = new ServerGroup(context.notice);
  if (programs === undefined) context.notice(withoutAzurite(all));
  else {
    const start = (service: AzuriteService): Promise<void> =>
      startAzurite(group, [programs[service], ...azuriteWords(service, all, optionRows.location.flagDefault)]);
    await Promise.all([start('blob'), start('queue')]);
  }
  const [, self = ''] = process.argv;
  if (group.isEnding) return;
  group.start([self, 'start', ...tableWords(words)], { stdout: 'inherit', endsWithInput });
  void programGone?.then(() => group.endInput());
}

/** Says on which ports nothing listens: a program may wait for them. Evidence: peers (Azurite's default ports). */
function withoutAzurite(words: readonly string[]): string {
  const portOf = (service: AzuriteService, usual: string): string => flagValue(words, `--${service}Port`) ?? usual;
  return (
    `nothing serves blobs on port ${portOf('blob', '10000')} and queues on port ${portOf('queue', '10001')}: the package azurite is installed ` +
    `neither here, nor globally, nor on the path. Run: npm install ${hasAzuriteNames() ? '--global ' : ''}azurite`
  );
}

/** The sources of the table endpoint's settings. Refuses what `start` refuses, before any server is started. */
async function readSources(words: readonly string[], context: CommandContext): Promise<Sources> {
  const start = new Command('start').exitOverride(({ exitCode }) =>
    process.exit(exitCode === 0 ? 0 : exitCodeUnusable),
  );
  addStart(start, { ...context, start: async () => undefined, notice: () => undefined });
  addOtherSpellings(start);
  await start.parseAsync(words, { from: 'user' });
  return openStartSources(start, context.environment);
}

/** In the image, Azurite's servers listen on the same host as the tables. */
function imageWords({ volume }: Sources): readonly string[] {
  return volume === undefined ? [] : ['--blobHost', '--queueHost'].flatMap((flag) => [flag, addressRows.host.image]);
}

/**
 * Returns flags for those shared settings that come from a variable or from the settings file. Azurite's servers read
 * neither variables nor that file, so they need the settings as flags.
 */
function sharedWords(sources: Sources): readonly string[] {
  return sharedRows.flatMap((row) => {
    const given = findGiven(row, sources);
    if (given === undefined || given.from.kind === 'flag') return [];
    const { flag } = namesOf(row.flag);
    if (row.kind !== 'switch') return [flag, String(given.value)];
    return given.value === true ? [flag] : [];
  });
}

/** The settings that Azurite's servers have under the same names. */
const sharedRows: readonly FlagRow[] = [
  optionRows.location,
  optionRows.inMemory,
  optionRows.loose,
  optionRows.disableProductStyleUrl,
  versionFlags.skipApiVersionCheck,
  logFlags.silent,
  logFlags.debug,
  ...Object.values(certificateFlags),
];

/**
 * A server of Azurite that runs alone prints this line when it is ready. The command `azurite` prints a line with other
 * words, and programs wait for the line of the command.
 */
const readyLine = /^(Azurite \w+ service) successfully listens on (\S+)$/;

/**
 * Returns a promise that resolves once the server listens. If the server ends before that, the promise never resolves,
 * and the group ends this process.
 */
function startAzurite(group: ServerGroup, words: readonly string[]): Promise<void> {
  const { stdout } = group.start(words, { stdout: 'pipe' });
  // The servers continue when nothing reads standard output any more.
  process.stdout.on('error', () => undefined);
  return new Promise((resolve) => {
    if (stdout === null) return;
    createInterface({ input: stdout }).on('line', (line) => {
      process.stdout.write(`${line.replace(readyLine, '$1 is successfully listening at $2')}\n`);
      if (readyLine.test(line)) resolve();
    });
  });
}
