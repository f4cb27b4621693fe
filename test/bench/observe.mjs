// Measures how much processor time it costs to count capacity. Compares one row of the bench with `--throttle observe`
// and with `--throttle off`. The cost should be at most 5 %.
//   node test/bench/observe.mjs [--row point-read] [--pairs 20]
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';
import { startTanzanite } from './servers.mjs';

const flags = readCompareFlags();
const base = await startTanzanite({ name: 'off', flags: ['--throttle', 'off'] });
const head = await startTanzanite({ name: 'observe', flags: ['--throttle', 'observe'] });
await compareServers({ base, head, ...flags });
await Promise.all([base, head].map((server) => server.stop()));
