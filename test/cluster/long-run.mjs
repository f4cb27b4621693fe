// Builds the command, then runs the checker for longer than a test may take:
//   npm run cluster -- [--faults N] [--seed S] [--standby | --citus]
// With --standby, a synchronous standby replaces the primary again and again. With --citus, the entities are on two
// workers, and faults kill the workers too.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hasCitus } from '../support/citus.mjs';
import { findPostgres } from '../support/postgres-server.mjs';
import { runFaults } from './rig.mjs';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '100' },
    seed: { type: 'string' },
    standby: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
  },
});
const count = Number(values.faults);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const isSensible = Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(seed) && seed >= 0;
if (!isSensible || (values.standby && values.citus)) {
  console.error('usage: npm run cluster -- [--faults N] [--seed S] [--standby | --citus], N and S whole numbers');
  process.exit(2);
}
if (findPostgres() === undefined) {
  console.error('there is no PostgreSQL on this machine');
  process.exit(2);
}

if (values.citus && !hasCitus()) {
  console.error('the PostgreSQL of this machine has no Citus');
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
  stdio: 'inherit',
});
console.log(`seed ${seed}, ${count} faults`);
const startedMs = performance.now();
const { violations, answered, unknown, refused, faults } = await runFaults({
  count,
  seed,
  hasStandby: values.standby,
  isCitus: values.citus,
  report({ done, violations: found, answered: soFar }) {
    console.log(`${done} faults, ${soFar} responses, ${found.length} violations`);
  },
});
for (const violation of violations) console.error(violation);
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(`faults: ${JSON.stringify(faults)}`);
console.log(`${answered} responses checked in ${seconds} s; ${unknown} requests without one, ${refused} refused`);
console.log(
  `repeat with --seed ${seed} --faults ${count}${values.standby ? ' --standby' : ''}${values.citus ? ' --citus' : ''}`,
);
if (violations.length > 0) process.exit(1);
