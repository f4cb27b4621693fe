import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from './check-out.mjs';
import { prepareWith, runTool } from './run-tool.mjs';
import { startPlainEndpoint } from './start-emulator.mjs';

const own = join(import.meta.dirname, 'java-legacy');
const cache = fileURLToPath(new URL('../../.cache/suites/java-legacy', import.meta.url));
const source = join(cache, 'source');
const sources = join(source, 'microsoft-azure-storage-test/src');
const tests = join(sources, 'com/microsoft/azure/storage/table');
const jars = join(cache, 'jars');
const library = join(cache, 'library');
const classes = join(cache, 'classes');
const classPath = [classes, library, join(jars, '*')].join(delimiter);
const stampFile = join(cache, 'stamp.sha256');
const pom = readFileSync(join(own, 'pom.xml'), 'utf8');
const [, version] = /<artifactId>azure-storage<\/artifactId>\s*<version>([^<]+)/.exec(pom);

/** The table tests in the repository of azure-storage for Java, version 8. This client is retired. */
export const javaLegacySuite = {
  title: `azure-storage ${version} for Java (retired)`,
  accountCount: 1,
  // Java does not read a proxy or a certificate from environment variables.
  start: startPlainEndpoint,

  async prepare() {
    await checkOut({
      repository: 'Azure/azure-storage-java',
      commit: 'af5bd1db96a1b0be9be112566de4565582afd155',
      paths: ['/microsoft-azure-storage-test/'],
      folder: source,
    });
    const runner = readFileSync(join(own, 'Outcomes.java'));
    const stamp = createHash('sha256').update(pom).update(runner).digest('hex');
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
    for (const folder of [jars, library, classes]) rmSync(folder, { recursive: true, force: true });
    for (const folder of [library, classes]) mkdirSync(folder, { recursive: true });
    const copy = ['--batch-mode', '--quiet', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    await prepareWith('mvn', copy, { cwd: own });
    // The tests are in the same Java packages as the client. The archive of the client is signed, and Java does not
    // allow additional classes in the packages of a signed archive. Therefore the archive is unpacked.
    const archive = join(jars, `azure-storage-${version}.jar`);
    await prepareWith('jar', ['--extract', '--file', archive], { cwd: library });
    rmSync(archive);
    const files = readdirSync(tests).map((file) => join(tests, file));
    const options = ['-nowarn', '-encoding', 'UTF-8', '-cp', classPath, '-sourcepath', sources, '-d', classes];
    await prepareWith('javac', [...options, ...files, join(own, 'Outcomes.java')]);
    writeFileSync(stampFile, stamp);
  },

  async run({ accounts: [{ name, key }], url, environment }, notRun) {
    if (notRun.length > 0) throw new Error('this suite has no way to leave a test out');
    const report = join(cache, 'outcomes.jsonl');
    writeFileSync(report, '');
    const endpoints = `TableEndpoint=${url}/${name};TableSecondaryEndpoint=${url}/${name}-secondary`;
    const env = {
      ...environment,
      SUITE_REPORT: report,
      storageConnection: `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};${endpoints}`,
    };
    const names = readdirSync(tests)
      .filter((file) => file.endsWith('Tests.java'))
      .map((file) => `com.microsoft.azure.storage.table.${file.replace('.java', '')}`);
    const { exitCode, output } = await runTool('java', ['-cp', classPath, 'Outcomes', ...names], { cwd: cache, env });
    const outcomes = readFileSync(report, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    if (exitCode !== 0 || outcomes.length === 0) throw new Error(`java ended with ${exitCode}\n${output}`);
    return outcomes;
  },
};
