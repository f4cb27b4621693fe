// Renders entity group transactions of a hundred entities of one partition.
import { batchEntities, entityText, serialMark } from './entities.mjs';
import { entityPath, pickStart } from './requests.mjs';
import { account, requestHead } from './sign.mjs';

// Insert-or-replace of existing entities, so that the size of the table does not change.
export function replaceBatch({ port, table, entities, pick }) {
  const start = pickStart({ entities, pick });
  return batch({ port, parts: partsFrom(start, (at) => replacement({ table, at })) });
}

// Insert-or-replace of new entities, all over the table.
export function addBatch({ port, table, entities, pick }) {
  const start = pickStart({ entities, pick });
  return batch({ port, parts: partsFrom(start, (at) => replacement({ table, at, isNew: true })) });
}

// Inserts, as a client sends them that fills a table.
export function insertBatch({ port, table, entities, pick }) {
  const start = pickStart({ entities, pick });
  const partOf = (at) => insertion({ table, body: entityText(at, { isMarked: true, isNew: true }) });
  return batch({ port, parts: partsFrom(start, partOf) });
}

// Returns a batch that loads entities before a measurement. The batch inserts the entities from number `start` on.
// textOf(at) renders one entity.
export function loadBatch({ port, table, start, textOf }) {
  return batch({ port, parts: partsFrom(start, (at) => insertion({ table, body: textOf(at) })) });
}

function partsFrom(start, partOf) {
  return Array.from({ length: batchEntities }, (_, index) => partOf(start + index));
}

function replacement({ table, at, isNew = false }) {
  const path = entityPath({ table, at, suffix: isNew ? `-${serialMark}` : '' });
  return { method: 'PUT', path, body: entityText(at, { isMarked: true, isNew }) };
}

function insertion({ table, body }) {
  return { method: 'POST', path: `/${account}/${table}`, prefer: 'return-no-content', body };
}

// Azurite recognises the address of a part by its scheme, and the entity of a part by its braces.
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
  const headers = {
    'Content-Type': `multipart/mixed; boundary=${boundary}`,
    'Content-Length': Buffer.byteLength(body),
  };
  return requestHead({ method: 'POST', path: `/${account}/$batch`, port, headers }) + body;
}
