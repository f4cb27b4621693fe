// Makes a Citus cluster for a test: a coordinator and workers. Each of them is a PostgreSQL server in a temporary
// folder. Like postgres-server.mjs, this file depends neither on vitest nor on the source.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findPostgres, PostgresServer } from './postgres-server.mjs';

/** Fewer shards than the 32 of a new Citus, because a test has many schemas. */
const shards = 4;

const settings = {
  shared_preload_libraries: 'citus',
  'citus.shard_count': shards,
  // Each session of the coordinator may have a connection to each worker.
  max_connections: 300,
  max_prepared_transactions: 300,
};

/** Whether the PostgreSQL of this machine has the Citus extension, in one of the folders that its packages use. */
export function hasCitus() {
  const bin = findPostgres();
  if (bin === undefined) return false;
  const version = /\/postgresql\/([^/]+)\/bin$/.exec(bin)?.[1] ?? '';
  const shares = [`/usr/share/postgresql/${version}`, join(bin, '../share/postgresql'), join(bin, '../share')];
  return shares.some((share) => existsSync(join(share, 'extension/citus.control')));
}

export class CitusCluster {
  coordinator;
  workers;

  constructor(coordinator, workers) {
    this.coordinator = coordinator;
    this.workers = workers;
  }

  /** `settings` apply to the coordinator and to every worker. */
  static async create({ workers = 2, isDurable = false, settings: given = {} } = {}) {
    const options = { isDurable, settings: { ...settings, ...given }, trusts: true };
    const starts = Array.from({ length: workers + 1 }, () => PostgresServer.create(options));
    const started = await Promise.allSettled(starts);
    const servers = started.filter(({ value }) => value).map(({ value }) => value);
    try {
      await Promise.all(starts);
    } catch (error) {
      await Promise.all(servers.map((server) => server.remove()));
      throw error;
    }
    const [coordinator, ...others] = servers;
    const cluster = new CitusCluster(coordinator, others);
    try {
      await joinWorkers(
        coordinator.url(),
        others.map((worker) => worker.url()),
      );
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** The address of a database at the coordinator. */
  url(database) {
    return this.coordinator.url(database);
  }

  async remove() {
    await Promise.all([this.coordinator, ...this.workers].map((server) => server.remove()));
  }
}

/**
 * Creates a database at a coordinator, with shards on the workers. `coordinator` is the address of an existing database
 * at this coordinator. The new database has the same workers as the existing database.
 */
export async function createCitusDatabase(coordinator, name) {
  const workers = await workersOf(coordinator);
  for (const server of [coordinator, ...workers]) await queryOnce(server, `CREATE DATABASE ${name}`);
  const [url, ...others] = [coordinator, ...workers].map((server) => withDatabase(server, name));
  await joinWorkers(url, others);
  return url;
}

export async function dropCitusDatabase(coordinator, name) {
  // The coordinator comes first, because it has connections to the workers.
  for (const server of [coordinator, ...(await workersOf(coordinator))]) {
    await queryOnce(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

/** Joins a database at the coordinator and one at each worker into one Citus. */
async function joinWorkers(coordinator, workers) {
  await Promise.all([coordinator, ...workers].map((server) => queryOnce(server, 'CREATE EXTENSION citus')));
  const at = (url) => `'${new URL(url).hostname}', ${new URL(url).port}`;
  await queryOnce(coordinator, `SELECT citus_set_coordinator_host(${at(coordinator)})`);
  for (const worker of workers) await addNode(coordinator, at(worker));
}

/** Tries again if Citus refuses: it may do so if several databases join workers at the same time. */
async function addNode(coordinator, at) {
  for (let tries = 1; ; tries++) {
    try {
      return await queryOnce(coordinator, `SELECT citus_add_node(${at})`);
    } catch (error) {
      if (tries === 5) throw error;
      await sleep(200);
    }
  }
}

/** The addresses of the same database at the workers. */
async function workersOf(coordinator) {
  const nodes = await queryOnce(coordinator, 'SELECT node_name, node_port FROM citus_get_active_worker_nodes()');
  return nodes.map(({ node_name, node_port }) => {
    const url = new URL(coordinator);
    url.hostname = node_name;
    url.port = node_port;
    return url.href;
  });
}

function withDatabase(address, name) {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

async function queryOnce(connectionString, text) {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
