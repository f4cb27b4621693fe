// node test/bench/snapshots.mjs [--entities N]…: how long a save, a restore and the first write after each take, beside copying
// as many bytes with one write and fsync. Medians of interleaved rounds, in memory and on disk; needs a build.
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
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

async function timed(work) {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** The table is filled through SQLite, while no emulator runs. */
async function fillTable(location, entities) {
  const emulator = await startEmulator({ location });
  await clientOf(emulator).createTable();
  await emulator.close();
  const database = new Database(join(location, 'devstoreaccount1.sqlite'));
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
  TableClient.fromConnectionString(connectionString, 'bench', { allowInsecureConnection: true });

function copyBytes(location, bytes) {
  const file = join(location, 'copy');
  const chunk = Buffer.alloc(1 << 20, 1);
  const handle = openSync(file, 'w');
  for (let at = 0; at < bytes; at += chunk.length) writeSync(handle, chunk, 0, Math.min(chunk.length, bytes - at));
  fsyncSync(handle);
  closeSync(handle);
  rmSync(file);
}

for (const entities of values.entities.map(Number)) {
  const location = mkdtempSync(join(tmpdir(), 'tanzanite-snapshots-'));
  await fillTable(location, entities);
  const bytes = statSync(join(location, 'devstoreaccount1.sqlite')).size;
  const emulator = await startEmulator({ location });
  const client = clientOf(emulator);
  const write = (rowKey) => client.upsertEntity({ partitionKey: 'z', rowKey }, 'Replace');
  await write('warm');
  const rows = { save: [], 'first write after a save': [], restore: [], 'first write after a restore': [], copy: [] };
  let slowestReadMs = 0;
  let isOver = false;
  const reader = (async () => {
    while (!isOver) {
      slowestReadMs = Math.max(slowestReadMs, await timed(() => client.getEntity('z', 'warm')));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  for (let round = 0; round < Number(values.rounds); round++) {
    rows.save.push(await timed(() => emulator.snapshot('base')));
    rows['first write after a save'].push(await timed(() => write('a')));
    rows.restore.push(await timed(() => emulator.restore('base')));
    rows['first write after a restore'].push(await timed(() => write('b')));
  }
  isOver = true;
  await reader;
  await emulator.close();
  for (let round = 0; round < Number(values.rounds); round++)
    rows.copy.push(await timed(() => copyBytes(location, bytes)));
  console.log(
    `${entities} entities, ${Math.round(bytes / 1e5) / 10} MB on disk; slowest point read meanwhile ${text(slowestReadMs)}`,
  );
  for (const [name, all] of Object.entries(rows)) console.log(`${text(median(all))}  ${name}`);
  rmSync(location, { recursive: true, force: true });
}
