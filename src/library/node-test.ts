// tanzanite/node-test

import { after, afterEach, before, beforeEach } from 'node:test';
import { type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type RunnerHooks, type TestEmulator, type TestOptions, useEmulatorWith } from './use-emulator.ts';

export type { Restorable, StartOptions, TestEmulator, TestOptions };

/**
 * Starts an emulator for the tests of the file or suite that calls this function. After each test, the emulator's clock
 * and faults are reset. The error of a failed test lists the requests that the emulator refused.
 */
export function useEmulator(options?: TestOptions): TestEmulator {
  const atEnd: RunnerHooks['afterEach'] = (end) => afterEach((context: unknown) => end(...failuresOf(context)));
  // `node --test` sets this variable. It is not set if a test file is run directly.
  const isWorker = process.env['NODE_TEST_CONTEXT'] !== undefined;
  return useEmulatorWith({ beforeAll: before, beforeEach, afterEach: atEnd, afterAll: after, isWorker }, options);
}

/**
 * Returns the two errors of a failed test: the error that the runner made, and the original error, which is its cause.
 * Some reporters print the message of the runner's error, and others print the message of the original error.
 */
function failuresOf(context: unknown): unknown[] {
  const { error } = (context ?? {}) as { readonly error?: Error | null };
  return error ? [error, error.cause] : [];
}

/**
 * Gives the same initial state to each test of the file or suite that calls this function. `prepare` creates this
 * state, and runs once, before the first test. Without `prepare`, the state is the existing snapshot `name`.
 */
export function restoreBeforeEach(emulator: Restorable, name: string, prepare?: () => unknown): void {
  restoreBeforeEachWith({ beforeEach, afterEach }, { emulator, name, prepare });
}
