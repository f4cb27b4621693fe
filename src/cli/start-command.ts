import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { Advisor } from '../advisor/advisor.ts';
import { defaultEmulatorSettings, type RunningEmulator, runEmulator } from '../emulator.ts';
import { systemMachineTime } from '../model/time.ts';
import { describePlace } from '../settings/data-place.ts';
import type { CommandContext, StartCommandOptions } from './command-context.ts';
import { findAbsent } from './created-paths.ts';
import { defaultUrl } from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { closeGoneTerminals } from './gone-terminals.ts';
import { type CommandLog, createLog } from './log.ts';
import { explainStartFailure } from './start-failure.ts';
import { stdinEnd } from './stdin-end.ts';

/** Starts the emulator and runs it until a signal. Throws UnusableOption when it cannot start. */
export async function startCommand(options: StartCommandOptions, notice: CommandContext['notice']): Promise<void> {
  const { settings, silent, debugFile, advises, describeSettings, log: logOptions } = options;
  // Watch standard input from the beginning: it may end during the start.
  const programGone = options.untilStdinEnds ? stdinEnd() : undefined;
  const { location } = settings;
  const removeCreated = findAbsent([
    ...(location === undefined ? [] : [join(location, lockFile)]),
    ...(debugFile === undefined ? [] : [debugFile]),
  ]);
  try {
    const time = systemMachineTime;
    const log = await createLog({ ...logOptions, time, ...(debugFile === undefined ? {} : { debugFile }) });
    const advice: Advice = {};
    const isLogged = !silent || debugFile !== undefined;
    const emulator = await runEmulator({
      ...defaultEmulatorSettings,
      ...settings,
      log,
      ...(describeSettings && { describeSettings }),
      ...(isLogged && { onRequest: (record) => log.request(record) }),
      logsControlPlane: isLogged,
      ...(advises ? { onStopped: (advisor) => renderAdvice(advisor, advice) } : {}),
    });
    const close = closeOnSignal(emulator, { log, advice });
    // Other tools wait for exactly this line. Evidence: sdk (Testcontainers and others match parts of it).
    const { url, port, https } = emulator;
    log.say(`Azurite Table service is successfully listening at ${url}`, {
      url,
      port,
      location: describePlace(settings) ?? null,
      version: manifest.version,
      ...(https && { httpsUrl: https.url }),
    });
    void programGone?.then(close);
    if (https) log.say(`HTTPS on the same port: ${https.url}; CA certificate: ${https.authorityFile ?? 'in memory'}`);
    if (settings.profile !== 'default' && describeSettings) {
      const { describeProfile } = await import('../settings/describe-options.ts');
      log.say(describeProfile(settings.profile, await describeSettings()), { profile: settings.profile });
    }
    if (process.stdout.isTTY && !silent && !logOptions.isJsonOnly) log.say(introduction(url, describePlace(settings)));
    if (location !== undefined && existsSync(join(location, azuriteFile))) {
      const file = join(resolve(location), azuriteFile);
      // A notice is written immediately, the log by the thread pool. Waiting keeps the ready line first.
      await log.flush();
      notice(`${file} holds data of Azurite and is not read. To import the data: tanzanite import azurite ${file}`);
    }
  } catch (error) {
    removeCreated();
    if (error instanceof UnusableOption) throw error;
    throw new UnusableOption(explainStartFailure(error, settings));
  }
}

/** The lock file of the store. It is always empty. */
const lockFile = 'tanzanite.lock';
/** Evidence: peers (Azurite keeps the tables in this file of its folder). */
const azuriteFile = '__azurite_db_table__.json';

/** Lines for a person at a terminal, with addresses that can be opened. */
function introduction(url: string, place: string | undefined): string {
  // Not every system or browser can connect to the wildcard address.
  const own = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const address = own === defaultUrl ? '' : ` --url ${own}`;
  // npm sets npm_command if npx or a script has started this program. In that case, the command `tanzanite` may be
  // missing from the user's PATH.
  const command = process.env['npm_command'] === undefined ? 'tanzanite' : 'npx --no tanzanite';
  return [
    `  Tanzanite ${manifest.version}, data in ${place ?? 'memory'}`,
    `  Console:            ${own}/_emulator/console`,
    `  Documentation:      ${own}/_emulator/docs`,
    `  Connection string:  ${command} connection-string${address}`,
    '  Ctrl-C stops',
  ].join('\n');
}

/**
 * Stops the emulator gracefully on the first signal, and ends the process immediately on the second signal. Returns a
 * function that stops the emulator gracefully without a signal.
 */
function closeOnSignal(
  emulator: RunningEmulator,
  { log, advice }: { readonly log: CommandLog; readonly advice: Advice },
): () => void {
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    log.say('Azurite Table service is closing...');
    await emulator.close();
    log.say('Azurite Table service successfully closed');
    await log.flush();
    // If the reader of standard output is gone, the process still ends.
    if (advice.text !== undefined)
      await new Promise<void>((resolve) => process.stdout.write(advice.text ?? '', () => resolve()));
    process.exit(0);
  };
  process.on('exit', closeGoneTerminals);
  const onSignal = (): void => (isClosing ? process.exit(1) : void close());
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    if (!isClosing) void close();
  };
}

/** The advisor's report, once the emulator has stopped. */
interface Advice {
  text?: string;
}

async function renderAdvice(advisor: Advisor | undefined, advice: Advice): Promise<void> {
  const { renderText } = await import('../advisor/render-text.ts');
  if (advisor) advice.text = renderText(await advisor.report(), process.stdout.columns);
}
