import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './check-out.mjs';
import { MissingTool, runTool } from './run-tool.mjs';

const own = join(import.meta.dirname, 'ruby-legacy');
const cache = fileURLToPath(new URL('../../.cache/suites/ruby-legacy', import.meta.url));
const source = join(cache, 'source');
const libraries = ['common', 'table', 'blob', 'queue', 'file'].map((name) => join(source, name, 'lib'));
const gems = [
  'faraday',
  'faraday_middleware',
  'net/http/persistent',
  'nokogiri',
  'minitest',
  'minitest/reporters',
  'mocha/api',
  'timecop',
  'dotenv',
];

/** The integration tests in the repository of azure-storage-table for Ruby. This client is retired. */
export const rubyLegacySuite = {
  title: 'azure-storage-table 2.0.4 for Ruby (retired)',
  accountCount: 1,

  async prepare() {
    const { exitCode, output } = await runTool('ruby', ['-e', 'ARGV.each { |gem| require gem }', ...gems]);
    if (exitCode !== 0) throw new MissingTool(`ruby lacks a gem: ${output.trim().split('\n')[0]}`);
    await checkOut({
      repository: 'Azure/azure-storage-ruby',
      commit: 'd668658d3c4a660af6be0c605b13749b73516281',
      paths: ['/*/lib/', '/test/'],
      folder: source,
    });
  },

  async run({ accounts: [{ name, key }], environment }, notRun) {
    const report = join(cache, 'outcomes.jsonl');
    writeFileSync(report, '');
    const tests = readdirSync(join(source, 'test/integration/table'))
      .filter((file) => file.endsWith('_test.rb'))
      .map((file) => `integration/table/${file}`);
    const files = [...tests, 'integration/auth/table_shared_access_signature_test.rb'];
    const env = {
      ...environment,
      SUITE_REPORT: report,
      AZURE_STORAGE_ACCOUNT: name,
      AZURE_STORAGE_ACCESS_KEY: key,
    };
    const paths = [own, join(source, 'test'), ...libraries].flatMap((path) => ['-I', path]);
    const skip = notRun.length > 0 ? ['--', '--exclude', `/${notRun.join('|')}/`] : [];
    const program = 'JSON.parse(ENV.fetch("SUITE_FILES")).each { |file| require file }';
    const { exitCode, output } = await runTool(
      'ruby',
      [...paths, '-r', 'json', '-r', 'outcomes', '-r', 'ruby_3', '-e', program, ...skip],
      { cwd: source, env: { ...env, SUITE_FILES: JSON.stringify(files) } },
    );
    const outcomes = readFileSync(report, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    // 0 means that all tests passed, 1 that some failed. Any other code is an error of the run itself.
    if (exitCode > 1 || outcomes.length === 0) throw new Error(`ruby ended with ${exitCode}\n${output}`);
    return outcomes;
  },
};
