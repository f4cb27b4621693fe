// tanzanite/jest

import { type EachHook, type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type Hooks, type RunnerHooks, type TestEmulator, type TestOptions, useEmulatorWith } from './use-emulator.ts';

export type { EachHook, Hooks, Restorable, StartOptions, TestEmulator, TestOptions };

/**
 * Starts an emulator for the tests of the file or block that calls this function. After each test, the emulator's clock
 * and faults are reset. The error of a failed test lists the requests that the emulator refused. By default the hooks
 * are Jest's globals. With `injectGlobals: false`, pass the hooks of `@jest/globals`.
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

/** In a test, `process` is a copy without the channel to the runner. So the path of the running program decides. */
function isJestWorker(): boolean {
  return /[\\/]jest-worker[\\/]/.test(process.argv[1] ?? '');
}

/**
 * Returns the error of the test that just ended. Jest does not pass this error to hooks, but its runner, jest-circus,
 * keeps the error in a global variable. With a runner that does not keep the error, returns undefined.
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
  /** Each is an error, or a pair: an error, and where the test was defined. */
  readonly currentlyRunningTest?: { readonly errors?: readonly unknown[] } | null;
}

/**
 * Gives the same initial state to each test of the file or block that calls this function. `prepare` creates this
 * state, and runs once, before the first test. Without `prepare`, the state is the existing snapshot `name`. The
 * hooks are Jest's globals, unless the last argument passes other hooks.
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
