// The simulated process: the emulator without sockets, on a machine that a seed controls. It reads commands from
// standard input.

import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { defaultEmulatorSettings, type RunningEmulator, runEmulator } from '../../src/emulator.ts';
import type { HttpServer, ServerOptions } from '../../src/http/server.ts';
import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { recordDelivery, startRecord } from '../../src/service/fill-record.ts';
import { type HttpRequest, responseOf } from '../../src/service/http-message.ts';
import { serveRequest } from '../../src/service/serve-request.ts';
import { type CheckpointRunner, runCheckpoint } from '../../src/storage/sqlite/file/checkpoint-thread.ts';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts';
import { StoreUnavailable } from '../../src/storage/store-unavailable.ts';
import { authorization, developmentKey } from '../support/sign.mjs';
import { SimulatedMachine } from './machine.ts';
import type { Command, FoundAccount, Line, ProcessOptions, SentReply, SentRequest } from './protocol.ts';
import { propertiesPath } from './wire-calls.ts';

const options = JSON.parse(process.argv[2] ?? '') as ProcessOptions;
const machine = new SimulatedMachine(options.seed, options.dateMs);
let served: ServerOptions | undefined;

/**
 * The maximum number of event loop turns that Fastify and streams need before an answer. The machine does not control
 * these turns.
 */
const ownTurns = 12;
const stepsMax = 200_000;
/** Longer than any timer of the emulator for which a request waits. */
const waitMsMax = 60_000;
const restMs = 5_000;

function say(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Sends a command to the simulated disk. */
function tellDisk(text: string): void {
  try {
    closeSync(openSync(`/simulated-disk/${text}`, 'r'));
  } catch {
    // The file does not exist.
  }
}

const ownTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets the machine run until `isOver` returns true. Returns false if nothing can continue within `msMax` milliseconds.
 */
async function runUntil(isOver: () => boolean, msMax: number): Promise<boolean> {
  const untilMs = machine.monotonicMs() + msMax;
  let quiet = 0;
  for (let steps = 0; steps < stepsMax; steps++) {
    await ownTurn();
    if (isOver()) return true;
    if (machine.step()) quiet = 0;
    else if (++quiet > ownTurns && !machine.sleep(untilMs - machine.monotonicMs())) return false;
  }
  throw new Error(`the machine does not come to rest in ${stepsMax} steps`);
}

async function settle<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  if (!(await runUntil(() => isOver, waitMsMax))) throw new Error('something never ends');
  return work;
}

/** Replaces the HTTP server. This file passes the requests on without sockets. */
function withoutSockets(given: ServerOptions): HttpServer {
  served = given;
  const address = { address: '127.0.0.1', port: 10_002, family: 'IPv4' };
  return {
    listen: async () => address,
    address: () => address,
    replaceCertificate: () => undefined,
    close: async () => undefined,
  };
}

/** Makes a checkpoint one step of the machine. */
const checkpoints: CheckpointRunner = {
  prepare: () => undefined,
  checkpoint: (request) =>
    new Promise((resolve) => {
      machine.nextTurn(() => resolve(runCheckpoint(request, Database)));
    }),
  close: async () => undefined,
};

function logFault(fields: object, message: string): void {
  const { err } = fields as { err?: unknown };
  const cause = err instanceof AggregateError ? err.errors : [err];
  const isInternal = !cause.every((one) => one instanceof StoreUnavailable);
  say({ kind: 'log', text: `${message}: ${err instanceof Error ? err.stack : String(err)}`, isInternal });
}

function start(): Promise<RunningEmulator> {
  const { location, durability, tableDeleteDelayMs, seed } = options;
  return settle(
    runEmulator({
      ...defaultEmulatorSettings,
      ...(location !== undefined && { location }),
      durability,
      tableDeleteDelayMs,
      accounts: 'any',
      faultSeed: seed,
      modelTime: createAdjustableTime(machine),
      machineTime: machine,
      schedule: machine,
      createServer: withoutSockets,
      openStore: (store) => openSqliteStore({ ...store, checkpointThread: checkpoints }),
      log: { info: () => undefined, warn: () => undefined, error: logFault },
    }),
  );
}

async function send(request: SentRequest): Promise<SentReply> {
  return request.account === undefined ? sendToControlPlane(request) : sendToService(request, request.account);
}

async function sendToService(
  { id, method, path, headers: given, body, isSigned }: SentRequest,
  account: string,
): Promise<SentReply> {
  const { service, onAnswered } = served as ServerOptions;
  const url = `/${account}${path}`;
  const bytes = Buffer.from(body ?? '');
  const plain: Record<string, string> = {
    host: '127.0.0.1:10002',
    accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': '2019-02-02',
    'x-ms-date': new Date(machine.nowMs()).toUTCString(),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
    ...given,
  };
  const signed = { account, key: developmentKey, scheme: 'SharedKeyLite' } as const;
  const headers = isSigned
    ? plain
    : { ...plain, authorization: authorization({ method, target: url, headers: plain }, signed) };
  const request: HttpRequest = {
    method,
    url,
    headers,
    isSecure: false,
    remoteAddress: '127.0.0.1',
    connection: 1,
    connectionsOpen: 1,
    readBody: async () => bytes,
    discardBody: () => undefined,
    isAbandoned: () => false,
    whenOver: () => () => undefined,
  };
  service.inFlight.enter();
  const record = startRecord(request, service);
  const delivery = await serveRequest(request, record, service);
  recordDelivery(record, delivery);
  service.inFlight.leave();
  onAnswered(record);
  const response = responseOf(delivery);
  if (!response) return { kind: 'reply', id, status: 0, body: '' };
  const found = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const { etag, 'x-emulator-fault': staged } = found;
  return {
    kind: 'reply',
    id,
    status: response.status,
    ...(etag !== undefined && { etag }),
    ...(staged !== undefined && { staged }),
    body: String(response.body ?? ''),
  };
}

async function sendToControlPlane({ id, method, path, headers, body }: SentRequest): Promise<SentReply> {
  const app = (await served?.controlPlane?.()) as unknown as ControlPlane;
  const { statusCode, body: text } = await app.inject({
    method,
    url: path,
    headers: { host: '127.0.0.1:10002', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: body }),
  });
  return { kind: 'reply', id, status: statusCode, body: text };
}

/** The part of Fastify that accepts a request without a socket. */
interface ControlPlane {
  inject(request: object): Promise<{ readonly statusCode: number; readonly body: string }>;
}

async function sendTogether(requests: readonly SentRequest[]): Promise<readonly number[]> {
  const waiting = new Set(requests.map(({ id }) => id));
  for (const request of requests) {
    machine.nextTurn(() => {
      void send(request).then((reply) => {
        waiting.delete(request.id);
        say(reply);
      });
    });
  }
  await runUntil(() => waiting.size === 0, waitMsMax);
  return [...waiting];
}

/** The number of rows in each account that belong to neither a table nor a snapshot. */
function rowsLeft(): Record<string, number> {
  const { location } = options;
  if (location === undefined) return {};
  const files = readdirSync(location).filter((file) => file.endsWith('.sqlite'));
  return Object.fromEntries(
    files.map((file) => {
      const database = new Database(join(location, file), { readonly: true });
      try {
        return [file.replace('.sqlite', ''), isMade(database) ? rowsOfNoTable(database) : 0];
      } finally {
        database.close();
      }
    }),
  );
}

/** Whether a file was created completely. Before that, it is empty, or its journal must still be rolled back. */
function isMade(database: Database.Database): boolean {
  try {
    return database.pragma('user_version', { simple: true }) !== 0;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_READONLY_ROLLBACK') return false;
    throw error;
  }
}

const rowsOfNoTable = (database: Database.Database): number =>
  database
    .prepare(`SELECT count(*) FROM entities WHERE table_id NOT IN (SELECT id FROM tables)
      AND table_id NOT IN (SELECT table_id FROM snapshot_tables)`)
    .pluck()
    .get() as number;

async function readAccount(account: string, emulator: RunningEmulator): Promise<FoundAccount> {
  const xml = { accept: 'application/xml' };
  const get = (path: string, headers = {}): Promise<SentReply> =>
    sendToService({ id: 0, method: 'GET', path, headers, isSigned: false }, account);
  const listed = await get('/Tables');
  const { value } = JSON.parse(listed.body) as { value?: { TableName: string }[] };
  const tables: FoundAccount['tables'][number][] = [];
  if (!value) throw new Error(`the tables of ${account} cannot be read: ${listed.body}`);
  for (const { TableName: name } of value) {
    tables.push({ name, rows: await get(`/${name}()`), policies: await get(`/${name}?comp=acl`, xml) });
  }
  const snapshots = await emulator.snapshots.list({ account });
  return { tables, settings: await get(propertiesPath, xml), snapshots: snapshots.map(({ name }) => name) };
}

async function readAll(accounts: readonly string[], emulator: RunningEmulator): Promise<Record<string, FoundAccount>> {
  const found: Record<string, FoundAccount> = {};
  await emulator.faults.clear();
  // Reading an account that was never used would create it, so such accounts are left out.
  for (const account of accounts) {
    if (await served?.service.store.exists(account)) found[account] = await readAccount(account, emulator);
  }
  return found;
}

async function obey(command: Command, emulator: RunningEmulator): Promise<void> {
  if ('seed' in command) machine.reseed(command.seed);
  switch (command.kind) {
    case 'send':
      for (const text of command.disk) tellDisk(text);
      say({ kind: 'done', unanswered: await sendTogether(command.requests) });
      return;
    case 'rest':
      tellDisk('calm');
      await runUntil(() => false, restMs);
      say({ kind: 'done', left: rowsLeft() });
      return;
    case 'read':
      tellDisk('calm');
      say({ kind: 'done', found: await settle(readAll(command.accounts, emulator)) });
      return;
    case 'step':
      machine.stepDate(command.ms);
      say({ kind: 'done' });
      return;
    case 'close':
      tellDisk('calm');
      await settle(emulator.close());
      say({ kind: 'done' });
      tellDisk('save');
      process.exit(0);
  }
}

async function main(): Promise<void> {
  for (const text of options.disk) tellDisk(text);
  const emulator = await start();
  say({ kind: 'ready' });
  for await (const line of createInterface({ input: process.stdin })) await obey(JSON.parse(line) as Command, emulator);
}

void main();
