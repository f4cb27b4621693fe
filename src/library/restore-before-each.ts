import type { Emulator } from './start-emulator.ts';

/** Hooks of a test runner, for the file or block that calls them. */
export interface EachHook {
  readonly beforeEach: (restore: () => Promise<void>) => unknown;
  /** Without it clock and faults stay as a test leaves them. */
  readonly afterEach?: (putBack: () => Promise<void>) => unknown;
}

/** What can be restored: an emulator of `useEmulator` or `startEmulator`. */
export type Restorable = Pick<Emulator, 'snapshot' | 'restore'> & Partial<Pick<Emulator, 'reset'>>;

export interface RestoreOptions {
  readonly emulator: Restorable;
  readonly name: string;
  /** Makes the state. Without it the snapshot is restored that has the name. */
  readonly prepare: (() => unknown) | undefined;
}

/**
 * Before the first test of a file or block, saves the state that `prepare` makes; restores it before each other test. If
 * `prepare` fails, all tests fail with its error. After each test, failed or not, clock and faults are put back.
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
      // Not before all tests: in a block within another one, `prepare` begins with the state that the outer block restores.
      saved = (async () => {
        await prepare();
        await emulator.snapshot(name);
      })();
      await saved;
    }
  });
}
