// Measures a save, a restore, and the first write after each of them:
//   node test/bench/snapshots.mjs [--entities N]… [--rounds N]
// Also measures three things for comparison: a write that copies nothing, a bare INSERT … SELECT of all rows, and the
// writing and syncing of as many bytes as the database file has. The output includes processor time, because other work
// on the machine disturbs processor time less than elapsed time. The data is on disk, rounds are interleaved, and each
// figure is a median. Run npm run build first.
import { closeSync, copyFileSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TableClient } from '@azure/data-tables';
import Database from 'better-sqlite3';
import { startEmulator } from '../../dist/index.js';

const { values } = parseArgs({
  options: {
    entities: { type: 'string', multiple: true, default: ['1000', '1000000'] },
    rounds: { type: 'string', default: '5' },
  },
});
const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];
const text = (ms) => `${ms.toFixed(1).padStart(8)} ms`;
const table = 'bench';
const fileOf = (location) => join(location, 'devstoreaccount1.sqlite');

async function timed(work) {
  const [startMs, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - startMs, processorMs: (user + system) / 1000 };
}

/** Fills the table through SQLite, while no emulator runs. */
async function fillTable(location, entities) {
  const emulator = await startEmulator({ location });
  await clientOf(emulator).createTable();
  await emulator.close();
  const database = new Database(fileOf(location));
  const insert = database.prepare(
    'INSERT INTO entities (table_id, partition_key, row_key, ticks, properties) VALUES (1, ?, ?, 638000000000000000, ?)',
  );
  const properties = `"Text":"${'x'.repeat(200)}"`;
  database.transaction(() => {
    for (let at = 0; at < entities; at++) insert.run(`p${at % 200}`, String(at).padStart(8, '0'), properties);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

const clientOf = ({ connectionString }) =>
  TableClient.fromConnectionString(connectionString, table, { allowInsecureConnection: true });

/**
 * In the result, `run` copies all rows in one transaction of SQLite, and `undo` deletes the copy. No copy of rows can
 * be faster than `run`. Every run uses the same file.
 */
function copiesWithin(file) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('cache_size = -24576');
  const columns = 'partition_key, row_key, ticks, properties';
  const copy = database.prepare(`INSERT INTO entities (table_id, ${columns}) SELECT -1, ${columns} FROM entities
    WHERE table_id = 1 ORDER BY partition_key, row_key`);
  return {
    run: () => copy.run(),
    undo() {
      database.exec('DELETE FROM entities WHERE table_id = -1');
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => database.close(),
  };
}

function copyBytes(location, bytes) {
  const file = join(location, 'copy');
  const chunk = Buffer.alloc(1 << 20, 1);
  const handle = openSync(file, 'w');
  for (let at = 0; at < bytes; at += chunk.length) writeSync(handle, chunk, 0, Math.min(chunk.length, bytes - at));
  fsyncSync(handle);
  closeSync(handle);
  rmSync(file);
}

/** Reads one entity every few milliseconds. `stop` ends this and returns the time of the slowest read. */
function readMeanwhile(client) {
  let slowestMs = 0;
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const { ms } = await timed(() => client.getEntity('z', 'warm'));
      slowestMs = Math.max(slowestMs, ms);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await reading;
      return slowestMs;
    },
  };
}

for (const entities of values.entities.map(Number)) {
  const location = mkdtempSync(join(tmpdir(), 'tanzanite-snapshots-'));
  await fillTable(location, entities);
  const bytes = statSync(fileOf(location)).size;
  copyFileSync(fileOf(location), join(location, 'bare'));
  const bare = copiesWithin(join(location, 'bare'));
  const rows = new Map();
  const note = async (name, work) => rows.set(name, [...(rows.get(name) ?? []), await timed(work)]);
  const emulator = await startEmulator({ location });
  const client = clientOf(emulator);
  const write = (rowKey) => client.upsertEntity({ partitionKey: 'z', rowKey }, 'Replace');
  for (let at = 0; at < 20; at++) await write('warm');
  let slowestReadMs = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    const reader = readMeanwhile(client);
    await note('save', () => emulator.snapshot('base'));
    await note('first write after a save', () => write('a'));
    await note('next write', () => write('a'));
    await note('restore', () => emulator.restore('base'));
    await note('first write after a restore', () => write('b'));
    slowestReadMs = Math.max(slowestReadMs, await reader.stop());
    await note('bare INSERT … SELECT', bare.run);
    bare.undo();
    await note('as many bytes', () => copyBytes(location, bytes));
  }
  await emulator.close();
  bare.close();
  const size = `${entities} entities, ${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`${size}; slowest point read meanwhile ${text(slowestReadMs)}`);
  for (const [name, all] of rows) {
    const [ms, processorMs] = [median(all.map((one) => one.ms)), median(all.map((one) => one.processorMs))];
    console.log(`${text(ms)}  ${text(processorMs)} of processor  ${name}`);
  }
  rmSync(location, { recursive: true, force: true });
}
