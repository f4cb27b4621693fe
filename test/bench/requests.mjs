// The entities of the benches and the requests that write and read them, as text ready for a socket.
import { account, requestHead } from './sign.mjs';

const partitions = 200;

export function keyOf(at) {
  return { pk: `customer-${String(at % partitions).padStart(4, '0')}`, rk: String(at).padStart(12, '0') };
}

// Seven properties and about 0.5 KB; of one length, so that only the head of an insert names it.
export function entityText(at) {
  const { pk, rk } = keyOf(at);
  return JSON.stringify({
    PartitionKey: pk,
    RowKey: rk,
    Name: 'Ottilie Wildermuth',
    Address: 'Neckarhalde 24, 72070 Tuebingen, second floor, bell on the left',
    Visits: 4711,
    Balance: 1234.5,
    Active: true,
    'Since@odata.type': 'Edm.DateTime',
    Since: '2024-05-01T10:00:00.25Z',
    Remarks: 'Prefers deliveries before noon; leaves the key with the neighbour. '.repeat(3).trim(),
  });
}

export function createTable({ port, table }) {
  const body = JSON.stringify({ TableName: table });
  return requestHead({ method: 'POST', path: `/${account}/Tables`, port, headers: bodyHeaders(body) }) + body;
}

// One head serves every insert of a slice: the path, and so the signature, is that of the table.
export function inserts({ port, table, from = 0 }) {
  let at = from;
  const head = requestHead({
    method: 'POST',
    path: `/${account}/${table}`,
    port,
    headers: { ...bodyHeaders(entityText(from)), Prefer: 'return-no-content' },
  });
  return () => head + entityText(at++);
}

export function pointReads({ port, table, entities }) {
  const texts = Array.from({ length: entities }, (_, at) => {
    const { pk, rk } = keyOf(at);
    return requestHead({ method: 'GET', path: `/${account}/${table}(PartitionKey='${pk}',RowKey='${rk}')`, port });
  });
  return () => texts[Math.floor(Math.random() * entities)];
}

export function tableList({ port }) {
  return requestHead({ method: 'GET', path: `/${account}/Tables`, port });
}

function bodyHeaders(body) {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}
