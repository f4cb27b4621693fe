import type { AccountKeys } from '../auth/accounts.ts';
import { defaultSettings, type RunningEmulator, runEmulator } from '../emulator.ts';
import { type Durability, StoreUnavailable } from '../storage/store.ts';
import { exitCodeUnusable } from './exit-codes.ts';
import { createLog } from './log.ts';

export interface StartOptions {
  readonly host: string;
  readonly port: number;
  readonly location?: string;
  readonly durability: Durability;
  readonly accounts: readonly AccountKeys[];
  /** No line for each request. */
  readonly silent: boolean;
  readonly debugFile?: string;
}

/** Starts the emulator and stays until a signal. Ends the process with code 2 and one line when it cannot start. */
export async function startCommand(options: StartOptions): Promise<void> {
  const { host, port, location, durability, accounts, silent, debugFile } = options;
  // That nobody reads the output any more (`| head -1`) is no reason to stop, least of all half-way through closing.
  process.stdout.on('error', () => undefined);
  try {
    const log = await createLog({ ...(debugFile === undefined ? {} : { debugFile }) });
    const emulator = await runEmulator({
      ...defaultSettings,
      host,
      port,
      durability,
      accounts,
      log,
      logRequests: !silent || debugFile !== undefined,
      ...(location === undefined ? {} : { location }),
    });
    closeOnSignal(emulator);
    // Other tools wait for just this line. Evidence: peers.md (e).
    print(`Azurite Table service is successfully listening at ${emulator.url}`);
  } catch (error) {
    process.stderr.write(`tanzanite: ${reasonOf(error, options)}\n`);
    process.exit(exitCodeUnusable);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The first signal closes in order; a second one does not wait for that. */
function closeOnSignal(emulator: RunningEmulator): void {
  let isClosing = false;
  const close = async (): Promise<void> => {
    if (isClosing) process.exit(1);
    isClosing = true;
    print('Azurite Table service is closing...');
    await emulator.close();
    print('Azurite Table service successfully closed');
    process.exit(0);
  };
  process.on('SIGINT', () => void close());
  process.on('SIGTERM', () => void close());
}

/** One line that says what is wrong and what to do about it. */
function reasonOf(error: unknown, { host, port }: StartOptions): string {
  if (error instanceof StoreUnavailable) return `${error.message} ${storeHints[error.reason]}`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is in use. Stop what uses it, or choose another with --tablePort (0 for any free one).`;
  }
  if (code === 'EACCES') return `port ${port} on ${host} needs more rights. Choose one above 1023 with --tablePort.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is no address of this machine. Choose another with --tableHost.`;
  }
  return error instanceof Error ? error.message : String(error);
}

const storeHints: Readonly<Record<StoreUnavailable['reason'], string>> = {
  unwritable: 'Choose another folder with --location, or keep nothing with --inMemoryPersistence.',
  locked: 'Stop the other process, or choose another folder with --location.',
  newer: 'Update tanzanite, or choose another folder with --location.',
  damaged: 'Restore the file from a copy, or choose another folder with --location. Nothing was changed.',
  foreign: 'Choose another folder with --location. Nothing was changed.',
};
