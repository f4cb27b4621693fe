// Measures the library, and prints the times in ms as JSON. For each measurement, library.mjs runs this script in a new
// process:
//   node library-times.mjs <address of the library>
import { performance } from 'node:perf_hooks';
import { loadBatch } from './batches.mjs';
import { askAll, askOnce } from './client.mjs';
import { batchEntities, entityText } from './entities.mjs';
import { createTable, insert } from './requests.mjs';

const times = 20;
const entities = 1_000;
const table = 'tests';

const began = performance.now();
const { startEmulator } = await import(process.argv[2]);
const emulator = await startEmulator();
const startMs = performance.now() - began;
const port = Number(new URL(emulator.url).port);
const accountMs = await repeat(makeAccount);
await fill();
await emulator.snapshot('filled');
const restoreMs = await repeat(restoreAfterWrite);
await emulator.close();
console.log(JSON.stringify({ startMs, accountMs, restoreMs }));

// Makes a new account and its first table.
async function makeAccount() {
  const from = performance.now();
  const { name, key } = emulator.account();
  await ask(createTable({ port, table, as: name, key }));
  return performance.now() - from;
}

async function fill() {
  await ask(createTable({ port, table }));
  const starts = Array.from({ length: entities / batchEntities }, (_, at) => at * batchEntities).values();
  const next = () => {
    const { value: start, done } = starts.next();
    return done ? undefined : loadBatch({ port, table, start, textOf: entityText });
  };
  await askAll({ port, next, check, connections: 1 });
}

// Restores a snapshot after a write, and checks that the written entity is gone.
async function restoreAfterWrite() {
  await ask(insert({ port, table, entities, pick: () => 0 }));
  const from = performance.now();
  await emulator.restore('filled');
  return performance.now() - from;
}

async function ask(request) {
  check(await askOnce({ port, request }));
}

function check({ status, body }) {
  if (status >= 300) throw new Error(`refused: ${status} ${body.slice(0, 300)}`);
}

async function repeat(step) {
  const measured = [];
  for (let at = 0; at < times; at++) measured.push(await step());
  return measured;
}
