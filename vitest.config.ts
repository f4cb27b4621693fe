import { configDefaults, defineConfig } from 'vitest/config';

const shared = 'test/{unit,conformance}/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: 'test/support/build-once.ts',
    setupFiles: process.env['TANZANITE_TEST_ENGINE'] === 'delayed' ? ['test/support/delayed-engine.ts'] : [],
    // Two cores: a file a worker, no more workers than that.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    projects: [
      // No module of src has state, so the files of these suites share one instance of each: importing them again for every
      // file took two thirds of the processor time of test/conformance.
      { extends: true, test: { name: 'shared', include: [shared], isolate: false } },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [...configDefaults.exclude, shared] },
      },
    ],
  },
});
