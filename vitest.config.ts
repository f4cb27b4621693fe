import { configDefaults, defineConfig } from 'vitest/config';

const all = 'test/**/*.test.ts';
const shared = 'test/{unit,conformance}/**/*.test.ts';

const options = {
  globalSetup: ['test/support/build-once.ts', 'test/support/share-postgres.ts'],
  setupFiles: process.env['TANZANITE_TEST_ENGINE'] === 'delayed' ? ['test/support/delayed-engine.ts'] : [],
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
