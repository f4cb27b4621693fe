// Checks which room imports which (ARCHITECTURE.md, "Rooms and doors"). Exit code 1 for a forbidden import, for a
// cycle, and when it saw no modules: a checker that looks at nothing must not say that all is well.
//   node scripts/doors.mjs [folder to check instead of src]
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const [root = 'src'] = process.argv.slice(2);

/** Room → rooms it may import beside itself. */
const rooms = {
  model: [],
  query: ['model'],
  'storage/sqlite': ['storage', 'query', 'model'],
  storage: ['model', 'query'],
  protocol: ['model'],
  auth: ['model'],
  capacity: ['model', 'query'],
  advisor: ['model'],
  operations: ['model', 'query', 'storage', 'capacity'],
  http: ['model', 'query', 'protocol', 'auth', 'operations', 'storage'],
  control: ['model', 'query', 'storage', 'capacity', 'advisor'],
  library: ['query', 'protocol', 'auth', 'capacity', 'storage', 'emulator.ts'],
  cli: ['model', 'query', 'auth', 'storage', 'capacity', 'emulator.ts'],
};

/** A room's own files; `storage` ends where `storage/sqlite` begins. */
const files = (room) => {
  if (room.endsWith('.ts')) return `^${root}/${room.replace('.', '\\.')}$`;
  return room === 'storage' ? `^${root}/storage/[^/]+$` : `^${root}/${room}/`;
};

/** Packages and built-in modules that have one place. */
const places = [
  { name: 'the SQLite driver', to: 'node_modules/better-sqlite3/', from: files('storage/sqlite') },
  { name: 'Fastify', to: 'node_modules/fastify/', from: `^${root}/(http|control)/` },
  { name: 'the grammar of filters', to: 'node_modules/odata-v4-parser/', from: files('query') },
  { name: 'the XML parser', to: 'node_modules/sax/', from: files('protocol') },
  { name: 'metrics', to: 'node_modules/prom-client/', from: files('control') },
  { name: 'the command line', to: 'node_modules/(commander|pino|pino-pretty)/', from: files('cli') },
  { name: 'a test runner', to: 'node_modules/vitest/', from: `^${root}/library/vitest\\.ts$` },
];

const forbidden = [
  { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ...Object.entries(rooms).map(([room, allowed]) => ({
    name: `door of ${room}`,
    severity: 'error',
    from: { path: files(room) },
    to: { path: `^${root}/`, pathNot: [room, ...allowed].map(files) },
  })),
  ...places.map(({ name, to, from }) => ({
    name: `place of ${name}`,
    severity: 'error',
    from: { path: `^${root}/`, pathNot: from },
    to: { path: to, dependencyTypesNot: ['type-only'] },
  })),
  {
    name: 'only emulator.ts names an engine',
    severity: 'error',
    from: { path: `^${root}/`, pathNot: [files('storage/sqlite'), files('emulator.ts')] },
    to: { path: files('storage/sqlite'), dependencyTypesNot: ['type-only'] },
  },
];

const { output } = await cruise(
  [root],
  { ruleSet: { forbidden }, validate: true, doNotFollow: 'node_modules', tsPreCompilationDeps: true },
  {},
  { tsConfig: extractTSConfig('tsconfig.json') },
);
const { totalCruised, violations } = output.summary;
const modules = output.modules.filter(({ source }) => source.startsWith(`${root}/`)).length;
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
console.log(`doors: ${modules} modules of ours, ${totalCruised} seen, ${violations.length} forbidden imports`);
if (violations.length > 0 || modules === 0) process.exit(1);
