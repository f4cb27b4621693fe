import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findPostgres } from './test/support/postgres-server.mjs';

const all = 'test/**/*.test.ts';

const engine = process.env['TANZANITE_TEST_ENGINE'];
/** What puts another engine in the place of SQLite. */
const engines: Readonly<Record<string, string[]>> = {
  delayed: ['test/support/delayed-engine.ts'],
  postgres: ['test/support/postgres-engine.ts'],
};

const setupFilesOf = (name = '') => ['test/support/property-seed.ts', ...(engines[name] ?? [])];

const options = {
  // No module of src has state, so all files of a worker share one instance of each module. Importing the modules again
  // for each file took two thirds of the processor time of test/conformance.
  isolate: false,
  globalSetup: ['faster-starts', 'build-once', 'share-postgres'].map((name) => `test/support/${name}.ts`),
  setupFiles: setupFilesOf(engine),
  // Long enough for a busy machine; no test waits for a time-out.
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
};

/** What of test/conformance runs over PostgreSQL too; `npm run test:postgres` runs the whole. */
const operations = [
  '{create,delete}-table',
  '{insert,update,delete,get}-entity',
  'entity-group-transaction',
  'batch-atomicity',
  'query-entities',
  '{etags,keys}',
  'control-plane/{reset,snapshots}',
];
const overPostgres = {
  ...options,
  name: 'postgres',
  include: operations.map((name) => `test/conformance/${name}.test.ts`),
  setupFiles: setupFilesOf('postgres'),
  env: { TANZANITE_TEST_ENGINE: 'postgres' },
};
const isShortRun = engine === undefined && findPostgres() !== undefined;

/**
 * Files that begin first: those that take longest, because the other workers would wait for one that began last. Files
 * that mostly wait are between those that compute, so that no processor is idle. The examples of the pages are the last
 * of them: those of a language run only if its suites have installed its packages.
 */
const first = [
  'test/simulation/simulation',
  'test/cluster/outage',
  'test/packages/python',
  'test/fuzz/fuzz',
  'test/sdk/js/throttling',
  'test/packages/java',
  'test/unit/cli/refused-start',
  'test/cluster/cluster',
  'test/unit/cli/exec',
  'test/crash/endurance',
  'test/packages/go',
  'test/console/faults-page',
  'test/sdk/python/smoke',
  'test/sdk/go/smoke',
  'test/unit/cli/chaos',
  'test/sdk/identity/identity',
  'test/sdk/java/suite',
  'test/sdk/java/scenarios',
  'test/sdk/chaos/programs',
  'test/unit/storage/postgres/contract',
  'test/conformance/recordings/recordings',
  'test/console/query-page',
  'test/console/entities-page',
  'test/console/shell',
  'test/unit/cli/log-destinations',
  'test/unit/storage/store-contract',
  'test/console/traffic-page',
  'test/conformance/shared-access',
  'test/unit/repository/docs',
].map((name) => `${name}.test.ts`);

/** In each project these first, then the others by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const projects = [...new Set(bySize.map(({ project }) => project))];
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = first.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? first.length : at;
    };
    return projects.flatMap((project) =>
      bySize.filter((file) => file.project === project).sort((a, b) => rank(a) - rank(b)),
    );
  }
}

export default defineConfig({
  test: {
    include: [all],
    // For two cores: a file waits for its servers, browsers and time-outs much of its time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default'],
    projects: [{ test: { ...options, name: 'all', include: [all] } }, ...(isShortRun ? [{ test: overPostgres }] : [])],
  },
});
