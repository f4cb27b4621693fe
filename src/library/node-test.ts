// tanzanite/node-test

import { after, before } from 'node:test';
import type { StartOptions } from './start-options.ts';
import { type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { StartOptions, TestEmulator };

/** An emulator for the tests of the file or suite that calls this. */
export function useEmulator(options?: StartOptions): TestEmulator {
  return useEmulatorWith({ beforeAll: before, afterAll: after }, options);
}
