// Compares physical layouts for entities that are ordered by (table, PartitionKey, RowKey): a rowid table with a unique
// index, and a table WITHOUT ROWID. Each layout is measured with pages of 4, 8 and 16 KB, with several body sizes, and
// in two insertion orders (shuffled and ordered). The layouts with the same body size and insertion order form a group.
// The layouts of one group are loaded and measured in turn, slice by slice, so that a noisy moment affects all of them.
// Each figure is a median. docs/adr/0003-storage-layout.md quotes the figures. Run:
//   node test/bench/storage-layout.mjs [--entities 50000] [--rounds 3] ...
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';

const { values: flags } = parseArgs({
  options: {
    entities: { type: 'string', default: '50000' }, // per layout; half as many for bodies of 4 KB
    bodies: { type: 'string', default: '300,1000,4000' },
    orders: { type: 'string', default: 'shuffled,ordered' },
    rounds: { type: 'string', default: '3' },
    sliceMs: { type: 'string', default: '100' },
    cacheMb: { type: 'string', default: '16' },
    partitions: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
});
const rounds = Number(flags.rounds);
const sliceMs = Number(flags.sliceMs);
const partitions = Number(flags.partitions);
const tableId = 7;
const loadBatch = 100;
const updateGroup = 16;
const pageRows = 1000;
const shortRows = 10;
// The same limit in bytes for every page size, so that checkpoints write equally often for each layout.
const walBytesMax = 16 * 1024 * 1024;

const columns =
  'table_id INTEGER NOT NULL, pk TEXT NOT NULL, rk TEXT NOT NULL, ticks INTEGER NOT NULL, body TEXT NOT NULL';
const forms = {
  'rowid + index': [
    `CREATE TABLE entities (${columns})`,
    'CREATE UNIQUE INDEX entities_key ON entities (table_id, pk, rk)',
  ],
  'without rowid': [`CREATE TABLE entities (${columns}, PRIMARY KEY (table_id, pk, rk)) WITHOUT ROWID`],
};
const layouts = Object.keys(forms).flatMap((form) => [4, 8, 16].map((pageKb) => ({ form, pageKb })));

const random = seeded(Number(flags.seed));
const scratch = mkdtempSync(join(tmpdir(), 'storage-layout-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const measures = [
  ['get', 'gets/s'],
  ['updateOne', 'updates/s, 1 a commit'],
  ['updateGroup', 'updates/s, 16 a commit'],
  ['page', 'rows/s, pages of 1000'],
  ['short', 'rows/s, ranges of 10'],
  ['delete', 'deletes/s, 16 a commit'],
];

// Each function does a little work and returns the number of entities that it handled.
const work = {
  get({ cell, keys }) {
    const [pk, rk] = pick(keys);
    if (!cell.get.get(tableId, pk, rk)) throw new Error(`lost ${pk} ${rk}`);
    return 1;
  },
  updateOne({ cell, keys, bodies }) {
    const [pk, rk] = pick(keys);
    return cell.update.run(random(1e9), pick(bodies), tableId, pk, rk).changes;
  },
  updateGroup({ cell, keys, bodies }) {
    cell.db.transaction(() => {
      for (let n = 0; n < updateGroup; n++) work.updateOne({ cell, keys, bodies });
    })();
    return updateGroup;
  },
  // Pages start early enough in the table that they are full.
  page: ({ cell, keys }) => cell.page.all(tableId, ...keys[random(keys.length - pageRows)]).length,
  short: ({ cell, keys }) => cell.short.all(tableId, ...pick(keys)).length,
  delete({ cell }) {
    const batch = cell.doomed.splice(-updateGroup);
    cell.db.transaction(() => {
      for (const [pk, rk] of batch) cell.delete.run(tableId, pk, rk);
    })();
    return batch.length;
  },
};

for (const bodyBytes of flags.bodies.split(',').map(Number)) {
  for (const order of flags.orders.split(',')) {
    const cells = runGroup({ bodyBytes, order });
    printGroup({ bodyBytes, order, cells });
  }
}

function runGroup({ bodyBytes, order }) {
  const entities = Math.round(Number(flags.entities) / (bodyBytes >= 4000 ? 2 : 1));
  const keys = makeKeys(entities);
  const bodies = Array.from({ length: 64 }, () => makeBody(bodyBytes));
  const arrival = order === 'ordered' ? keys : shuffled(keys);
  const cells = layouts.map((layout, at) =>
    openCell({ ...layout, file: join(scratch, `${bodyBytes}-${order}-${at}.db`) }),
  );
  loadAll({ cells, arrival, bodies });
  for (const cell of cells) {
    cell.db.pragma('wal_checkpoint(TRUNCATE)');
    cell.bytesAnEntity = statSync(cell.file).size / entities;
  }
  for (const [name] of measures) {
    // Every layout of a group deletes the same keys, and each key only once.
    for (const cell of cells) cell.doomed = shuffled(keys);
    for (let round = 0; round < rounds; round++) {
      for (const cell of inTurn(cells, round)) {
        const rate = rateOf(work[name], { cell, keys, bodies });
        // If flags make a run so small that nothing is left to delete, there is no rate.
        if (rate > 0) cell.rates[name].push(rate);
      }
    }
  }
  for (const cell of cells) {
    cell.db.close();
    for (const tail of ['', '-wal', '-shm']) rmSync(cell.file + tail, { force: true });
  }
  return cells;
}

function openCell({ form, pageKb, file }) {
  const db = new Database(file);
  db.pragma(`page_size = ${pageKb * 1024}`);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma(`cache_size = ${-1024 * Number(flags.cacheMb)}`);
  db.pragma(`wal_autocheckpoint = ${walBytesMax / (pageKb * 1024)}`);
  for (const statement of forms[form]) db.exec(statement);
  return {
    form,
    pageKb,
    file,
    db,
    insert: db.prepare('INSERT INTO entities (table_id, pk, rk, ticks, body) VALUES (?, ?, ?, ?, ?)'),
    get: db.prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND pk = ? AND rk = ?').raw(),
    update: db.prepare('UPDATE entities SET ticks = ?, body = ? WHERE table_id = ? AND pk = ? AND rk = ?'),
    delete: db.prepare('DELETE FROM entities WHERE table_id = ? AND pk = ? AND rk = ?'),
    page: db
      .prepare(`SELECT pk, rk, ticks, body FROM entities
      WHERE table_id = ? AND (pk, rk) > (?, ?) ORDER BY pk, rk LIMIT ${pageRows}`)
      .raw(),
    short: db
      .prepare(`SELECT pk, rk, ticks, body FROM entities
      WHERE table_id = ? AND pk = ? AND rk >= ? ORDER BY rk LIMIT ${shortRows}`)
      .raw(),
    rates: Object.fromEntries(['load', ...measures.map(([name]) => name)].map((name) => [name, []])),
  };
}

function loadAll({ cells, arrival, bodies }) {
  const chunk = Math.ceil(arrival.length / 10);
  for (let from = 0, round = 0; from < arrival.length; from += chunk, round++) {
    const part = arrival.slice(from, from + chunk);
    for (const cell of inTurn(cells, round)) {
      const load = cell.db.transaction((batch) => {
        for (const [pk, rk] of batch) cell.insert.run(tableId, pk, rk, 1, bodies[random(bodies.length)]);
      });
      const began = performance.now();
      for (let at = 0; at < part.length; at += loadBatch) load(part.slice(at, at + loadBatch));
      cell.rates.load.push((part.length * 1000) / (performance.now() - began));
    }
  }
}

function rateOf(step, context) {
  const began = performance.now();
  let done = 0;
  let elapsedMs = 0;
  do {
    const count = step(context);
    if (count === 0) break;
    done += count;
    elapsedMs = performance.now() - began;
  } while (elapsedMs < sliceMs);
  return (done * 1000) / Math.max(elapsedMs, 0.001);
}

function printGroup({ bodyBytes, order, cells }) {
  const titles = ['B an entity', 'loads/s, 100 a commit', ...measures.map(([, title]) => title)];
  console.log(`\n### Bodies of ${bodyBytes} B, ${order} insertion\n`);
  console.log(`| layout | ${titles.join(' | ')} |`);
  console.log(`| --- |${titles.map(() => ' ---: |').join('')}`);
  for (const { form, pageKb, bytesAnEntity, rates } of cells) {
    const figures = [bytesAnEntity, ...['load', ...measures.map(([name]) => name)].map((name) => median(rates[name]))];
    console.log(`| ${form}, ${pageKb} KB | ${figures.map((n) => Math.round(n).toLocaleString('en-US')).join(' | ')} |`);
  }
}

function makeKeys(entities) {
  const names = Array.from({ length: partitions }, (_, at) => `customer-${String(at).padStart(5, '0')}`);
  const rowsEach = Math.ceil(entities / partitions);
  return names
    .flatMap((pk) => Array.from({ length: rowsEach }, (_, at) => [pk, String(at).padStart(12, '0')]))
    .slice(0, entities);
}

// A body of hexadecimal digits in the shape of JSON. For SQLite, only its length matters.
function makeBody(bytes) {
  const head = '"Name":"';
  return `${head}${randomBytes(bytes)
    .toString('hex')
    .slice(0, bytes - head.length - 1)}"`;
}

function pick(list) {
  return list[random(list.length)];
}

function inTurn(cells, round) {
  return cells.map((_, at) => cells[(at + round) % cells.length]);
}

function shuffled(list) {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [copy[at], copy[other]] = [copy[other], copy[at]];
  }
  return copy;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// mulberry32: a small generator with a seed, which scatters keys well enough.
function seeded(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * bound);
  };
}
