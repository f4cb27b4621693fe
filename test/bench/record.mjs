// Measures the cost of `--record`: compares one row of the bench with and without a recording. Each measurement is
// short, because a recording has at most 1 GiB.
//   node test/bench/record.mjs [--row point-read] [--pairs 20]
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';
import { startTanzanite } from './servers.mjs';

const fileBytesMax = 1_073_741_824;
const name = 'recording.ndjson';

const flags = readCompareFlags({ seconds: 0.5 });
const base = await startTanzanite({ name: 'off' });
// The server runs in its own folder, and writes the recording there.
const head = await startTanzanite({ name: 'recording', flags: ['--record', name] });
await compareServers({ base, head, ...flags });
const { size } = statSync(join(head.location, name));
console.log(`  recorded ${(size / 1_048_576).toFixed(0)} MiB`);
if (size > fileBytesMax * 0.99) throw new Error('the recording ended on the way: take fewer pairs, or shorter slices');
await Promise.all([base, head].map((server) => server.stop()));
