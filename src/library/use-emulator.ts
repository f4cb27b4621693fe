import type { EmulatorOptions } from '../settings/emulator-options.ts';
import { type Emulator, startEmulator } from './start-emulator.ts';

/** What a test sees of the emulator of its file: there from the first hook on, gone after the last test. */
export type TestEmulator = Omit<Emulator, 'close' | typeof Symbol.asyncDispose>;

/** How a test runner is told of what surrounds the tests of a file, or of the block that is being described. */
export interface Hooks {
  readonly beforeAll: (start: () => Promise<void>) => unknown;
  readonly afterAll: (stop: () => Promise<void>) => unknown;
}

/** One emulator for the tests of a file or block, started before the first and closed after the last. */
export function useEmulatorWith({ beforeAll, afterAll }: Hooks, options: EmulatorOptions = {}): TestEmulator {
  let running: Emulator | undefined;
  beforeAll(async () => {
    running = await startEmulator(options);
  });
  afterAll(async () => {
    await running?.close();
    running = undefined;
  });
  const started = (): Emulator => {
    if (running) return running;
    throw new Error('useEmulator: the emulator runs from beforeAll to afterAll; ask for it in a test or a hook');
  };
  return {
    get url() {
      return started().url;
    },
    get connectionString() {
      return started().connectionString;
    },
    account: () => started().account(),
    reset: async (target) => started().reset(target),
    capacity: () => started().capacity(),
  };
}
