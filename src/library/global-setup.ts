// tanzanite/global-setup: one emulator for a whole test run. The processes of the tests find it in the environment.

import { type Emulator, startEmulator } from './start-emulator.ts';

const variable = 'TANZANITE_CONNECTION_STRING';

/** Jest loads tanzanite/global-teardown as a module of its own, so the emulator waits for it among the globals. */
const place = Symbol.for('tanzanite.globalEmulator');
const globals = globalThis as { [place]?: Emulator | undefined };

/** Starts the emulator. Vitest calls what this returns at the end of the run. */
// biome-ignore lint/style/noDefaultExport: Vitest and Jest call the default export.
export default async function setUp(): Promise<() => Promise<void>> {
  // With any account, each test can take a new one by choosing a name.
  const emulator = await startEmulator({ accounts: 'any' });
  globals[place] = emulator;
  process.env[variable] = emulator.connectionString;
  return tearDown;
}

/** Closes the emulator of the run. */
export async function tearDown(): Promise<void> {
  const emulator = globals[place];
  delete globals[place];
  delete process.env[variable];
  await emulator?.close();
}
