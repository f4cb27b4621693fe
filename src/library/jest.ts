// tanzanite/jest

import type { StartOptions } from './start-options.ts';
import { type Hooks, type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { Hooks, StartOptions, TestEmulator };

/**
 * An emulator for the tests of the file or block that calls this. The hooks are Jest's globals; with `injectGlobals: false`
 * give those of `@jest/globals`.
 */
export function useEmulator(
  options?: StartOptions,
  hooks: Partial<Hooks> = globalThis as Partial<Hooks>,
): TestEmulator {
  const { beforeAll, afterAll } = hooks;
  if (beforeAll && afterAll) return useEmulatorWith({ beforeAll, afterAll }, options);
  throw new TypeError('useEmulator: there are no globals beforeAll and afterAll; give them as the second argument');
}
