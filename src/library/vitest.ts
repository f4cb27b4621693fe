// tanzanite/vitest

import { afterAll, beforeAll } from 'vitest';
import type { StartOptions } from './start-options.ts';
import { type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { StartOptions, TestEmulator };

/** An emulator for the tests of the file or block that calls this. */
export function useEmulator(options?: StartOptions): TestEmulator {
  return useEmulatorWith({ beforeAll, afterAll }, options);
}
