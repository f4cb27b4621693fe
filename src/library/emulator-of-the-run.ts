// tanzanite/global-setup and, for Jest, tanzanite/global-teardown: one emulator for a whole run, told to the processes of
// the tests in the environment. Vitest calls what the setup returns.

import { type Emulator, startEmulator } from './start-emulator.ts';

const variable = 'TANZANITE_CONNECTION_STRING';

/** Where the setup leaves the emulator for the teardown, which Jest loads as a module of its own. */
const place = Symbol.for('tanzanite.emulatorOfTheRun');
const shared = globalThis as { [place]?: Emulator | undefined };

export async function setUp(): Promise<() => Promise<void>> {
  // Accounts without end, so that each test takes a fresh one by its name alone.
  const emulator = await startEmulator({ accounts: 'any' });
  shared[place] = emulator;
  process.env[variable] = emulator.connectionString;
  return tearDown;
}

export async function tearDown(): Promise<void> {
  const emulator = shared[place];
  delete shared[place];
  delete process.env[variable];
  await emulator?.close();
}
