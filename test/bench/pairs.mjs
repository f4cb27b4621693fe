// Compares two builds on one row of the bench (rows.mjs), to support a claim that a change makes something faster or
// slower.
//   node test/bench/pairs.mjs --base ../before --head . --row point-read
// --base and --head name the folders of the two builds. Each folder is a checkout in which `npm run build` has run.
// If the data is to be in PostgreSQL, --base-store and --head-store each name an empty database: one for the build of
// --base, and one for the build of --head.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareServers } from './compare-servers.mjs';
import { findGenerator } from './load.mjs';
import { findRow, rows } from './rows.mjs';
import { startTanzanite } from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    base: { type: 'string' },
    head: { type: 'string' },
    'base-store': { type: 'string' },
    'head-store': { type: 'string' },
    row: { type: 'string', default: 'point-read' },
    entities: { type: 'string', default: '20000' },
    pairs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '2' },
  },
});
if (!flags.base || !flags.head) {
  console.error(
    'usage: pairs.mjs --base <folder> --head <folder> [--row <name>] [--entities N] [--pairs N] [--seconds N]',
  );
  console.error(`rows: ${rows.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const row = findRow(flags.row);
const generator = findGenerator();
if (!generator) throw new Error('install wrk, or run npm ci in test/bench for autocannon');

const base = await startTanzanite({ name: 'base', folder: resolve(flags.base), store: flags['base-store'] });
const head = await startTanzanite({ name: 'head', folder: resolve(flags.head), store: flags['head-store'] });
await compareServers({
  base,
  head,
  row,
  generator: generator.name,
  entities: Number(flags.entities),
  pairs: Number(flags.pairs),
  seconds: Number(flags.seconds),
});
console.log(`  load by ${generator.title}`);
await Promise.all([base, head].map((server) => server.stop()));
