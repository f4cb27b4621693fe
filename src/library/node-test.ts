// tanzanite/node-test

import { after, afterEach, before, beforeEach } from 'node:test';
import { type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type RunnerHooks, type TestEmulator, type TestOptions, useEmulatorWith } from './use-emulator.ts';

export type { Restorable, StartOptions, TestEmulator, TestOptions };

/**
 * An emulator for the tests of the file or suite that calls this. Its clock and its faults are put back after each test, and the
 * error of a failed test names the requests that were refused.
 */
export function useEmulator(options?: TestOptions): TestEmulator {
  const atEnd: RunnerHooks['afterEach'] = (end) => afterEach((context: unknown) => end(...failuresOf(context)));
  // Set by `node --test`, and not where a test file is run by itself.
  const isWorker = process.env['NODE_TEST_CONTEXT'] !== undefined;
  return useEmulatorWith({ beforeAll: before, beforeEach, afterEach: atEnd, afterAll: after, isWorker }, options);
}

/** The runner wraps what a test throws. Its reporters print the message of either. */
function failuresOf(context: unknown): unknown[] {
  const { error } = (context ?? {}) as { readonly error?: Error | null };
  return error ? [error, error.cause] : [];
}

/**
 * Each test of the file or suite that calls this begins with what `prepare` makes, which runs once, before the first. Without
 * `prepare` it begins with the snapshot that has the name.
 */
export function restoreBeforeEach(emulator: Restorable, name: string, prepare?: () => unknown): void {
  restoreBeforeEachWith({ beforeEach, afterEach }, { emulator, name, prepare });
}
