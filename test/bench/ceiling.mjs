// The ceiling: what this machine can answer at all with the same tools. Bare Fastify with one wildcard route; for each request
// one HMAC, one prepared statement, and the bytes that Tanzanite answered to a sample request. It knows nothing of OData.
// Run by servers.mjs as: node ceiling.mjs <location> <samples.json>
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { keyOf } from './requests.mjs';
import { account, accountKey } from './sign.mjs';

const [location, samplesFile] = process.argv.slice(2);
const { entities, read, insert } = JSON.parse(readFileSync(samplesFile, 'utf8'));
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
if (read) fillTable();

const server = fastify({ logger: false });
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
server.all('*', (request, reply) => {
  const { method, url, headers } = request.raw;
  const signed = createHmac('sha256', accountKey).update(`${headers['x-ms-date']}\n/${account}${url}`).digest('base64');
  reply.hijack();
  if (headers.authorization !== scheme + signed) reply.raw.writeHead(403).end();
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
