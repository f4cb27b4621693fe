// Measures what the advisor costs. Runs one row of the bench on an emulator without the advisor and on one with the
// advisor. The goal is at most 3 % of processor time. Both emulators run in this process, so that they differ only in
// the advisor. The two emulators are measured in turn, one slice of time each.
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
