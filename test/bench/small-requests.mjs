// Entities of about 150 B of properties, for the bench that wants very many; under the keys of requests.mjs.
import { keyOf } from './requests.mjs';
import { account, requestHead } from './sign.mjs';

const numberWidth = 9;

// Of one length: the number is told to have as many digits for each.
export function smallEntity(at, { note = 'as first ordered' } = {}) {
  const { pk, rk } = keyOf(at);
  return JSON.stringify({
    PartitionKey: pk,
    RowKey: rk,
    Number: at + 10 ** (numberWidth - 1),
    Label: `label-${String(at).padStart(numberWidth, '0')}`,
    Note: note,
    Remarks: 'Leaves the key with the neighbour; prefers mornings, before ten.',
  });
}

export function smallInserts({ port, table }) {
  let at = 0;
  const body = smallEntity(0);
  const headers = { ...bodyHeaders(body), Prefer: 'return-no-content' };
  const head = requestHead({ method: 'POST', path: `/${account}/${table}`, port, headers });
  return () => head + smallEntity(at++);
}

export function smallReplacements({ port, table, entities }) {
  return () => {
    const at = Math.floor(Math.random() * entities);
    const { pk, rk } = keyOf(at);
    const body = smallEntity(at, { note: 'as changed since' });
    const path = `/${account}/${table}(PartitionKey='${pk}',RowKey='${rk}')`;
    return requestHead({ method: 'PUT', path, port, headers: { ...bodyHeaders(body), 'If-Match': '*' } }) + body;
  };
}

function bodyHeaders(body) {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}
