// tanzanite/node-test

import { after, before } from 'node:test';
import type { EmulatorOptions } from '../settings/emulator-options.ts';
import { type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { EmulatorOptions, TestEmulator };

/** An emulator for the tests of the file or suite that calls this. */
export function useEmulator(options?: EmulatorOptions): TestEmulator {
  return useEmulatorWith({ beforeAll: before, afterAll: after }, options);
}
