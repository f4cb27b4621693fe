// The entities of the query benches and the requests that write, query and change them, as text ready for a socket.
import { account, requestHead } from './sign.mjs';

export const queryTable = 'queries';
export const partitionEntities = 1_000;
export const rangeEntities = 10;
export const pageEntities = 1_000;
export const batchEntities = 100;
const entityBytes = 1_024;
const stampFrom = Date.UTC(2024, 0, 1);
const filler = 'Prefers deliveries before noon; leaves the key with the neighbour. '.repeat(20);

export function queryKey(at, suffix = '') {
  const partition = Math.floor(at / partitionEntities);
  return { pk: `p${String(partition).padStart(4, '0')}`, rk: `${String(at).padStart(12, '0')}${suffix}` };
}

// Exactly entityBytes long, whatever its number, so that one head serves every insert.
export function queryEntity(at, { ratio = 0.5, suffix = '' } = {}) {
  const { pk, rk } = queryKey(at, suffix);
  const properties = {
    PartitionKey: pk,
    RowKey: rk,
    Number: at,
    Label: `label-${at}`,
    Ratio: at + ratio,
    'Stamp@odata.type': 'Edm.DateTime',
    Stamp: `${new Date(stampFrom + at * 1_000).toISOString().slice(0, 19)}.25Z`,
    Text: '',
  };
  const bytes = JSON.stringify(properties).length;
  properties.Text = filler.slice(0, entityBytes - bytes);
  return JSON.stringify(properties);
}

// A hundred entities of each partition in turn, and so on from the start: neither sorted, which would lay a partition out
// in one piece, nor so scattered that no batch could be made of it.
export function batchStarts(entities) {
  const starts = [];
  for (let offset = 0; offset < partitionEntities; offset += batchEntities) {
    for (let first = offset; first < entities; first += partitionEntities) starts.push(first);
  }
  return starts;
}

export function queryInserts({ port, entities }) {
  const starts = batchStarts(entities);
  const { head } = tableHead({ port, method: 'POST', body: queryEntity(0) });
  let taken = 0;
  return () => {
    const start = starts[Math.floor(taken / batchEntities)];
    return head + queryEntity(start + (taken++ % batchEntities));
  };
}

export function queryBatches({ port, entities }) {
  const texts = batchStarts(entities).map((start) => () => queryBatch({ port, start }));
  let at = 0;
  return () => texts[at++]();
}

export function queryBatch({ port, start }) {
  const parts = [];
  for (let at = start; at < start + batchEntities; at++) {
    parts.push({
      method: 'POST',
      path: `/${account}/${queryTable}`,
      prefer: 'return-no-content',
      body: queryEntity(at),
    });
  }
  return batch({ port, parts });
}

// Insert-or-replace of a hundred entities of one partition; with a suffix, of ones that stand behind those.
export function upsertBatch({ port, start, ratio, suffix }) {
  const parts = [];
  for (let at = start; at < start + batchEntities; at++) {
    parts.push({ method: 'PUT', path: entityPath(at, suffix), body: queryEntity(at, { ratio, suffix }) });
  }
  return batch({ port, parts });
}

// Batches of entities that are there already: the table stays as large as it is.
export function replacingBatches({ port, entities }) {
  return () => upsertBatch({ port, start: randomStart(entities), ratio: Math.random() });
}

// Batches of entities that are not there yet, anywhere in the table.
export function addingBatches({ port, entities, mark }) {
  let serial = 0;
  return () =>
    upsertBatch({ port, start: randomStart(entities), ratio: Math.random(), suffix: `-${mark}-${++serial}` });
}

function randomStart(entities) {
  return randomBelow(entities / batchEntities) * batchEntities;
}

// Azurite finds each part's address by its scheme and each part's entity by its braces.
function batch({ port, parts }) {
  const boundary = 'batch_bench';
  const changes = 'changeset_bench';
  const lines = [`--${boundary}`, `Content-Type: multipart/mixed; boundary=${changes}`, ''];
  for (const { method, path, prefer, body } of parts) {
    lines.push(
      `--${changes}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `${method} http://127.0.0.1:${port}${path} HTTP/1.1`,
      'Accept: application/json;odata=minimalmetadata',
      'Content-Type: application/json',
      ...(prefer ? [`Prefer: ${prefer}`] : []),
      'DataServiceVersion: 3.0;',
      '',
      body,
    );
  }
  const body = [...lines, `--${changes}--`, `--${boundary}--`, ''].join('\r\n');
  const head = requestHead({
    method: 'POST',
    path: `/${account}/$batch`,
    port,
    headers: { 'Content-Type': `multipart/mixed; boundary=${boundary}`, 'Content-Length': Buffer.byteLength(body) },
  });
  return head + body;
}

// The ten entities from a random one on, within its partition.
export function rangeQueries({ port, entities, pick = randomBelow }) {
  const ask = queries({ port, table: queryTable });
  return () => {
    const offset = pick(partitionEntities - rangeEntities + 1);
    const from = pick(entities / partitionEntities) * partitionEntities + offset;
    const { pk, rk } = queryKey(from);
    const end = String(from + rangeEntities).padStart(rk.length, '0');
    return ask(filter(`PartitionKey eq '${pk}' and RowKey ge '${rk}' and RowKey lt '${end}'`));
  };
}

// From a random partition on; never from the last one, so that each page is full and has a page after it.
export function pageQueries({ port, entities, pick = randomBelow }) {
  const ask = queries({ port, table: queryTable });
  return () => {
    const { pk } = queryKey(pick(entities / partitionEntities - 1) * partitionEntities);
    return ask(`${filter(`PartitionKey ge '${pk}'`)}&$top=${pageEntities}`);
  };
}

export function partitionMatches({ port, entities, pick = randomBelow }) {
  const ask = queries({ port, table: queryTable });
  return () => {
    const at = pick(entities);
    return ask(filter(`PartitionKey eq '${queryKey(at).pk}' and Number eq ${at}`));
  };
}

export function numberMatches({ port, entities, pick = randomBelow }) {
  const ask = queries({ port, table: queryTable });
  return () => ask(filter(`Number eq ${pick(entities)}`));
}

export function labelMatches({ port, entities, pick = randomBelow }) {
  const ask = queries({ port, table: queryTable });
  return () => ask(filter(`Label eq 'label-${pick(entities)}'`));
}

// Another Ratio for a random entity: no query of these benches sees the difference.
export function replacements({ port, entities }) {
  return () => {
    const at = randomBelow(entities);
    const body = queryEntity(at, { ratio: Math.random() });
    return (
      requestHead({ method: 'PUT', path: entityPath(at), port, headers: { ...bodyHeaders(body), 'If-Match': '*' } }) +
      body
    );
  };
}

// A function from a query to the whole request. One head serves them all, since no signature covers the query.
export function queries({ port, table }) {
  const head = requestHead({ method: 'GET', path: `/${account}/${table}()`, port });
  const pathEnd = head.indexOf(version);
  return (query) => `${head.slice(0, pathEnd)}?${query}${head.slice(pathEnd)}`;
}

export function filter(text) {
  return `$filter=${encodeURIComponent(text)}`;
}

// The request for the page after this answer, or undefined if it was the last.
export function followPages({ request, head }) {
  const partition = continuation(head, 'NextPartitionKey');
  if (partition === undefined) return undefined;
  const row = continuation(head, 'NextRowKey');
  const plain = request.replace(/&Next(?:Partition|Row)Key=[^& ]*/g, '');
  const tokens = `&NextPartitionKey=${partition}${row === undefined ? '' : `&NextRowKey=${row}`}`;
  return plain.replace(version, tokens + version);
}

const version = ' HTTP/1.1';

function continuation(head, name) {
  const found = new RegExp(`\r\nx-ms-continuation-${name}: *([^\r]+)`, 'i').exec(head);
  return found ? encodeURIComponent(found[1]) : undefined;
}

function entityPath(at, suffix) {
  const { pk, rk } = queryKey(at, suffix);
  return `/${account}/${queryTable}(PartitionKey='${pk}',RowKey='${rk}')`;
}

function tableHead({ port, method, body }) {
  const headers = { ...bodyHeaders(body), Prefer: 'return-no-content' };
  return { head: requestHead({ method, path: `/${account}/${queryTable}`, port, headers }) };
}

function bodyHeaders(body) {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}

function randomBelow(limit) {
  return Math.floor(Math.random() * limit);
}
