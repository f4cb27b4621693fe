// A PostgreSQL server for a test: a data folder in a temporary folder, a process, and a free port. This file depends
// neither on vitest nor on the source, because the checker of test/cluster runs without them.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const user = 'tanzanite';
const password = 'of-this-test';
const startTimeoutMs = 30_000;
const pollMs = 20;

/**
 * Returns the folder with initdb and postgres of the newest installed version, or undefined if PostgreSQL is not
 * installed.
 */
export function findPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** The user who runs PostgreSQL, because it refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const ids = (name) => lines.find((line) => line.startsWith(`${name}:`))?.split(':');
  const [, , uid, gid] = ids('postgres') ?? ids('nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

// The shell waits for a word, or for the end of its input. The system closes this input when this process ends for any
// reason. Then the shell stops PostgreSQL. The shell also removes the data, unless the word is `keep`.
const keep = 'keep';
const guard = [
  'exec 2>>log',
  '"$@" </dev/null & server=$!',
  'read -r word',
  'kill -QUIT $server',
  'wait $server',
  `[ "$word" = ${keep} ] || rm -rf "$PWD"`,
].join('\n');

const running = new Set();
process.on('exit', () => {
  for (const server of running) server.removeNow();
});

export class PostgresServer {
  #bin;
  #folder;
  #port;
  #settings;
  #environment;
  #shell;

  constructor({ bin, folder, port, settings, environment = {} }) {
    this.#bin = bin;
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
    this.#environment = environment;
    running.add(this);
  }

  /**
   * Makes a database cluster and starts it. The death of the process does not damage the cluster. A loss of power may
   * damage it, unless `isDurable` is set. With `trusts`, clients on this machine need no password. `environment`
   * contains additional environment variables for the processes of the cluster.
   */
  static async create({ isDurable = false, settings = {}, trusts = false, environment } = {}) {
    const lax = isDurable ? {} : { fsync: 'off', full_page_writes: 'off' };
    const server = await PostgresServer.#inNewFolder({ ...lax, ...settings }, environment);
    try {
      const passwordFile = join(server.#folder, 'password');
      writeFileSync(passwordFile, password, { mode: 0o644 });
      await server.#run('initdb', [
        ...['--pgdata', server.#data, '--username', user, '--pwfile', passwordFile, '--no-sync', '--no-instructions'],
        ...[
          '--auth-local',
          'trust',
          '--auth-host',
          trusts ? 'trust' : 'scram-sha-256',
          '--encoding',
          'UTF8',
          '--locale',
          'C',
        ],
      ]);
      await server.start();
      return server;
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** Starts a hot standby of this server. `name` is its name in synchronous_standby_names. */
  async createStandby(name, settings = {}) {
    const standby = await PostgresServer.#inNewFolder({ ...this.#settings, ...settings });
    try {
      await standby.#run('pg_basebackup', [
        ...['--pgdata', standby.#data, '--checkpoint', 'fast', '--write-recovery-conf', '--no-sync'],
        ...['--dbname', `host=127.0.0.1 port=${this.#port} user=${user} password=${password} application_name=${name}`],
      ]);
      await standby.start();
      return standby;
    } catch (error) {
      await standby.remove();
      throw error;
    }
  }

  static async #inNewFolder(settings, environment) {
    const bin = findPostgres();
    if (bin === undefined) throw new Error('there is no PostgreSQL on this machine');
    const folder = mkdtempSync(join(tmpdir(), 'tanzanite-postgres-'));
    const { uid, gid } = unprivileged();
    if (uid !== undefined) chownSync(folder, uid, gid);
    return new PostgresServer({ bin, folder, port: await freePort(), settings, environment });
  }

  get #data() {
    return join(this.#folder, 'data');
  }

  get port() {
    return this.#port;
  }

  /** The text of PostgreSQL's log. */
  get log() {
    return readFileSync(join(this.#folder, 'log'), 'utf8');
  }

  /** The address of a database: `postgres://user:password@127.0.0.1:port/name`. */
  url(database = 'postgres') {
    return `postgres://${user}:${password}@127.0.0.1:${this.#port}/${database}`;
  }

  async #run(program, args) {
    await run(join(this.#bin, program), args, {
      ...unprivileged(),
      cwd: this.#folder,
      env: { PATH: process.env.PATH },
    });
  }

  /** Starts it on its port and waits until it accepts connections. `settings` are added to its settings. */
  async start(settings = {}) {
    this.#settings = { ...this.#settings, ...settings };
    const deadline = performance.now() + startTimeoutMs;
    // After kill -9, the old child processes still use the shared memory for a moment, and a start is refused.
    while (!(await this.#startOnce(deadline))) {
      if (performance.now() > deadline) throw new Error(`PostgreSQL did not start: ${this.log}`);
      await sleep(pollMs * 5);
    }
  }

  async #startOnce(deadline) {
    const options = { listen_addresses: '127.0.0.1', unix_socket_directories: this.#folder, port: this.#port };
    const settings = {
      max_connections: 200,
      max_wal_senders: 4,
      logging_collector: 'off',
      ...options,
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = [join(this.#bin, 'postgres'), '-D', this.#data, ...flags];
    const shell = spawn('/bin/sh', ['-c', guard, 'guard', ...command], {
      ...unprivileged(),
      cwd: this.#folder,
      env: { PATH: process.env.PATH, ...this.#environment },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.ended = new Promise((resolve) => shell.once('close', resolve));
    shell.stdin.on('error', () => undefined);
    // The server must not keep a test's process alive.
    shell.unref();
    shell.stdin.unref?.();
    this.#shell = shell;
    for (let polls = 0; performance.now() < deadline; polls++) {
      const { pid, state } = this.#postmaster();
      if (pid !== undefined && isAlive(pid)) {
        if (state === 'ready' || state === 'standby') return true;
      } else if (polls > 25) {
        shell.stdin.end(`${keep}\n`);
        return false;
      }
      await sleep(pollMs);
    }
    return false;
  }

  /** The content of postmaster.pid. The file may have been left by a process that has ended. */
  #postmaster() {
    try {
      const lines = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
      return { pid: Number(lines[0]), state: lines[7]?.trim() };
    } catch {
      return {};
    }
  }

  /**
   * Stops all processes and then kills them with kill -9, like the loss of the machine. If only the postmaster were
   * killed, its child processes would live a little longer. In this time, a transaction that waits for the standby gives
   * up its wait and becomes visible, and a reader could see data that no standby has.
   */
  async kill() {
    const { pid } = this.#postmaster();
    if (pid !== undefined && isAlive(pid)) {
      // Once it is stopped, it starts no other process.
      process.kill(pid, 'SIGSTOP');
      try {
        this.#signalAll('SIGSTOP');
        this.#signalAll('SIGKILL');
      } finally {
        signalIfAlive(pid, 'SIGKILL');
      }
    }
    await this.#closeShell();
    // Otherwise, the next start would read the file of the dead process as its own.
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
  }

  /** Stops the processes until `resume`, as if the network lost every packet. */
  freeze() {
    this.#signalAll('SIGSTOP');
  }

  resume() {
    this.#signalAll('SIGCONT');
  }

  #signalAll(signal) {
    for (const id of this.processIds) signalIfAlive(id, signal);
  }

  /** The process ids of the postmaster and its current child processes. */
  get processIds() {
    const { pid } = this.#postmaster();
    const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const children = processes.map((line) => line.trim().split(/\s+/)).filter(([, parent]) => Number(parent) === pid);
    return [pid, ...children.map(([child]) => Number(child))];
  }

  /** Promotes a standby to primary. */
  async promote() {
    await this.#run('pg_ctl', ['promote', '--pgdata', this.#data, '--wait', '--silent']);
  }

  /** Stops it immediately, with its connections. It can be started again. */
  async stop() {
    await this.#closeShell();
  }

  async #closeShell() {
    const shell = this.#shell;
    this.#shell = undefined;
    shell?.ref();
    shell?.stdin.end(`${keep}\n`);
    await shell?.ended;
  }

  /** Stops it and deletes its data. */
  async remove() {
    await this.#closeShell();
    this.removeNow();
  }

  removeNow() {
    running.delete(this);
    const { pid } = this.#postmaster();
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function signalIfAlive(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
