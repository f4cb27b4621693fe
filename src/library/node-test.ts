// tanzanite/node-test

import { after, afterEach, before, beforeEach } from 'node:test';
import { type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type TestEmulator, useEmulatorWith } from './use-emulator.ts';

export type { Restorable, StartOptions, TestEmulator };

/** An emulator for the tests of the file or suite that calls this. Its clock and its faults are put back after each test. */
export function useEmulator(options?: StartOptions): TestEmulator {
  return useEmulatorWith({ beforeAll: before, afterEach, afterAll: after }, options);
}

/**
 * Each test of the file or suite that calls this begins with what `prepare` makes, which runs once, before the first. Without
 * `prepare` it begins with the snapshot that has the name.
 */
export function restoreBeforeEach(emulator: Restorable, name: string, prepare?: () => unknown): void {
  restoreBeforeEachWith({ beforeEach, afterEach }, { emulator, name, prepare });
}
