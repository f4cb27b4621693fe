// What counting capacity costs: measures one row with `--throttle observe` and with `off`. The goal is 5 % of processor
// time at most.
//   node test/bench/observe.mjs [--row point-read] [--pairs 20]
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';
import { startTanzanite } from './servers.mjs';

const flags = readCompareFlags();
const base = await startTanzanite({ name: 'off', flags: ['--throttle', 'off'] });
const head = await startTanzanite({ name: 'observe', flags: ['--throttle', 'observe'] });
await compareServers({ base, head, ...flags });
await Promise.all([base, head].map((server) => server.stop()));
