// What counting capacity costs: one row with `--throttle observe`, next to `off`. The goal is 5 % of processor time at most.
//   node test/bench/observe.mjs [--row point-read] [--pairs 20]
import { parseArgs } from 'node:util';
import { compareServers } from './compare-servers.mjs';
import { findGenerator } from './load.mjs';
import { findRow } from './rows.mjs';
import { startTanzanite } from './servers.mjs';

const { values: flags } = parseArgs({
  options: {
    row: { type: 'string', default: 'point-read' },
    entities: { type: 'string', default: '20000' },
    pairs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '2' },
  },
});
const generator = findGenerator();
if (!generator) throw new Error('install wrk, or run npm ci in test/bench for autocannon');
const base = await startTanzanite({ name: 'off', flags: ['--throttle', 'off'] });
const head = await startTanzanite({ name: 'observe', flags: ['--throttle', 'observe'] });
await compareServers({
  base,
  head,
  row: findRow(flags.row),
  generator: generator.name,
  entities: Number(flags.entities),
  pairs: Number(flags.pairs),
  seconds: Number(flags.seconds),
});
await Promise.all([base, head].map((server) => server.stop()));
