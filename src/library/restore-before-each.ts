import type { Emulator } from './start-emulator.ts';

/** Hooks of a test runner, for the file or block that calls them. */
export interface EachHook {
  readonly beforeEach: (restore: () => Promise<void>) => unknown;
  /** If absent, clock and faults stay as a test leaves them. */
  readonly afterEach?: (putBack: () => Promise<void>) => unknown;
}

/** An emulator, from `useEmulator` or `startEmulator`. */
export type Restorable = Pick<Emulator, 'snapshot' | 'restore'> & Partial<Pick<Emulator, 'reset'>>;

export interface RestoreOptions {
  readonly emulator: Restorable;
  readonly name: string;
  /** Makes the state. If undefined, the snapshot `name` is restored. */
  readonly prepare: (() => unknown) | undefined;
}

/**
 * Before the first test of a file or block, saves the state that `prepare` creates. Before each later test, restores
 * that state. If `prepare` fails, all tests fail with its error. After each test, failed or not, resets the clock and
 * the faults.
 */
export function restoreBeforeEachWith(
  { beforeEach, afterEach }: EachHook,
  { emulator, name, prepare }: RestoreOptions,
): void {
  let saved: Promise<unknown> | undefined;
  afterEach?.(async () => {
    await emulator.reset?.({ clock: true, faults: true });
  });
  beforeEach(async () => {
    if (saved || !prepare) {
      await saved;
      await emulator.restore(name);
    } else {
      // Not in beforeAll: in a nested block, `prepare` begins with the state that the outer block restores.
      saved = (async () => {
        await prepare();
        await emulator.snapshot(name);
      })();
      await saved;
    }
  });
}
