// A minimal server that shows the ceiling: the highest rate that this machine can reach with the same tools. The server
// is bare Fastify with one wildcard route. For each request, the server computes one HMAC, runs one prepared statement,
// and sends the bytes of a sample answer from Tanzanite. In the answer to a query, the stored texts of the entities
// replace the entities of the sample. The server does not know OData, and recognises queries by parts of their
// addresses. servers.mjs runs it as: node ceiling.mjs <location> <samples.json>
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { hmac } from '../support/sign.mjs';
import { batchEntities, batchStarts, keyOf } from './entities.mjs';
import { account, accountSasText } from './sign.mjs';

const [location, samplesFile] = process.argv.slice(2);
const { entities, read, insert, range, page } = JSON.parse(readFileSync(samplesFile, 'utf8'));
const scheme = `SharedKeyLite ${account}:`;
const readTable = 1;
const queryTable = 2;
const insertTables = new Map();

const db = new Database(join(location, 'ceiling.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.pragma('cache_size = -65536'); // the same as Tanzanite's, so that a smaller cache does not slow the ceiling
db.exec(`CREATE TABLE entities (table_id INTEGER NOT NULL, pk TEXT NOT NULL, rk TEXT NOT NULL, ticks INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE UNIQUE INDEX entities_key ON entities (table_id, pk, rk)`);
const getEntity = db.prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND pk = ? AND rk = ?').raw();
const addEntity = db.prepare('INSERT INTO entities (table_id, pk, rk, ticks, body) VALUES (?, ?, ?, ?, ?)');
// As in Tanzanite, the statement returns plain columns, and JavaScript joins the texts.
const queryRange = db
  .prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND pk = ? AND rk >= ? AND rk < ? ORDER BY pk, rk')
  .raw();
const queryPage = db
  .prepare('SELECT ticks, body FROM entities WHERE table_id = ? AND (pk, rk) >= (?, ?) ORDER BY pk, rk LIMIT ?')
  .raw();
const feeds = { range: frameOf(range), page: frameOf(page) };
fillTable({ table: readTable, sample: read.body });
fillTable({ table: queryTable, sample: feeds.range.item });

const server = fastify({ logger: false });
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
server.all('*', (request, reply) => {
  const { method, url } = request.raw;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  reply.hijack();
  if (!isSigned({ raw: request.raw, path, queryAt })) reply.raw.writeHead(403).end();
  else if (url.includes('$filter=')) answerQuery(url, reply.raw);
  else if (method === 'GET') answerRead(path, reply.raw);
  else answerInsert(path, request.body, reply.raw);
});
await server.listen({ port: 0, host: '127.0.0.1' });
console.log(`ceiling is listening at http://127.0.0.1:${server.server.address().port}`);

function isSigned({ raw: { headers, url }, path, queryAt }) {
  const { authorization } = headers;
  if (authorization) return authorization === scheme + hmac(`${headers['x-ms-date']}\n/${account}${path}`);
  const clauses = Object.fromEntries(new URLSearchParams(url.slice(queryAt + 1)));
  return clauses.sig === hmac(accountSasText(clauses));
}

function answerRead(path, raw) {
  const pkFrom = path.indexOf("='") + 2;
  const pkTo = path.indexOf("'", pkFrom);
  const rkFrom = path.indexOf("='", pkTo) + 2;
  const row = getEntity.get(readTable, path.slice(pkFrom, pkTo), path.slice(rkFrom, path.length - 2));
  raw.writeHead(read.status, read.headers).end(row[1]);
}

function answerQuery(url, raw) {
  const literals = url.split("'");
  const top = /\$top=(\d+)/.exec(url);
  if (top) answerFeed(feeds.page, queryPage.all(queryTable, literals[1], '', Number(top[1])), raw);
  else answerFeed(feeds.range, queryRange.all(queryTable, literals[1], literals[3], literals[5]), raw);
}

function answerFeed({ status, headers, start, tellsLength }, rows, raw) {
  const body = `${start}${rows.map((row) => row[1]).join(',')}]}`;
  const length = tellsLength ? ['Content-Length', String(Buffer.byteLength(body))] : [];
  raw.writeHead(status, [...headers, ...length]).end(body);
}

function answerInsert(path, body, raw) {
  const entity = JSON.parse(body);
  addEntity.run(insertTableOf(path), entity.PartitionKey, entity.RowKey, 1, body);
  raw.writeHead(insert.status, insert.headers).end();
}

function insertTableOf(path) {
  if (!insertTables.has(path)) insertTables.set(path, queryTable + 1 + insertTables.size);
  return insertTables.get(path);
}

// Every row has the complete text of the sample with its own keys, so that the stored text is the answer.
function fillTable({ table, sample }) {
  const { PartitionKey: pk, RowKey: rk } = JSON.parse(sample);
  db.transaction(() => {
    for (const start of batchStarts(entities)) {
      for (let at = start; at < start + batchEntities; at++) {
        const key = keyOf(at);
        const text = sample.replace(`"${pk}"`, `"${key.pk}"`).replace(`"${rk}"`, `"${key.rk}"`);
        addEntity.run(table, key.pk, key.rk, 1, text);
      }
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

// Returns the parts of a sample: the text before the first entity, and the text of the first entity. Leaves out the
// Content-Length header, because it is computed for each answer.
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
