// The Vitest configuration for `measure.mjs`. It selects the tests that show what the service does. It also inserts
// calls into the sources. When a test runs the code of an evidence mark, the inserted call reports the mark.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { markPlugin } from './mark-plugin.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const units = [
  'auth',
  'capacity',
  'http',
  'identity',
  'model',
  'operations',
  'protocol',
  'query',
  'service',
  'storage',
];

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export.
export default defineConfig({
  plugins: [markPlugin(root)],
  test: {
    root,
    include: ['test/conformance/**/*.test.ts', ...units.map((name) => `test/unit/${name}/**/*.test.ts`)],
    exclude: ['**/*browser.test.ts', 'test/conformance/recordings/**', 'test/unit/storage/postgres/**'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    globalSetup: ['test/support/build-once.ts', 'test/support/share-postgres.ts'],
    setupFiles: ['test/support/property-seed.ts', 'scripts/capabilities/note-tests.mjs'],
  },
});
