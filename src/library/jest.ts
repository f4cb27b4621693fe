// tanzanite/jest

import { type EachHook, type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type Hooks, type RunnerHooks, type TestEmulator, type TestOptions, useEmulatorWith } from './use-emulator.ts';

export type { EachHook, Hooks, Restorable, StartOptions, TestEmulator, TestOptions };

/**
 * An emulator for the tests of the file or block that calls this. Its clock and its faults are reset after each test, and the error of
 * a failed test lists the refused requests. The hooks are Jest's globals; with `injectGlobals: false` pass those of `@jest/globals`.
 */
export function useEmulator(options?: TestOptions, hooks: Partial<Hooks> = globalThis as Partial<Hooks>): TestEmulator {
  const { beforeAll, beforeEach, afterEach, afterAll } = hooks;
  if (!beforeAll || !afterAll) {
    throw new TypeError('useEmulator: there are no globals beforeAll and afterAll: pass them as the second argument');
  }
  const atEnd: RunnerHooks['afterEach'] = (end) => afterEach?.(() => end(currentFailure()));
  const each = { ...(beforeEach && { beforeEach }), ...(afterEach && { afterEach: atEnd }) };
  return useEmulatorWith({ beforeAll, ...each, afterAll, isWorker: isJestWorker() }, options);
}

/** Tests get a copy of `process` without the channel to the runner, so the path of the running program decides. */
function isJestWorker(): boolean {
  return /[\\/]jest-worker[\\/]/.test(process.argv[1] ?? '');
}

/**
 * The error of the test that just ended. Jest does not pass it to hooks, but its runner, jest-circus, keeps it in a global. Other
 * runners do not, and errors then stay unchanged.
 */
function currentFailure(): unknown {
  const symbol = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  const state = symbol && (globalThis as Record<symbol, JestState | undefined>)[symbol];
  const failure = state?.currentlyRunningTest?.errors?.at(-1);
  return Array.isArray(failure) ? failure[0] : failure;
}

interface JestState {
  /** An error, or a pair of an error and where the test was defined. */
  readonly currentlyRunningTest?: { readonly errors?: readonly unknown[] } | null;
}

/**
 * Each test of the file or block that calls this begins with the state that `prepare` makes. `prepare` runs once, before the first
 * test. Without it, tests begin with the snapshot of that name. The hook is Jest's global, unless passed as the last argument.
 */
export function restoreBeforeEach(
  emulator: Restorable,
  name: string,
  prepare?: () => unknown,
  hooks: Partial<EachHook> = globalThis as Partial<EachHook>,
): void {
  const { beforeEach, afterEach } = hooks;
  if (beforeEach) restoreBeforeEachWith({ beforeEach, ...(afterEach && { afterEach }) }, { emulator, name, prepare });
  else throw new TypeError('restoreBeforeEach: there is no global beforeEach: pass it as the last argument');
}
