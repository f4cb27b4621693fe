// tanzanite/global-setup: one emulator for a whole test run. The processes of the tests find it in the environment.

import { type Emulator, startEmulator } from './start-emulator.ts';

const variable = 'TANZANITE_CONNECTION_STRING';

/** Jest loads tanzanite/global-teardown as a separate module, which finds the emulator in this global. */
const globalKey = Symbol.for('tanzanite.globalEmulator');
const globals = globalThis as { [globalKey]?: Emulator | undefined };

/** Starts the emulator. Vitest calls what this returns at the end of the run. */
// biome-ignore lint/style/noDefaultExport: Vitest and Jest call the default export.
export default async function setUp(): Promise<() => Promise<void>> {
  // With any account, each test can take a new one by choosing a name.
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
