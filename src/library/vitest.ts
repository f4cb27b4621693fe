// tanzanite/vitest

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Advised, type FindingsOptions, findingsOf } from './expect-no-findings.ts';
import { type Restorable, restoreBeforeEachWith } from './restore-before-each.ts';
import type { StartOptions } from './start-options.ts';
import { type RunnerHooks, type TestEmulator, type TestOptions, useEmulatorWith } from './use-emulator.ts';

export type { Restorable, StartOptions, TestEmulator, TestOptions };

/**
 * Starts an emulator for the tests of the file or block that calls this function. After each test, the emulator's clock
 * and faults are reset. The error of a failed test lists the requests that the emulator refused.
 */
export function useEmulator(options?: TestOptions): TestEmulator {
  const atEnd: RunnerHooks['afterEach'] = (end) =>
    afterEach(({ task }) => end(task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined));
  // A process of the pool `forks` has a channel to the runner. Other pools run in the runner's process.
  const isWorker = process.connected === true;
  return useEmulatorWith({ beforeAll, beforeEach, afterEach: atEnd, afterAll, isWorker }, options);
}

/**
 * Gives the same initial state to each test of the file or block that calls this function. `prepare` creates this
 * state, and runs once, before the first test. Without `prepare`, the state is the existing snapshot `name`.
 */
export function restoreBeforeEach(emulator: Restorable, name: string, prepare?: () => unknown): void {
  restoreBeforeEachWith({ beforeEach, afterEach }, { emulator, name, prepare });
}

/** Adds the matcher: `await expect(emulator).toHaveNoFindings({ least: 'warning' })`. */
export function addAdvisorMatcher(): void {
  expect.extend({
    async toHaveNoFindings(received: Advised, options: FindingsOptions = {}) {
      const { findings, text } = await findingsOf(received, options);
      return { pass: findings.length === 0, message: () => text };
    },
  });
}

declare module 'vitest' {
  interface Matchers<T> {
    /** Passes if the advisor of an emulator has no findings of at least `least`, by default `warning`. */
    toHaveNoFindings(options?: FindingsOptions): Promise<T>;
  }
}
