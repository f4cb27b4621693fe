// tanzanite/jest

import { type EachHook, type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type Hooks, type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { EachHook, Hooks, Restorable, StartOptions, TestEmulator };

/**
 * An emulator for the tests of the file or block that calls this. Its clock and its faults are put back after each test. The hooks are Jest's
 * globals; with `injectGlobals: false` give those of `@jest/globals`.
 */
export function useEmulator(
  options?: StartOptions,
  hooks: Partial<Hooks> = globalThis as Partial<Hooks>,
): TestEmulator {
  const { beforeAll, afterEach, afterAll } = hooks;
  if (beforeAll && afterAll) return useEmulatorWith({ beforeAll, ...(afterEach && { afterEach }), afterAll }, options);
  throw new TypeError('useEmulator: there are no globals beforeAll and afterAll; give them as the second argument');
}

/**
 * Each test of the file or block that calls this begins with what `prepare` makes, which runs once, before the first. Without
 * `prepare` it begins with the snapshot that has the name. The hook is Jest's global, unless given as the last argument.
 */
export function restoreBeforeEach(
  emulator: Restorable,
  name: string,
  prepare?: () => unknown,
  hooks: Partial<EachHook> = globalThis as Partial<EachHook>,
): void {
  const { beforeEach, afterEach } = hooks;
  if (beforeEach) restoreBeforeEachWith({ beforeEach, ...(afterEach && { afterEach }) }, { emulator, name, prepare });
  else throw new TypeError('restoreBeforeEach: there is no global beforeEach; give it as the last argument');
}
