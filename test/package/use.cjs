// Uses the library as a test would, with only Node and however the library was loaded.
const { createHmac } = require('node:crypto');

async function send({ name, key, url }, { method, path, body }) {
  const address = new URL(`${url}/${path}`);
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${date}\n/${name}${address.pathname}`)
    .digest('base64');
  const headers = {
    'x-ms-date': date,
    'x-ms-version': '2019-02-02',
    authorization: `SharedKeyLite ${name}:${signature}`,
    accept: 'application/json;odata=nometadata',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return fetch(address, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** Creates a table in a new account, writes an entity and reads it. Throws if something is wrong. */
exports.use = async ({ startEmulator }) => {
  const emulator = await startEmulator();
  try {
    const account = emulator.account();
    const rex = { PartitionKey: 'dog', RowKey: 'rex', age: 3 };
    const made = await send(account, { method: 'POST', path: 'Tables', body: { TableName: 'pets' } });
    const put = await send(account, { method: 'POST', path: 'pets', body: rex });
    const found = await (await send(account, { method: 'GET', path: 'pets()' })).json();
    const said = `${made.status} ${put.status} ${found.value?.[0]?.age}`;
    if (said !== '201 201 3') throw new Error(`answered ${said}: ${JSON.stringify(found)}`);
    return said;
  } finally {
    await emulator.close();
  }
};
