import { type Emulator, startEmulator } from './start-emulator.ts';
import type { StartOptions } from './start-options.ts';

/** The emulator of a test file or block. It runs from `beforeAll` to `afterAll`. */
export type TestEmulator = Omit<Emulator, 'close' | typeof Symbol.asyncDispose>;

/** Hooks of a test runner, for the file or block that calls them. */
export interface Hooks {
  readonly beforeAll: (start: () => Promise<void>) => unknown;
  readonly afterAll: (stop: () => Promise<void>) => unknown;
  /** Without it clock and faults stay as a test leaves them. */
  readonly afterEach?: (putBack: () => Promise<void>) => unknown;
}

/**
 * Starts an emulator before the first test of a file or block, and closes it after the last. After each test, failed or not, its
 * clock and its faults are put back.
 */
export function useEmulatorWith({ beforeAll, afterEach, afterAll }: Hooks, options: StartOptions = {}): TestEmulator {
  let running: Emulator | undefined;
  beforeAll(async () => {
    running = await startEmulator(options);
  });
  afterEach?.(async () => {
    await running?.reset({ clock: true, faults: true });
  });
  afterAll(async () => {
    await running?.close();
    running = undefined;
  });
  const started = (): Emulator => {
    if (running) return running;
    throw new Error('useEmulator: the emulator runs from beforeAll to afterAll; use it in a test or a hook');
  };
  return {
    get url() {
      return started().url;
    },
    get httpsUrl() {
      return started().httpsUrl;
    },
    get certificateAuthority() {
      return started().certificateAuthority;
    },
    get connectionString() {
      return started().connectionString;
    },
    account: () => started().account(),
    reset: async (target) => started().reset(target),
    seed: async (path, options) => started().seed(path, options),
    export: async (folder, options) => started().export(folder, options),
    snapshot: async (name, target) => started().snapshot(name, target),
    restore: async (name, target) => started().restore(name, target),
    snapshots: async (target) => started().snapshots(target),
    deleteSnapshot: async (name, target) => started().deleteSnapshot(name, target),
    get clock() {
      return started().clock;
    },
    get faults() {
      return started().faults;
    },
    get identity() {
      return started().identity;
    },
    capacity: () => started().capacity(),
    get advisor() {
      return started().advisor;
    },
  };
}
