// tanzanite/vitest

import { afterAll, beforeAll } from 'vitest';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import { type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { EmulatorOptions, TestEmulator };

/** An emulator for the tests of the file, or of the block, that calls it. */
export function useEmulator(options?: EmulatorOptions): TestEmulator {
  return useEmulatorWith({ beforeAll, afterAll }, options);
}
