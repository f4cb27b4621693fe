import { configDefaults, defineConfig } from 'vitest/config';

const all = 'test/**/*.test.ts';
const shared = 'test/{unit,conformance}/**/*.test.ts';

/** What puts another engine in the place of SQLite. */
const engines: Readonly<Record<string, string[]>> = {
  delayed: ['test/support/delayed-engine.ts'],
  postgres: ['test/support/postgres-engine.ts'],
};

const options = {
  globalSetup: ['test/support/build-once.ts', 'test/support/share-postgres.ts'],
  setupFiles: engines[process.env['TANZANITE_TEST_ENGINE'] ?? ''] ?? [],
  testTimeout: 20_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    include: [all],
    // Two cores: a file a worker, no more workers than that.
    maxWorkers: 2,
    reporters: ['default'],
    projects: [
      // No module of src has state, so the files of these suites share one instance of each: importing them again for every
      // file took two thirds of the processor time of test/conformance.
      { test: { ...options, name: 'shared', include: [shared], isolate: false } },
      { test: { ...options, name: 'isolated', include: [all], exclude: [...configDefaults.exclude, shared] } },
    ],
  },
});
