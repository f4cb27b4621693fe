// The checker. Clients send requests, and faults occur at moments that the seed determines. At the end, the checker
// looks for one order of events that explains every response.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/random.mjs';
import { Client, layout, pathOf, registerOf, savings } from './client.mjs';
import { Cluster } from './cluster.mjs';
import { History } from './history.mjs';

const clients = 6;
const workMsMin = 150;
const workMsMax = 900;
/** On a busy machine, the next fault waits until this many requests are answered, up to a maximum time. */
const answersMin = 200;
const answersWaitMsMax = 30_000;
const pauseMsMax = 800;
/**
 * The number of faults in one history. After these faults, everything is read, and a new history begins with new
 * registers. Each history therefore stays short enough to judge.
 */
const faultsPerHistory = 5;

const faults = {
  killNode: async (cluster, random) => cluster.killNode(random.integer(0, 2)),
  killAllNodes: (cluster) => cluster.killAllNodes(),
  freezeNode: (cluster, random) => cluster.freezeNode(random.integer(0, 2), random.integer(50, pauseMsMax)),
  killDatabase: (cluster, random) => cluster.killDatabase(random.integer(0, pauseMsMax)),
  breakConnections: (cluster) => cluster.breakConnections(),
  killWorker: (cluster, random) => cluster.killWorker(random.integer(0, 1), random.integer(0, pauseMsMax)),
  freezeWorker: (cluster, random) => cluster.freezeWorker(random.integer(0, 1), random.integer(50, pauseMsMax)),
  failOver: (cluster, random) => cluster.failOver(random.integer(0, pauseMsMax)),
};

const overPostgres = [
  'killNode',
  'killNode',
  'killAllNodes',
  'freezeNode',
  'killDatabase',
  'killDatabase',
  'breakConnections',
];
const withStandby = ['killNode', 'freezeNode', 'killDatabase', 'breakConnections', 'failOver', 'failOver'];

const overCitus = [
  'killNode',
  'killAllNodes',
  'killDatabase',
  'breakConnections',
  'killWorker',
  'killWorker',
  'freezeWorker',
];

/**
 * Runs a cluster through `count` faults, which the seed chooses from `kinds`. `options` are options of Cluster.open.
 * Returns the violations as sentences, and the counts of requests and faults.
 */
export async function runFaults({
  count,
  seed,
  hasStandby = false,
  isCitus = false,
  kinds,
  report = () => {},
  ...options
}) {
  const random = new Random(seed);
  const result = { violations: [], answered: 0, unknown: 0, refused: 0, faults: {} };
  const cluster = await Cluster.open({ hasStandby, isCitus, ...options });
  const usual = hasStandby ? withStandby : isCitus ? overCitus : overPostgres;
  try {
    for (let done = 0; done < count; done += faultsPerHistory) {
      const planned = Array.from({ length: Math.min(faultsPerHistory, count - done) }, () =>
        random.pick(kinds ?? usual),
      );
      const history = await runHistory({ cluster, random, planned, isFirst: done === 0 });
      for (const kind of planned) result.faults[kind] = (result.faults[kind] ?? 0) + 1;
      for (const name of ['answered', 'unknown', 'refused']) result[name] += history[name];
      const violations = history.judge();
      result.violations.push(
        ...violations.map((violation) => `faults ${done} to ${done + planned.length}: ${violation}`),
      );
      report({ done: done + planned.length, violations, answered: result.answered });
    }
  } finally {
    await cluster.close();
    result.violations.push(...cluster.deaths);
  }
  return result;
}

async function runHistory({ cluster, random, planned, isFirst }) {
  const history = new History();
  await prepare(cluster.clients()[0], history, isFirst);
  let isStopped = false;
  const working = Array.from({ length: clients }, (_, at) => {
    const seeded = new Random(random.integer(0, 2 ** 31));
    const nodes = () => (cluster.clients().length > 0 ? cluster.clients() : [nowhere]);
    return new Client({ name: `c${at}`, random: seeded, history, nodes }).run(() => isStopped);
  });
  // If a client fails, the run ends.
  const failed = Promise.all(working);
  failed.catch(() => (isStopped = true));
  for (const kind of planned) {
    await Promise.race([failed, workOn(history, random.integer(workMsMin, workMsMax), () => isStopped)]);
    await faults[kind](cluster, random);
  }
  await cluster.ready();
  await sleep(workMsMin);
  isStopped = true;
  await failed;
  for (const client of cluster.clients()) await readEverything(client, history);
  return history;
}

/** Resolves once the clients have worked for `ms` and received enough answers to judge. */
async function workOn(history, ms, isStopped) {
  const { answered } = history;
  const untilMs = performance.now() + answersWaitMsMax;
  await sleep(ms);
  const isEnough = () => isStopped() || history.answered - answered >= answersMin;
  while (!isEnough() && performance.now() < untilMs) await sleep(workMsMin);
}

/** Stands for a client while every node is down. */
const nowhere = {
  async send() {
    await sleep(20);
    throw Object.assign(new Error('every node is down'), { code: 'ECONNREFUSED' });
  },
  sendTransaction: () => nowhere.send(),
};

/** Deletes everything except the entities of the bank, and begins a new history. */
async function prepare(client, history, isFirst) {
  const expectStatus = async (request, ...statuses) => {
    const { status, text } = await client.send(request);
    if (!statuses.includes(status))
      throw new Error(`${request.method} ${request.path} was answered ${status}: ${text}`);
  };
  for (const table of [layout.table, ...layout.tables]) {
    if (!isFirst) await expectStatus({ method: 'DELETE', path: `Tables('${table}')` }, 204, 404);
  }
  await client.createTable(layout.table);
  for (const row of layout.savers) {
    const body = { PartitionKey: layout.bank, RowKey: row, Id: `first-${row}`, Balance: layout.balance };
    await expectStatus({ method: 'POST', path: layout.table, body }, 204);
    history.open(savings(row), `first-${row}`);
  }
  for (const place of layout.registers) history.open(registerOf(place));
  for (const table of layout.tables) history.open(table);
}

/** Reads every register through one node. */
async function readEverything(node, history) {
  const reader = new Client({ name: 'reader', random: new Random(1), history, nodes: () => [node] });
  for (const place of layout.registers) {
    await reader.readEntity(registerOf(place), pathOf(layout.table, place.partition, place.row));
  }
  for (const row of layout.savers) await reader.readEntity(savings(row), pathOf(layout.table, layout.bank, row));
  for (const table of layout.tables) await reader.readTable(table);
  await reader.checkSum();
}
