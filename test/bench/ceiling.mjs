// The ceiling: what this machine can answer at all with the same tools. Bare Fastify with one wildcard route; for each request
// one HMAC, one prepared statement, and the bytes that Tanzanite answered to a sample request; a query's answer is the stored
// texts, joined, in the sample's frame. It knows nothing of OData: its queries are told apart by what their addresses hold.
// Run by servers.mjs as: node ceiling.mjs <location> <samples.json>
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { batchEntities, batchStarts, pageEntities, queryKey } from './query-requests.mjs';
import { keyOf } from './requests.mjs';
import { account, accountKey } from './sign.mjs';

const [location, samplesFile] = process.argv.slice(2);
const { entities, read, insert, range, page } = JSON.parse(readFileSync(samplesFile, 'utf8'));
const scheme = `SharedKeyLite ${account}:`;
const tables = new Map();

const db = new Database(join(location, 'ceiling.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.pragma('cache_size = -65536'); // as Tanzanite has it: the ceiling must not lose to a smaller cache
db.exec(`CREATE TABLE entities (table_id INTEGER NOT NULL, pk TEXT NOT NULL, rk TEXT NOT NULL, ticks INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE UNIQUE INDEX entities_key ON entities (table_id, pk, rk)`);
const getEntity = db.prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND pk = ? AND rk = ?').raw();
const addEntity = db.prepare('INSERT INTO entities (table_id, pk, rk, ticks, body) VALUES (?, ?, ?, ?, ?)');
// As Tanzanite asks it: in plain columns, and the texts joined in JavaScript.
const queryRange = db
  .prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND pk = ? AND rk >= ? AND rk < ? ORDER BY pk, rk')
  .raw();
const queryPage = db
  .prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND (pk, rk) >= (?, ?) ORDER BY pk, rk LIMIT ?')
  .raw();
const feeds = { range: range && frameOf(range), page: page && frameOf(page) };
if (read) fillTable();
if (range) fillQueryTable();

const server = fastify({ logger: false });
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
server.all('*', (request, reply) => {
  const { method, url, headers } = request.raw;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const signed = createHmac('sha256', accountKey)
    .update(`${headers['x-ms-date']}\n/${account}${path}`)
    .digest('base64');
  reply.hijack();
  if (headers.authorization !== scheme + signed) reply.raw.writeHead(403).end();
  else if (queryAt >= 0) answerQuery(url, reply.raw);
  else if (method === 'GET') answerRead(url, reply.raw);
  else answerInsert(url, request.body, reply.raw);
});
await server.listen({ port: 0, host: '127.0.0.1' });
console.log(`ceiling is listening at http://127.0.0.1:${server.server.address().port}`);

function answerRead(url, raw) {
  const pkFrom = url.indexOf("='") + 2;
  const pkTo = url.indexOf("'", pkFrom);
  const rkFrom = url.indexOf("='", pkTo) + 2;
  const row = getEntity.get(1, url.slice(pkFrom, pkTo), url.slice(rkFrom, url.length - 2));
  raw.writeHead(read.status, read.headers).end(row[1]);
}

function answerQuery(url, raw) {
  const literals = url.split("'");
  if (url.includes('$top=')) answerFeed(feeds.page, queryPage.all(1, literals[1], '', pageEntities), raw);
  else answerFeed(feeds.range, queryRange.all(1, literals[1], literals[3], literals[5]), raw);
}

function answerFeed({ status, headers, start, tellsLength }, rows, raw) {
  const body = `${start}${rows.map((row) => row[1]).join(',')}]}`;
  const length = tellsLength ? ['Content-Length', String(Buffer.byteLength(body))] : [];
  raw.writeHead(status, [...headers, ...length]).end(body);
}

function answerInsert(url, body, raw) {
  const entity = JSON.parse(body);
  addEntity.run(tableIdOf(url), entity.PartitionKey, entity.RowKey, 1, body);
  raw.writeHead(insert.status, insert.headers).end();
}

function tableIdOf(url) {
  if (!tables.has(url)) tables.set(url, tables.size + 2);
  return tables.get(url);
}

// Every row carries the sample's whole text under its own keys, so that an answer is the row as it stands.
function fillTable() {
  const { pk, rk } = keyOf(0);
  db.transaction(() => {
    for (let at = 0; at < entities; at++) {
      const key = keyOf(at);
      addEntity.run(
        1,
        key.pk,
        key.rk,
        1,
        read.body.replace(`"${pk}"`, `"${key.pk}"`).replace(`"${rk}"`, `"${key.rk}"`),
      );
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

function fillQueryTable() {
  const sample = feeds.range.item;
  const { PartitionKey: pk, RowKey: rk } = JSON.parse(sample);
  db.transaction(() => {
    for (const start of batchStarts(entities)) {
      for (let at = start; at < start + batchEntities; at++) {
        const key = queryKey(at);
        const text = sample.replace(`"${pk}"`, `"${key.pk}"`).replace(`"${rk}"`, `"${key.rk}"`);
        addEntity.run(1, key.pk, key.rk, 1, text);
      }
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

// What stands before the first entity of a sample, and that entity's text. A length is told anew for each answer, if at all.
function frameOf({ status, headers, body }) {
  const opening = '"value":[';
  const itemsAt = body.indexOf(opening) + opening.length;
  const isLength = (_, at) => /^content-length$/i.test(headers[at - (at % 2)]);
  return {
    status,
    headers: headers.filter((text, at) => !isLength(text, at)),
    tellsLength: headers.some(isLength),
    start: body.slice(0, itemsAt),
    item: body.slice(itemsAt, body.indexOf('},{') + 1),
  };
}
