// Runs the bench and prints one table. Ratios are comparable between machines; rates and times are not.
//   npm run bench -- [--quick] [--row <name>]… [--rounds N] [--seconds N] [--entities N]… [--write] [--json <file>]
// With --generator autocannon, autocannon generates the load even if wrk is installed.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { measureBystanders } from './bystander.mjs';
import { hasExecutable, measureExecutable } from './executable.mjs';
import { measureFirstAnswers } from './first-answer.mjs';
import { measureLibrary } from './library.mjs';
import { findGenerator } from './load.mjs';
import { checkSameAnswers, fillTable, startCeilingLike } from './loaded-servers.mjs';
import { describeMachine, findLackOfRoom } from './machine.mjs';
import { measureMemory } from './memory.mjs';
import { readOptions } from './options.mjs';
import { readProcessorTime, readResidentBytes } from './processor-time.mjs';
import { renderReport, rowLine } from './report.mjs';
import { measureRounds } from './rounds.mjs';
import { rows } from './rows.mjs';
import { hasOpenssl, startSecureServers } from './secure-servers.mjs';
import { hasAzurite, startAzurite, startTanzanite, whyNoAzurite } from './servers.mjs';
import { writeDocs } from './write-docs.mjs';

const options = readOptions();
const found = findGenerator();
const generator = options.generator ?? found?.name;
const began = performance.now();
const results = {
  machine: describeMachine(),
  generator: generator === found?.name ? found?.title : generator,
  options,
  rows: [],
  notMeasured: [],
};
let failures = 0;

if (!hasAzurite()) leaveOut('Azurite', whyNoAzurite());
if (!readProcessorTime(process.pid)) leaveOut('processor time', 'neither /proc nor ps tells it');
if (!generator) leaveOut('all but start and memory', 'neither wrk nor autocannon is installed');
else if (found.name !== 'wrk') leaveOut('load by wrk', 'it is not installed; autocannon offers a lower rate');

if (options.wants('start')) results.start = await attempt('start', () => measureFirstAnswers(options));
if (options.wants('library')) results.library = await attempt('library', () => measureLibrary(options));
if (options.wants('executable')) {
  if (hasExecutable()) results.executable = await attempt('executable', () => measureExecutable(options));
  else leaveOut('executable', 'there is none: npm run executable');
}
if (options.wants('memory')) {
  if (readResidentBytes(process.pid)) results.memory = await attempt('memory', () => measureMemory(options));
  else leaveOut('memory', 'there is no /proc');
}
if (generator) {
  for (const [at, entities] of options.sizes.entries()) {
    const measure = () => measureSize({ entities, isFirst: at === 0 });
    await attemptTable({ what: `the table of ${entities} entities`, entities, measure });
  }
  const secureRows = rows.filter((row) => row.isSecure && options.wants(row.name));
  if (secureRows.length > 0 && !hasOpenssl()) leaveOut('HTTPS and tokens', 'openssl is not installed');
  else if (secureRows.length > 0) {
    const [entities] = options.sizes;
    const measure = () => measureTable({ rows: secureRows, entities, isFirst: true, startServers: startSecureServers });
    await attemptTable({ what: 'HTTPS and tokens', entities, measure });
  }
  if (options.wants('bystander')) {
    const measure = () => measureBystanders({ ...options.bystander, generator });
    const { entities } = options.bystander;
    results.bystander = await attemptTable({ what: 'bystander', entities, measure });
  }
}

results.minutes = (performance.now() - began) / 60_000;
console.log(`\n${renderReport(results)}`);
if (options.jsonFile) writeFileSync(options.jsonFile, JSON.stringify(results, undefined, 2));
if (options.isWritten) writeDocs([results]);
// If a row failed, its servers still run. They end when this process ends.
process.exit(failures > 0 ? 1 : 0);

async function measureSize({ entities, isFirst }) {
  const wanted = rows.filter((row) => !row.isSecure && options.wants(row.name) && (isFirst || row.isRepeated));
  if (wanted.length > 0) await measureTable({ rows: wanted, entities, isFirst, startServers });
}

async function startServers() {
  return { tanzanite: await startTanzanite(), azurite: hasAzurite() ? await startAzurite() : undefined };
}

async function measureTable({ rows: wanted, entities, isFirst, startServers }) {
  const servers = await startServers();
  for (const server of Object.values(servers).filter(Boolean)) {
    const seconds = await fillTable({ server, entities });
    console.log(`${server.name}: ${entities.toLocaleString('en-US')} entities loaded in ${seconds.toFixed(1)} s`);
  }
  if (isFirst && wanted.some(({ peers }) => peers.includes('ceiling')))
    servers.ceiling = await startCeilingLike({ model: servers.tanzanite, entities });
  for (const row of wanted) {
    const measured = await attempt(row.name, () => measureRow({ row, servers, entities, isFirst }));
    if (!measured) continue;
    results.rows.push(measured);
    console.log(rowLine(measured));
  }
  await Promise.all(Object.values(servers).map((server) => server?.stop()));
}

async function measureRow({ row, servers: all, entities, isFirst }) {
  const peers = Object.entries(all).filter(
    ([name, server]) => server && (name === 'tanzanite' || row.peers.includes(name)),
  );
  const servers = Object.fromEntries(peers);
  await checkSameAnswers({ servers: Object.values(servers), row, entities });
  // Rows that add entities use new tables instead of the smaller table, which they would make too large.
  const hasOwnTables = isFirst && Boolean(row.isAdding);
  const measured = await measureRounds({ servers, row, entities, hasOwnTables, generator, options });
  const { name, title, isSecure } = row;
  // The goals apply only to tables of the full size.
  const targets = options.isQuick ? {} : row.targets;
  return { name, title, isSecure, targets, entities, ...measured };
}

function attemptTable({ what, entities, measure }) {
  const lack = findLackOfRoom(entities);
  return lack ? leaveOut(what, lack) : attempt(what, measure);
}

async function attempt(what, measure) {
  try {
    return await measure();
  } catch (error) {
    failures++;
    leaveOut(what, error.message);
    return undefined;
  }
}

function leaveOut(what, why) {
  results.notMeasured.push({ what, why });
  console.log(`not measured: ${what}: ${why}`);
}
