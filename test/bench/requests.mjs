// Renders the requests of the bench as texts that can be written to a socket. A renderer takes { port, table, entities,
// pick, sas, token }. pick(limit) returns a whole number below the limit. In a measurement, this number is random.
import { batchEntities, entityText, keyOf, partitionEntities } from './entities.mjs';
import { account, requestHead } from './sign.mjs';

export const rangeEntities = 10;

export function pointRead({ port, table, entities, pick, sas, token }) {
  return requestHead({ method: 'GET', path: entityPath({ table, at: pick(entities) }), port, sas, token });
}

// A range of ten entities within a partition, from a chosen entity on.
export function rangeQuery({ entities, pick, ...where }) {
  const offset = pick(partitionEntities - rangeEntities + 1);
  const from = pick(entities / partitionEntities) * partitionEntities + offset;
  const { pk, rk } = keyOf(from);
  const end = String(from + rangeEntities).padStart(rk.length, '0');
  return query({ ...where, filter: `PartitionKey eq '${pk}' and RowKey ge '${rk}' and RowKey lt '${end}'` });
}

// Returns a renderer of queries for a page that begins at a chosen partition. The last partition is never chosen, so
// that each page is full and has a continuation.
export function pageQuery(top) {
  return ({ entities, pick, ...where }) => {
    const { pk } = keyOf(pick(entities / partitionEntities - 1) * partitionEntities);
    return query({ ...where, filter: `PartitionKey ge '${pk}'`, top });
  };
}

export function partitionMatch({ entities, pick, ...where }) {
  const at = pick(entities);
  return query({ ...where, filter: `PartitionKey eq '${keyOf(at).pk}' and Number eq ${at}` });
}

export function tableMatch({ entities, pick, ...where }) {
  return query({ ...where, filter: `Number eq ${pick(entities)}` });
}

export function insert({ port, table, entities, pick }) {
  const body = entityText(pick(entities), { isMarked: true, isNew: true });
  const headers = { ...bodyHeaders(body), Prefer: 'return-no-content' };
  return requestHead({ method: 'POST', path: `/${account}/${table}`, port, headers }) + body;
}

// Insert-or-replace of an existing entity.
export function replace({ port, table, entities, pick }) {
  const at = pick(entities);
  const body = entityText(at, { isMarked: true });
  return requestHead({ method: 'PUT', path: entityPath({ table, at }), port, headers: bodyHeaders(body) }) + body;
}

export function createTable({ port, table, as = account, key }) {
  const body = JSON.stringify({ TableName: table });
  return requestHead({ method: 'POST', path: `/${as}/Tables`, port, headers: bodyHeaders(body), as, key }) + body;
}

export function tableList({ port }) {
  return requestHead({ method: 'GET', path: `/${account}/Tables`, port });
}

export function query({ port, table, filter, top, sas }) {
  const options = [`$filter=${encodeURIComponent(filter)}`, top && `$top=${top}`].filter(Boolean).join('&');
  return requestHead({ method: 'GET', path: `/${account}/${table}()`, query: options, port, sas });
}

export function entityPath({ table, at, suffix }) {
  const { pk, rk } = keyOf(at, suffix);
  return `/${account}/${table}(PartitionKey='${pk}',RowKey='${rk}')`;
}

// Chooses the entity at which a batch starts.
export function pickStart({ entities, pick }) {
  return pick(entities / batchEntities) * batchEntities;
}

function bodyHeaders(body) {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}
