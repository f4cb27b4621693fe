// The crash rig. Writers send requests, and kill -9 ends the server at a moment that the seed determines. Then the
// server restarts, and all data is read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Random } from '../support/random.mjs';
import { ServerProcess } from '../support/server-process.mjs';
import { Fleet } from './fleet.mjs';

/** After this many kills, a new location is used, so that first starts are killed too. */
const killsPerLocation = 20;
const workMsMin = 20;
const workMsMax = 800;
/** The share of kills that happen while a server starts. */
const startShare = 0.2;
const startMsMax = 350;
/**
 * Before the rig kills a server that is serving requests, the rig waits until the server has acknowledged a random
 * number of writes, from 0 to this maximum. If these writes take longer than `busyMsMax`, the rig kills the server
 * anyway.
 */
const writesMax = 40;
const busyMsMax = 5_000;
const pollMs = 10;

/**
 * Kills a server `kills` times. The server runs with `flags` in addition to its usual flags. `report` is called after
 * each kill. In the result, `failures` lists the violations, and `kept` lists the folders whose data has violations.
 */
export async function runKills({ kills, seed, flags = [], report = () => {} }) {
  const random = new Random(seed);
  const transactions = { applied: 0, refused: 0, there: 0, absent: 0 };
  const result = { passed: 0, failed: 0, acknowledged: 0, transactions, failures: [], kept: [] };
  for (let done = 0; done < kills; done += killsPerLocation) {
    const known = result.failures.length;
    const location = mkdtempSync(join(tmpdir(), 'tanzanite-crash-'));
    const life = new Life({ location, flags, random, seed: seed + done });
    for (let kill = done; kill < Math.min(kills, done + killsPerLocation); kill++) {
      const { violations, moment } = await life.killOnce();
      if (violations.length === 0) result.passed++;
      else result.failed++;
      result.failures.push(...violations.map((violation) => `kill ${kill}, ${moment}: ${violation}`));
      report({ kill, moment, violations, acknowledged: result.acknowledged + life.acknowledged });
    }
    result.failures.push(...(await life.end()));
    result.acknowledged += life.acknowledged;
    for (const [fate, count] of Object.entries(life.transactions)) transactions[fate] += count;
    if (result.failures.length === known) rmSync(location, { recursive: true, force: true });
    else result.kept.push(location);
  }
  return result;
}

/** One location and its writers, which outlive many servers. */
class Life {
  #location;
  #args;
  #random;
  #fleet;
  #server;

  constructor({ location, flags, random, seed }) {
    this.#location = location;
    this.#args = ['--tablePort', '0', '--silent', '--location', location, ...flags];
    this.#random = random;
    this.#fleet = new Fleet({ seed });
  }

  get acknowledged() {
    return this.#fleet.acknowledged;
  }

  get transactions() {
    return this.#fleet.transactions;
  }

  /** Kills the server while it works or starts, starts it again, and reads everything. */
  async killOnce() {
    const known = this.#fleet.violations.length;
    try {
      const moment = this.#random.next() < startShare ? await this.#killAtStart() : await this.#killAtWork();
      await this.#fleet.verify(await this.#running().ready());
      return { moment, violations: this.#fleet.violations.slice(known) };
    } catch (error) {
      await this.#kill();
      return { moment: 'restart', violations: [...this.#fleet.violations.slice(known), String(error)] };
    }
  }

  async #killAtWork() {
    const url = await this.#running().ready();
    const { ended } = await this.#fleet.start(url);
    const workMs = this.#random.integer(workMsMin, workMsMax);
    const enough = this.#fleet.acknowledged + this.#random.integer(0, writesMax);
    await sleep(workMs);
    // Without this wait, the writers would make no progress on a busy machine.
    for (let waitedMs = 0; this.#fleet.acknowledged < enough && waitedMs < busyMsMax; waitedMs += pollMs) {
      await sleep(pollMs);
    }
    await this.#kill();
    await ended;
    return `after ${workMs} ms of work`;
  }

  async #killAtStart() {
    await this.#kill();
    this.#running();
    const startMs = this.#random.integer(0, startMsMax);
    await sleep(startMs);
    await this.#kill();
    return `${startMs} ms after its start`;
  }

  #running() {
    this.#server ??= new ServerProcess(this.#args);
    return this.#server;
  }

  async #kill() {
    await this.#server?.end('SIGKILL');
    this.#server = undefined;
  }

  /** Stops the server gracefully, checks its files, and returns what is wrong with them. */
  async end() {
    const end = await this.#server?.end('SIGTERM');
    const failures = end && end.code !== 0 ? [`SIGTERM ended the server with ${end.code ?? end.signal}`] : [];
    const file = join(this.#location, 'devstoreaccount1.sqlite');
    try {
      const database = new Database(file, { readonly: true, fileMustExist: true });
      const verdict = database.pragma('integrity_check', { simple: true });
      database.close();
      if (verdict !== 'ok') failures.push(`${file}: ${verdict}`);
    } catch (error) {
      failures.push(`${file}: ${error}`);
    }
    return failures;
  }
}
