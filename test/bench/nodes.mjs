// Compares the cost of a request in three cases: one node over PostgreSQL, two nodes over the same PostgreSQL, and an
// emulator that stores its data in a folder. The cost is the processor time per request, separately for the nodes and
// for PostgreSQL.
//   node test/bench/nodes.mjs [--row point-read] [--entities 20000] [--rounds 10] [--seconds 2]
// A machine with few cores cannot show the rate of two nodes, because the nodes, PostgreSQL and the load generators
// share the cores. The processor time per request predicts the rate on a machine that has a core for each node: a node
// that needs t seconds per request answers 1 / t requests per second. PostgreSQL answers as many requests as its cores
// allow.
import { parseArgs } from 'node:util';
import { findPostgres, PostgresServer } from '../support/postgres-server.mjs';
import { findGenerator } from './load.mjs';
import { checkSameAnswers, fillTable } from './loaded-servers.mjs';
import { readProcessorTime } from './processor-time.mjs';
import { findRow } from './rows.mjs';
import { startTanzanite } from './servers.mjs';
import { measureSlice } from './slice.mjs';
import { quartiles } from './statistics.mjs';

const warmUpRounds = 2;
const usPerMs = 1_000;
const titles = { folder: 'a folder', one: 'one node', two: 'two nodes at the same time' };

const { values: flags } = parseArgs({
  options: {
    row: { type: 'string', default: 'point-read' },
    entities: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
  },
});
const row = findRow(flags.row);
const entities = Number(flags.entities);
const seconds = Number(flags.seconds);
const generator = findGenerator();
if (!generator) throw new Error('install wrk, or run npm ci in test/bench for autocannon');
if (findPostgres() === undefined) throw new Error('install PostgreSQL');

const postgres = await PostgresServer.create({ isDurable: true });
const store = postgres.url();
const folder = await startTanzanite({ name: 'folder' });
const first = await startTanzanite({ name: 'node 1', store });
const second = await startTanzanite({ name: 'node 2', store });
try {
  for (const server of [folder, first]) await fillTable({ server, entities });
  await checkSameAnswers({ servers: [folder, first, second], row, entities });
  print(await measureRounds());
} finally {
  await Promise.all([folder, first, second].map((server) => server.stop()));
  await postgres.remove();
}

async function measureRounds() {
  const measured = [];
  for (let round = -warmUpRounds; round < Number(flags.rounds); round++) {
    const steps = {
      folder: () => measure([folder]),
      one: () => measure([round % 2 === 0 ? first : second]),
      two: () => measure([first, second]),
    };
    const names = Object.keys(steps);
    if (round % 2 !== 0) names.reverse();
    const figures = {};
    for (const name of names) figures[name] = await steps[name]();
    if (round >= 0) measured.push(figures);
  }
  return measured;
}

// Sends load to several servers at the same time. Returns the sum of their requests per second, and the processor time
// per request in µs, separately for the servers and for PostgreSQL.
async function measure(servers) {
  const before = databaseMs();
  const slices = await Promise.all(
    servers.map((server) =>
      measureSlice({ generator: generator.name, server, row, entities, seconds, hasOwnTable: Boolean(row.isAdding) }),
    ),
  );
  const ratePerSecond = slices.reduce((sum, slice) => sum + slice.ratePerSecond, 0);
  const requests = ratePerSecond * seconds;
  const nodeUs = slices.reduce(
    (sum, slice) => sum + ((slice.userUs + slice.systemUs) * slice.ratePerSecond) / ratePerSecond,
    0,
  );
  return { ratePerSecond, nodeUs, databaseUs: ((databaseMs() - before) * usPerMs) / requests };
}

function databaseMs() {
  let ms = 0;
  for (const id of postgres.processIds) {
    const time = readProcessorTime(id);
    if (time) ms += time.userMs + time.systemMs;
  }
  return ms;
}

function print(measured) {
  console.log(
    `${row.title}, ${entities.toLocaleString('en-US')} entities: medians of ${measured.length} rounds (quartiles of ratios)`,
  );
  for (const name of ['folder', 'one', 'two']) {
    const middle = (figure) => quartiles(measured.map((figures) => figures[name][figure])).middle;
    const database = name === 'folder' ? '' : ` + PostgreSQL ${middle('databaseUs').toFixed(1)}`;
    console.log(
      `  ${titles[name].padEnd(18)}${middle('ratePerSecond').toFixed(0).padStart(7)}/s here; a request: node ${middle('nodeUs').toFixed(1)}${database} µs`,
    );
  }
  const ratio = (figureOf) => {
    const { low, middle, high } = quartiles(measured.map(figureOf));
    return `${middle.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  };
  console.log(
    `  one node, of a folder's rate by processor time of the node: ${ratio(({ folder, one }) => folder.nodeUs / one.nodeUs)}`,
  );
  console.log(
    `  two nodes, times one, a core for each node:                 ${ratio(({ one, two }) => (2 * one.nodeUs) / two.nodeUs)}`,
  );
  console.log(
    `  cores that PostgreSQL needs next to two such nodes:          ${ratio(({ two }) => (2 * two.databaseUs) / two.nodeUs)}`,
  );
  console.log(`  load by ${generator.title}`);
}
