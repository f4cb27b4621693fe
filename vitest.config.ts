import { defineConfig } from 'vitest/config';

const conformance = 'test/conformance/**/*.test.ts';

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
      // These files import the whole emulator and change none of it, so they share its modules: a third of the processor time.
      { extends: true, test: { name: 'conformance', include: [conformance], isolate: false } },
      { extends: true, test: { name: 'parts', include: ['test/**/*.test.ts'], exclude: [conformance] } },
    ],
  },
});
