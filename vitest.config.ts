import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/build-once.ts',
    setupFiles: process.env['TANZANITE_TEST_ENGINE'] === 'delayed' ? ['test/support/delayed-engine.ts'] : [],
    // Two cores: a file a worker, no more workers than that.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
