// Makes the counts that need recordings: how often each row of the table of capabilities occurs in recordings of the
// service, and how many requests of real clients run the code of each evidence mark. Also finds the tests that run the
// code of each mark.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { readMarks } from './evidence-marks.mjs';
import { keysOf } from './mark-keys.mjs';
import { markPlugin } from './mark-plugin.mjs';

const run = promisify(execFile);
const outputBytesMax = 256 * 1_048_576;

/**
 * Makes all counts. `shared` is a folder with `recordings` and `tools/replay.mjs`. `testLog` is the log of an earlier
 * run of the tests. Without `testLog`, this function runs the tests.
 */
export async function measure({ root, shared, testLog }) {
  const marks = readMarks(root);
  const keys = keysOf(marks);
  const { requests, met } = await replayClients(root, shared);
  const tests = testLog ? readMet(readFileSync(testLog, 'utf8')) : await runTests(root);
  return {
    recorded: countRecordings(join(shared, 'recordings')),
    clients: { requests, programs: programsIn(join(shared, 'recordings/clients')) },
    marks: Object.fromEntries(keys.map((key) => [key, { met: met.get(key) ?? 0, tests: mostSpecific(tests, key) }])),
  };
}

/**
 * Returns three values for each row of the table of capabilities: the number of exchanges with the real service that
 * contain the row, the number of sessions that contain the row, and the name of one such session. The key of a row is
 * `subject name`.
 */
function countRecordings(recordings) {
  const counts = {};
  let exchanges = 0;
  let sessions = 0;
  for (const folder of ['storage', 'storage-atom']) {
    for (const file of readdirSync(join(recordings, folder)).sort()) {
      sessions++;
      const seen = new Set();
      for (const exchange of exchangesIn(join(recordings, folder, file))) {
        exchanges++;
        for (const name of new Set(namesIn(exchange))) {
          counts[name] ??= { exchanges: 0, sessions: 0, session: file.replace(/\.jsonl$/, '') };
          counts[name].exchanges++;
          if (!seen.has(name)) counts[name].sessions++;
          seen.add(name);
        }
      }
    }
  }
  return { exchanges, sessions, counts };
}

function exchangesIn(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function namesIn({ method, url, reqHeaders = {}, resHeaders = {}, resBody, auth = '' }) {
  const [path, query = ''] = url.split('?');
  const names = query.split('&').map((part) => decodeURIComponent(part.split('=')[0]));
  const codes = [...String(resBody ?? '').matchAll(/"code":\s*"(\w+)"|<(?:m:)?[cC]ode>(\w+)</g)].map(
    ([, json, xml]) => json ?? xml,
  );
  const sent = Object.keys(reqHeaders).filter((name) => reqHeaders[name] !== '');
  const operation = operationOf({ method, path: decodeURIComponent(path), names, query, reqHeaders });
  return [
    // Recordings do not have the value of the header Authorization.
    ...(/^(sharedkey|aad)/.test(auth) ? ['request header authorization'] : []),
    ...(operation ? [`operation ${operation.toLowerCase()}`] : []),
    ...names.map((name) => `option ${name.toLowerCase()}`),
    ...sent.map((name) => `request header ${name.toLowerCase()}`),
    ...Object.keys(resHeaders).map((name) => `response header ${name.toLowerCase()}`),
    ...[...codes, resHeaders['x-ms-error-code']].filter(Boolean).map((code) => `refusal ${code.toLowerCase()}`),
  ];
}

function operationOf({ method, path, query, reqHeaders }) {
  const verb = (reqHeaders['x-http-method'] ?? method).toUpperCase();
  const isReading = verb === 'GET' || verb === 'HEAD';
  const comp = /(?:^|&)comp=(\w+)/.exec(query)?.[1];
  if (comp === 'properties') return `${isReading ? 'Get' : 'Set'}TableServiceProperties`;
  if (comp === 'stats') return 'GetTableServiceStats';
  if (comp === 'acl') return `${isReading ? 'Get' : 'Set'}TableAcl`;
  if (path.startsWith('/$batch')) return 'EntityGroupTransaction';
  if (/^\/Tables(\(\))?\/?$/i.test(path)) return { GET: 'QueryTables', POST: 'CreateTable' }[verb];
  if (/^\/Tables\(/i.test(path)) return { GET: 'GetTable', DELETE: 'DeleteTable' }[verb];
  if (!/\(.+\)/.test(path)) return { GET: 'QueryEntities', POST: 'InsertEntity' }[verb];
  const isConditional = Boolean(reqHeaders['if-match']);
  const merge = isConditional ? 'MergeEntity' : 'InsertOrMergeEntity';
  const put = isConditional ? 'UpdateEntity' : 'InsertOrReplaceEntity';
  return { GET: 'GetEntity', PUT: put, MERGE: merge, PATCH: merge, DELETE: 'DeleteEntity' }[verb];
}

function programsIn(folder) {
  return new Set(readdirSync(folder).map((file) => file.split('__')[0])).size;
}

/**
 * Sends the recorded requests of real programs to this version of the emulator. For each mark, counts the requests that
 * run the mark's code.
 */
async function replayClients(root, shared) {
  const folder = mkdtempSync(join(root, '.measure-'));
  const met = new Map();
  let requests = 0;
  let now = new Set();
  globalThis.evidenceMet = (key) => {
    now.add(key);
  };
  try {
    const { startEmulator } = await importMarked(root, folder);
    const onRequest = () => {
      requests++;
      for (const key of now) met.set(key, (met.get(key) ?? 0) + 1);
      now = new Set();
    };
    const emulator = await startEmulator({ onRequest });
    const replay = [join(shared, 'tools/replay.mjs'), '--endpoint', `${emulator.url}/devstoreaccount1`];
    await run(process.execPath, [...replay, '--dir', join(shared, 'recordings/clients'), '--quiet'], {
      maxBuffer: outputBytesMax,
    });
    await emulator.close();
  } finally {
    delete globalThis.evidenceMet;
    rmSync(folder, { recursive: true, force: true });
  }
  return { requests, met };
}

async function importMarked(root, folder) {
  const build = await rolldown({
    cwd: root,
    input: 'src/index.ts',
    platform: 'node',
    external: [/^better-sqlite3/, /^vitest/, 'pg-native'],
    resolve: { alias: { '@modelcontextprotocol/server/_shims': join(root, 'scripts/mcp-sdk-shims.mjs') } },
    plugins: [markPlugin(root)],
    logLevel: 'silent',
  });
  await build.write({ dir: folder, format: 'esm', entryFileNames: 'index.mjs', chunkFileNames: '[name]-[hash].mjs' });
  await build.close();
  return import(pathToFileURL(join(folder, 'index.mjs')).href);
}

/**
 * Runs the tests, and returns for each test the marks whose code the test runs. Failures are ignored: a failed test
 * also runs the code of marks, and `npm test` reports whether tests pass.
 */
async function runTests(root) {
  const folder = mkdtempSync(join(tmpdir(), 'marks-'));
  const log = join(folder, 'met.jsonl');
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    await run(process.execPath, [vitest, 'run', '--config', 'scripts/capabilities/measure.config.mjs'], {
      cwd: root,
      env: { ...process.env, TANZANITE_MARKS_MET: log },
      maxBuffer: outputBytesMax,
    }).catch(({ stdout }) => process.stderr.write(`${String(stdout).slice(-2000)}\n`));
    return readMet(readFileSync(log, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readMet = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** More tests than the page shows, because several tests may have the same title. */
const testsPerMark = 8;

/** The tests that run the code of a mark and of few other marks. Tests of the service itself come first. */
function mostSpecific(tests, key) {
  const rankOf = ({ file, marks }) => {
    const isOfService = /^test\/conformance\/(?:differences\/|azurite-differs\/)?[^/]+$/.test(file);
    return (isOfService ? 0 : file.startsWith('test/unit') ? 500 : 1000) + marks.length;
  };
  return tests
    .filter(({ marks }) => marks.includes(key))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.title < b.title ? -1 : 1))
    .slice(0, testsPerMark)
    .map(({ file, title }) => ({ file, title }));
}
