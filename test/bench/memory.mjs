// Measures the resident memory of Tanzanite when it is idle, and ten seconds after many single inserts of 1 KB into all
// parts of a table. Also measures the additional memory for each table and each account.
import { setTimeout as sleep } from 'node:timers/promises';
import { askAll, askOnce } from './client.mjs';
import { serialMark } from './entities.mjs';
import { readResidentBytes, settle } from './processor-time.mjs';
import { createTable, insert } from './requests.mjs';
import { startTanzanite } from './servers.mjs';

const table = 'writes';
const connections = 16;
const variants = 1_000;
const restMs = 10_000;

const tables = 1_000;
const accounts = 100;

// Returns sizes in bytes. `idle` is the memory of an idle server, and `afterWrites` is the memory of a server after the
// writes. `table` and `account` are the additional memory for each created table and each created account.
export async function measureMemory({ writes }) {
  const server = await startTanzanite();
  const afterWrites = await writeAndRead({ server, writes });
  await server.stop();
  return { afterWrites, ...(await measureParts()) };
}

// Creates many tables, and then many accounts with one table each. The memory that the first requests need is not
// counted.
async function measureParts() {
  const server = await startTanzanite({ flags: ['--accounts', 'any'] });
  const idle = await residentBytes(server);
  const create = (table, as) => createTable({ port: server.port, table, as });
  await askEach(
    server,
    Array.from({ length: 200 }, (_, at) => create(`first${at}`)),
  );
  const before = await residentBytes(server);
  await askEach(
    server,
    Array.from({ length: tables }, (_, at) => create(`table${at}`)),
  );
  const withTables = await residentBytes(server);
  await askEach(
    server,
    Array.from({ length: accounts }, (_, at) => create('only', `account${at}`)),
  );
  const withAccounts = await residentBytes(server);
  await server.stop();
  return { idle, table: (withTables - before) / tables, account: (withAccounts - withTables) / accounts };
}

async function askEach({ name, port }, requests) {
  const rest = requests.values();
  const check = ({ status, body }) => {
    if (status >= 300) throw new Error(`${name} refused a table: ${status} ${body.slice(0, 300)}`);
  };
  await askAll({ port, next: () => rest.next().value, check, connections: 1 });
}

async function residentBytes({ pid }) {
  await settle(pid);
  return readResidentBytes(pid);
}

async function writeAndRead({ server: { name, port, pid }, writes }) {
  await askOnce({ port, request: createTable({ port, table }) });
  const templates = Array.from({ length: variants }, () =>
    insert({ port, table, entities: writes, pick: (limit) => Math.floor(Math.random() * limit) }),
  );
  let sent = 0;
  const next = () => {
    if (sent === writes) return undefined;
    const template = templates[sent % templates.length];
    return template.replaceAll(serialMark, String(++sent).padStart(serialMark.length, '0'));
  };
  const check = ({ status, body }) => {
    if (status !== 204) throw new Error(`${name} refused an insert: ${status} ${body.slice(0, 300)}`);
  };
  await askAll({ port, next, check, connections });
  await sleep(restMs);
  return readResidentBytes(pid);
}
