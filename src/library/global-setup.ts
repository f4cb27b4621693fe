// The module tanzanite/global-setup starts one emulator for a test run. The test processes find the emulator through an
// environment variable.

import { type Emulator, startEmulator } from './start-emulator.ts';

const variable = 'TANZANITE_CONNECTION_STRING';

/** Jest loads tanzanite/global-teardown as a separate module, which finds the emulator in this global. */
const globalKey = Symbol.for('tanzanite.globalEmulator');
const globals = globalThis as { [globalKey]?: Emulator | undefined };

/** Starts the emulator. Vitest calls the returned function at the end of the run. */
// biome-ignore lint/style/noDefaultExport: Vitest and Jest call the default export.
export default async function setUp(): Promise<() => Promise<void>> {
  // With any account name accepted, each test can use a new one.
  const emulator = await startEmulator({ accounts: 'any' });
  globals[globalKey] = emulator;
  process.env[variable] = emulator.connectionString;
  return tearDown;
}

/** Closes the emulator of the run. */
export async function tearDown(): Promise<void> {
  const emulator = globals[globalKey];
  delete globals[globalKey];
  delete process.env[variable];
  await emulator?.close();
}
