// What the advisor costs: measures one row with the advisor and with `--no-advisor`. The goal is 3 % of processor time
// at most. Both emulators run in this process, so that they differ only in the advisor. Their slices alternate.
//   node test/bench/advisor.mjs [--row point-read] [--pairs 50] [--seconds 1]
import { startEmulator } from '../../dist/index.js';
import { readCompareFlags } from './compare-flags.mjs';
import { compareServers } from './compare-servers.mjs';

const flags = readCompareFlags({ pairs: 50, seconds: 1 });
const emulators = [await startEmulator({ advisor: false }), await startEmulator()];
const [base, head] = emulators.map(({ url }, at) => ({
  name: at === 0 ? 'without the advisor' : 'with it',
  port: Number(new URL(url).port),
  pid: process.pid,
}));
await compareServers({ base, head, ...flags });
for (const emulator of emulators) await emulator.close();
