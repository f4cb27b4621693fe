// Builds the command, then runs mixed load for longer than a test may take:
//   npm run endurance -- [--minutes N] [--seed S] [--picture FILE]
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endure } from './endurance.mjs';
import { drawEndurance } from './endurance-picture.mjs';

const usage = 'usage: npm run endurance -- [--minutes N] [--seed S] [--picture FILE], with whole numbers';

function readArgs() {
  try {
    const text = { type: 'string' };
    return parseArgs({ options: { minutes: { ...text, default: '30' }, seed: text, picture: text } }).values;
  } catch {
    return { minutes: '' };
  }
}

const { minutes, seed = String(Date.now() % 1_000_000_000), picture } = readArgs();
if (!/^[1-9]\d{0,4}$/.test(minutes) || !/^\d{1,9}$/.test(seed)) {
  console.error(usage);
  process.exit(2);
}
if (platform() !== 'linux') {
  console.log('endurance: skipped, it reads /proc of Linux');
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
  stdio: 'inherit',
});
console.log(`seed ${seed}, ${minutes} minutes`);
const mib = (bytes) => (bytes / 1_048_576).toFixed(1);
const { samples, failures, counts, location } = await endure({
  seconds: Number(minutes) * 60,
  seed: Number(seed),
  report: ({ at, memoryBytes, handles, fileBytes, walBytes, latencyMs }) =>
    console.log(
      `${at.toFixed(0)} s: ${mib(memoryBytes)} MiB, ${handles} handles, files ${mib(fileBytes)} MiB, log ${mib(walBytes)} MiB, ${latencyMs.toFixed(1)} ms`,
    ),
});
const done = Object.entries(counts).map(([name, count]) => `${count.toLocaleString('en-US')} ${name}`);
console.log(done.join(', '));
const title = `${minutes} minutes of mixed load, Node ${process.versions.node}`;
if (picture !== undefined) writeFileSync(picture, drawEndurance(samples, title));
for (const failure of failures) console.error(failure);
if (failures.length > 0) {
  console.error(`the data is kept in ${location}`);
  process.exit(1);
}
