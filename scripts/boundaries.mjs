// Checks four rules:
// - Modules import only what ARCHITECTURE.md allows ("Modules"), without cycles.
// - Only src/model/time.ts reads a clock.
// - Only src/model/schedule.ts puts work into later turns or draws ids.
// - No two files export the same name.
// Exits with 1 if the sources break a rule, or if the script finds no modules.
//   node scripts/boundaries.mjs [folder to check instead of src]
import { readFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { checkClockReads } from './clock-reads.mjs';
import { checkExportedNames } from './exported-names.mjs';
import { checkScheduleUses } from './schedule-uses.mjs';
import { parseSources } from './source-files.mjs';

const [root = 'src'] = process.argv.slice(2);

/** Module → modules it may import in addition to itself. */
const modules = {
  model: [],
  query: ['model'],
  storage: ['model', 'query'],
  'storage/sqlite': ['storage', 'query', 'model'],
  'storage/postgres': ['storage', 'query', 'model'],
  protocol: ['model'],
  auth: ['model'],
  advisor: ['model', 'query'],
  capacity: ['model'],
  traffic: ['model'],
  traces: ['model'],
  faults: ['model'],
  operations: ['model', 'query', 'storage', 'capacity'],
  service: ['model', 'query', 'protocol', 'auth', 'operations', 'storage', 'faults'],
  http: ['model', 'service'],
  identity: ['model', 'auth', 'data'],
  mcp: ['model', 'data'],
  control: [
    'model',
    'query',
    'storage',
    'capacity',
    'advisor',
    'operations',
    'traffic',
    'auth',
    'data',
    'faults',
    'identity',
    'mcp',
  ],
  data: ['model', 'auth', 'storage'],
  parity: ['model', 'protocol', 'auth', 'data'],
  settings: ['model', 'advisor', 'capacity', 'faults'],
  library: ['model', 'settings', 'auth', 'capacity', 'advisor', 'faults', 'identity', 'emulator.ts'],
  // It may import types of all these, and values only of browser-safe files: see below.
  console: ['model', 'query', 'capacity', 'advisor', 'faults', 'control', 'data'],
  image: ['settings', 'cli'],
  executable: ['model', 'cli'],
  cli: [
    'model',
    'settings',
    'query',
    'auth',
    'storage',
    'capacity',
    'data',
    'advisor',
    'faults',
    'identity',
    'mcp',
    'parity',
    'emulator.ts',
  ],
};

/**
 * Files that also run in a browser. The console imports values only from these files, and these files import values
 * only from each other. test/unit/repository/browser-safe.test.ts runs them without Node's globals and modules.
 */
const browserSafe = JSON.parse(readFileSync(new URL('browser-safe.json', import.meta.url), 'utf8'));
const browserSafePath = `^${root}/(${browserSafe.join('|').replaceAll('.', '\\.')})$`;

/**
 * Returns a pattern for the files of a module. The pattern for `storage` excludes the folders of the storage engines,
 * because each of these folders is a separate module.
 */
const filesOf = (module) => {
  if (module.endsWith('.ts')) return `^${root}/${module.replace('.', '\\.')}$`;
  return module === 'storage' ? `^${root}/storage/[^/]+$` : `^${root}/${module}/`;
};

/** Packages that only one module may import. */
const owners = [
  { name: 'better-sqlite3', to: 'node_modules/better-sqlite3/', from: filesOf('storage/sqlite') },
  { name: 'pg and pgpass', to: 'node_modules/pg(pass)?/', from: filesOf('storage/postgres') },
  { name: 'Fastify', to: 'node_modules/(fastify|@fastify)/', from: `^${root}/(http|control)/` },
  { name: 'odata-v4-parser', to: 'node_modules/odata-v4-parser/', from: filesOf('query') },
  { name: 'sax', to: 'node_modules/sax/', from: filesOf('protocol') },
  { name: 'jose', to: 'node_modules/jose/', from: filesOf('identity') },
  { name: 'prom-client', to: 'node_modules/prom-client/', from: filesOf('control') },
  {
    name: 'commander, pino and string-width',
    to: 'node_modules/(commander|pino|pino-pretty|string-width)/',
    from: filesOf('cli'),
  },
  {
    name: 'the packages of the console',
    to: 'node_modules/(preact|@preact|@tanstack|uplot|@codemirror|@lezer)/',
    from: filesOf('console'),
  },
  {
    name: 'the packages of certificates',
    to: 'node_modules/(@peculiar/x509|reflect-metadata)/',
    from: filesOf('identity'),
  },
  { name: 'the SDK of the Model Context Protocol', to: 'node_modules/@modelcontextprotocol/', from: filesOf('mcp') },
  { name: 'vitest', to: 'node_modules/vitest/', from: `^${root}/library/vitest\\.ts$` },
];

const engines = [filesOf('storage/sqlite'), filesOf('storage/postgres')];

/** The folders of SQLite's engine. A folder uses only the folders after it. */
const sqliteFolders = ['account', 'scan', 'file'];

const forbidden = [
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ...Object.entries(modules).map(([module, allowed]) => ({
    name: `imports of ${module}`,
    severity: 'error',
    from: { path: filesOf(module) },
    to: { path: `^${root}/`, pathNot: [module, ...allowed].map(filesOf) },
  })),
  ...sqliteFolders.flatMap((folder, at) =>
    sqliteFolders.slice(0, at).map((above) => ({
      name: `in storage/sqlite, ${folder} is below ${above}`,
      severity: 'error',
      from: { path: filesOf(`storage/sqlite/${folder}`) },
      to: { path: filesOf(`storage/sqlite/${above}`) },
    })),
  ),
  ...owners.map(({ name, to, from }) => ({
    name: `owner of ${name}`,
    severity: 'error',
    from: { path: `^${root}/`, pathNot: from },
    to: { path: to, dependencyTypesNot: ['type-only'] },
  })),
  {
    name: 'the console runs in a browser: from other modules it imports only types, and values of browser-safe files',
    severity: 'error',
    from: { path: filesOf('console') },
    to: { path: `^${root}/`, pathNot: [filesOf('console'), browserSafePath], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'browser-safe files import values only from each other',
    severity: 'error',
    from: { path: browserSafePath },
    to: { pathNot: browserSafePath, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'only emulator.ts names an engine',
    severity: 'error',
    from: { path: `^${root}/`, pathNot: [...engines, filesOf('emulator.ts')] },
    to: { path: engines, dependencyTypesNot: ['type-only'] },
  },
];

const { output } = await cruise(
  [root],
  { ruleSet: { forbidden }, validate: true, doNotFollow: 'node_modules', tsPreCompilationDeps: true },
  {},
  { tsConfig: extractTSConfig('tsconfig.json') },
);
const { totalCruised, violations } = output.summary;
const checked = output.modules.filter(({ source }) => source.startsWith(`${root}/`)).length;
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
console.log(`boundaries: ${checked} modules checked, ${totalCruised} seen, ${violations.length} forbidden imports`);

const sources = parseSources(root);
const clocks = checkClockReads(sources, root);
for (const fault of clocks.faults) console.error(fault);
console.log(`boundaries: ${clocks.files} files read for clocks, ${clocks.faults.length} faults`);

const turns = checkScheduleUses(sources, root);
for (const fault of turns.faults) console.error(fault);
console.log(`boundaries: ${turns.files} files read for the schedule, ${turns.faults.length} faults`);

const names = checkExportedNames(sources, root);
for (const fault of names.faults) console.error(fault);
console.log(`boundaries: ${names.names} exported names, ${names.faults.length} faults`);

if (violations.length + [clocks, turns, names].flatMap(({ faults }) => faults).length > 0 || checked === 0)
  process.exit(1);
