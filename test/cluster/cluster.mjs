// The system under test. Its nodes are processes of the built command, and share one PostgreSQL server behind a
// gateway. PostgreSQL may have a synchronous standby, or be the coordinator of a Citus cluster. Each method
// that injects a fault also ends the fault. When the method ends, the system is running again or restarting.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { CitusCluster, createCitusDatabase } from '../support/citus.mjs';
import { JsonClient } from '../support/json-client.mjs';
import { PostgresServer } from '../support/postgres-server.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { Gateway } from './gateway.mjs';

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const requestMsMax = 20_000;
const patienceMs = 120_000;
const pollMs = 50;
const errorCharsMax = 1_500;

export class Cluster {
  #primary;
  #standby;
  #standbys = 0;
  #workers = [];
  #database;
  #gateway;
  #nodes = [];

  /**
   * `openNode(store)` starts a node over the database at the address `store`; see ProcessNode. `settings` are settings
   * of PostgreSQL. With `hasStandby`, each commit waits for a standby. With `isCitus`, the entities are on two workers.
   */
  static async open({
    nodes = 3,
    settings = {},
    hasStandby = false,
    isCitus = false,
    openNode = (store) => new ProcessNode(store),
  } = {}) {
    const cluster = new Cluster();
    try {
      if (isCitus) await cluster.#openCitus(settings);
      else cluster.#primary = await PostgresServer.create({ isDurable: true, settings });
      cluster.#gateway = await Gateway.open(cluster.#primary.port);
      if (hasStandby) await cluster.#addStandby();
      cluster.#nodes = Array.from({ length: nodes }, () => new Seat(() => openNode(cluster.store)));
      await cluster.ready();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async #openCitus(settings) {
    const { coordinator, workers } = await CitusCluster.create({ isDurable: true, settings });
    this.#primary = coordinator;
    this.#workers = workers;
    this.#database = 'tables';
    const store = await createCitusDatabase(coordinator.url(), this.#database);
    const args = [command, 'store', 'migrate', '--distributed', '--store', store];
    await promisify(execFile)(process.execPath, args);
  }

  /** The address of the database through the gateway. */
  get store() {
    const url = new URL(this.#primary.url(this.#database));
    url.port = String(this.#gateway.port);
    return url.href;
  }

  /** A client for each node that was running when it was last checked. */
  clients() {
    return this.#nodes.map(({ client }) => client).filter((client) => client !== undefined);
  }

  /** Resolves when every node accepts requests. */
  async ready() {
    await Promise.all(this.#nodes.map((node) => node.ready()));
  }

  /** Kills a node with kill -9, and starts a new process in its place. */
  async killNode(at) {
    await this.#nodes[at].kill();
    await this.#nodes[at].ready();
  }

  async killAllNodes() {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.ready();
  }

  /** Stops the process of a node for a while, like a pause of its machine. Then the node continues. */
  async freezeNode(at, ms) {
    this.#nodes[at].signal('SIGSTOP');
    await sleep(ms);
    this.#nodes[at].signal('SIGCONT');
  }

  /** Kills PostgreSQL with kill -9, and restarts it over its files. */
  async killDatabase(ms) {
    await this.#primary.kill();
    await sleep(ms);
    await this.#primary.start();
    if (this.#standby) await this.#synchronise();
  }

  /** Kills a worker of Citus with kill -9, and restarts it over its files. */
  async killWorker(at, ms) {
    await this.#workers[at].kill();
    await sleep(ms);
    await this.#workers[at].start();
  }

  async freezeWorker(at, ms) {
    this.#workers[at].freeze();
    await sleep(ms);
    this.#workers[at].resume();
  }

  breakConnections() {
    this.#gateway.breakAll();
  }

  /** Kills the primary with kill -9. The standby replaces it and gets a new standby itself. */
  async failOver(ms) {
    const [old, next] = [this.#primary, this.#standby];
    await old.kill();
    await sleep(ms);
    await next.promote();
    this.#primary = next;
    this.#standby = undefined;
    this.#gateway.redirect(next.port);
    await old.remove();
    await this.#addStandby();
  }

  async #addStandby() {
    const name = `standby${++this.#standbys}`;
    this.#standby = await this.#primary.createStandby(name);
    await this.#query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await this.#query('SELECT pg_reload_conf()');
    await this.#synchronise();
  }

  /**
   * Waits until the standby has all data of the primary. After a crashed primary has restarted, clients may see data
   * that the primary has not yet sent to the standby.
   */
  async #synchronise() {
    const isThere = `SELECT 1 FROM pg_stat_replication
      WHERE sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn()`;
    await eventually('the standby is in step', async () => (await this.#query(isThere)).length > 0);
  }

  async #query(text) {
    const client = new pg.Client({ connectionString: this.#primary.url() });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Why nodes ended that were not killed on purpose. */
  get deaths() {
    return this.#nodes.flatMap(({ deaths }) => deaths);
  }

  async close() {
    await Promise.all(this.#nodes.map((node) => node.close()));
    await this.#gateway?.close();
    await this.#standby?.remove();
    await Promise.all(this.#workers.map((worker) => worker.remove()));
    await this.#primary?.remove();
  }
}

async function eventually(what, isSo) {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${patienceMs} ms`);
    await sleep(pollMs);
  }
}

/** The built command as a node. */
class ProcessNode {
  /** Why the node ended by itself. Undefined while it runs, and if it did not start because the database was away. */
  death;
  #process;
  #isReady = false;
  #isAsked = false;

  constructor(store) {
    this.#process = new ServerProcess(['--tablePort', '0', '--silent'], { env: { TANZANITE_STORE: store } });
    this.#process.ended().then(({ code, signal }) => {
      if (this.#isAsked || !this.#isReady) return;
      this.death = `a node ended with ${code ?? signal}: ${this.#process.stderr.slice(-errorCharsMax)}`;
    });
  }

  async ready() {
    const url = await this.#process.ready();
    this.#isReady = true;
    return url;
  }

  signal(name) {
    this.#process.kill(name);
  }

  kill() {
    this.#isAsked = true;
    return this.#process.end('SIGKILL');
  }

  async close() {
    this.#isAsked = true;
    const { code, signal } = await this.#process.end('SIGTERM');
    if (code !== 0) this.death ??= `SIGTERM ended a node with ${code ?? signal}`;
  }
}

/** One node of the cluster. Its process may be killed and replaced by a new one. */
class Seat {
  client;
  /** Why processes of this node ended by themselves. */
  deaths = [];
  #open;
  #node;

  constructor(open) {
    this.#open = open;
  }

  /** Starts the node. A start without a database fails and is repeated, as a supervisor would do. */
  async ready() {
    await eventually('a node starts', async () => {
      if (this.#node?.death) await this.kill();
      this.#node ??= this.#open();
      try {
        const url = await this.#node.ready();
        this.client ??= new JsonClient(url, 8, { headersTimeout: requestMsMax, bodyTimeout: requestMsMax });
        await this.client.readAll('None');
        return true;
      } catch (error) {
        if (String(error).includes('did not become ready')) this.#node = undefined;
        throw error;
      }
    });
  }

  signal(name) {
    this.#node?.signal(name);
  }

  async kill() {
    const client = this.client;
    this.client = undefined;
    await this.#node?.kill();
    this.#bury();
    await client?.close();
  }

  async close() {
    const client = this.client;
    this.client = undefined;
    await this.#node?.close();
    this.#bury();
    await client?.close();
  }

  #bury() {
    if (this.#node?.death) this.deaths.push(this.#node.death);
    this.#node = undefined;
  }
}
