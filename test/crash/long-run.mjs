// Builds the command, then runs the crash rig for longer than a test may take:
//   npm run crash -- [--kills N] [--seed S]
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runKills } from './rig.mjs';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } },
});
const kills = Number(values.kills);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed) || seed < 0) {
  console.error('usage: npm run crash -- [--kills N] [--seed S], both whole numbers');
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
  stdio: 'inherit',
});
console.log(`seed ${seed}, ${kills} kills`);
const startedMs = performance.now();
const { passed, failed, acknowledged, transactions, failures, kept } = await runKills({
  kills,
  seed,
  report({ kill, moment, violations, acknowledged: soFar }) {
    if (violations.length > 0) console.log(`kill ${kill}, ${moment}: failed, ${violations.length} violations`);
    if ((kill + 1) % 20 === 0) console.log(`${kill + 1} kills, ${soFar} acknowledged requests`);
  },
});
for (const failure of failures) console.error(failure);
for (const folder of kept) console.error(`the data of a failure is kept in ${folder}`);
const seconds = Math.round((performance.now() - startedMs) / 1000);
const { applied, refused, there, absent } = transactions;
console.log(
  `transactions: ${applied} acknowledged, ${refused} refused; met by a kill: ${there} there, ${absent} absent`,
);
console.log(
  `${acknowledged} acknowledged requests checked in ${seconds} s; repeat with --seed ${seed} --kills ${kills}`,
);
console.log(`${passed} passed, ${failed} failed`);
if (failures.length > 0) process.exit(1);
