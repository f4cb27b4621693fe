// Writes an entity into a running emulator, or reads it again, signed as a client signs:
//   node docker/probe.mjs write|read http://127.0.0.1:10002
import { createHmac } from 'node:crypto';

const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const table = 'keepsakes';
const keepsake = { PartitionKey: 'box', RowKey: 'ring', stone: 'tanzanite' };

const [task, origin] = process.argv.slice(2);

async function send(method, path, body) {
  const date = new Date().toUTCString();
  const text = `${date}\n/${account}/${account}/${path}`;
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  const response = await fetch(`${origin}/${account}/${path}`, {
    method,
    headers: {
      authorization: `SharedKeyLite ${account}:${signature}`,
      'x-ms-date': date,
      'x-ms-version': '2019-02-02',
      accept: 'application/json;odata=nometadata',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
  return JSON.parse(answer);
}

if (task === 'write') {
  await send('POST', 'Tables', { TableName: table });
  await send('POST', table, keepsake);
} else if (task === 'read') {
  const { stone } = await send('GET', `${table}(PartitionKey='box',RowKey='ring')`);
  if (stone !== keepsake.stone) throw new Error(`the entity came back with ${stone}`);
} else {
  throw new Error('say write or read');
}
