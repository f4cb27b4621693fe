// Requests of every kind that must be signed, renamed or compared when they are repeated.

import { developmentAccount } from '../../../src/auth/accounts.ts';
import { signAccountSas, signTableSas } from '../../../src/auth/sign-shared-access.ts';
import { startEmulator } from '../../../src/index.ts';
import { batchType, changesetBody } from '../../support/batch-requests.ts';
import { openClient, type TableClient, type WireAnswer, type WireRequest } from '../../support/table-client.ts';

const signer = { account: developmentAccount.name, key: developmentAccount.key };
const expiresMs = (): number => Date.now() + 3_600_000;
const atom = `<?xml version="1.0" encoding="utf-8"?><entry xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><m:properties>`;

/** Headers for Atom. Versions from 2015-12-11 on have only JSON. */
const inAtom = { 'Content-Type': 'application/atom+xml', Accept: 'application/atom+xml', 'x-ms-version': '2014-02-14' };

/** Records the requests that `run` sends in a file. */
export async function recordRequests(
  path: string,
  run: (client: TableClient, emulator: Awaited<ReturnType<typeof startEmulator>>) => Promise<void>,
  options: Parameters<typeof startEmulator>[0] = {},
): Promise<void> {
  const emulator = await startEmulator({ ...options, port: 0, record: path });
  const client = openClient(emulator.url);
  try {
    await run(client, emulator);
  } finally {
    await client.close();
    await emulator.close();
  }
}

export async function runScenario(client: TableClient): Promise<void> {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: WireRequest['headers'] = {},
  ): Promise<WireAnswer> =>
    client.send({
      method,
      path,
      headers,
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
  await send('POST', '/Tables', { TableName: 'People' });
  await send('POST', '/Tables', { TableName: 'people' });
  await send('POST', '/Tables', { TableName: 'a_b' });
  const row = (RowKey: string, more: object = {}): object => ({ PartitionKey: 'p', RowKey, ...more });
  await send(
    'POST',
    '/People',
    row('1', {
      Name: 'Ada',
      Born: '1815-12-10T00:00:00Z',
      'Born@odata.type': 'Edm.DateTime',
      Big: '9007199254740993',
      'Big@odata.type': 'Edm.Int64',
      Share: 0.5,
    }),
  );
  const inserted = await send('POST', '/people', row('2', { Name: 'Bob' }), {
    Accept: 'application/json;odata=fullmetadata',
  });
  await send('POST', '/People', row('2'));
  await send('POST', '/People', '{"PartitionKey":"p"');
  await send('PUT', "/People(PartitionKey='p',RowKey='2')", { Name: 'Cy' }, { 'If-Match': inserted.header('etag') });
  await send('PUT', "/People(PartitionKey='p',RowKey='2')", { Name: 'Cyd' }, { 'If-Match': inserted.header('etag') });
  await send('MERGE', "/People(PartitionKey='p',RowKey='3')", { Name: 'Eve' });
  await send(
    'POST',
    "/People(PartitionKey='p',RowKey='3')",
    { Name: 'Eva' },
    { 'X-HTTP-Method': 'MERGE', 'If-Match': '*' },
  );
  const read = await send('GET', "/People(PartitionKey='p',RowKey='2')");
  const { Timestamp } = JSON.parse(read.body) as { Timestamp: string };
  await send('GET', `/People()?$filter=${encodeURIComponent(`Timestamp ge datetime'${Timestamp}'`)}`);
  let page = await send('GET', '/People()?$top=1');
  for (let pages = 0; pages < 3; pages++) {
    const [partition, key] = ['NextPartitionKey', 'NextRowKey'].map((name) => page.header(`x-ms-continuation-${name}`));
    if (partition === undefined || key === undefined) break;
    page = await send(
      'GET',
      `/People()?$top=1&NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(key)}`,
    );
  }
  const calls = [
    { method: 'POST', url: 'http://127.0.0.1/devstoreaccount1/People', body: JSON.stringify(row('b1')) },
    {
      method: 'PUT',
      url: "/devstoreaccount1/People(PartitionKey='p',RowKey='1')",
      headers: { 'If-Match': '*' },
      body: '{"Name":"Ada L."}',
    },
  ];
  const batch = (body: string): Promise<WireAnswer> => send('POST', '/$batch', body, { 'Content-Type': batchType });
  await batch(changesetBody(calls));
  await batch(changesetBody(calls));
  for (const Accept of ['application/json;odata=nometadata', 'application/json;odata=fullmetadata'])
    await send('GET', '/People()', undefined, { Accept });
  await send('GET', '/People()', undefined, inAtom);
  await send(
    'POST',
    '/People',
    `${atom}<d:PartitionKey>q</d:PartitionKey><d:RowKey>1</d:RowKey></m:properties></content></entry>`,
    inAtom,
  );
  await send('POST', '/Tables', `${atom}<d:TableName>Atoms</d:TableName></m:properties></content></entry>`, inAtom);
  await send('GET', "/Tables('Atoms')");
  await send('GET', '/Tables');
  await send('GET', `/Tables?$filter=${encodeURIComponent("TableName eq 'People'")}`);
  const unsigned = { Authorization: undefined };
  await send(
    'GET',
    `/People()?${signTableSas('People', { permissions: 'r', expiresMs: expiresMs() }, signer)}`,
    undefined,
    unsigned,
  );
  await send(
    'POST',
    `/People?${signTableSas('People', { permissions: 'r', expiresMs: expiresMs() }, signer)}`,
    row('sas'),
    unsigned,
  );
  await send(
    'GET',
    `/Tables?${signAccountSas({ permissions: 'rl', expiresMs: expiresMs() }, signer)}`,
    undefined,
    unsigned,
  );
  await send('GET', '/Tables', undefined, unsigned);
  await send('GET', '/Tables', undefined, { Authorization: 'SharedKeyLite devstoreaccount1:d3Jvbmc=' });
  await client.with({ scheme: 'SharedKey' }).send({ method: 'GET', path: '/People()' });
  await send('PUT', '/People?comp=acl', '<?xml version="1.0"?><SignedIdentifiers/>', {
    'Content-Type': 'application/xml',
  });
  await send('GET', '/People?comp=acl');
  await send('DELETE', "/People(PartitionKey='p',RowKey='b1')", undefined, { 'If-Match': '*' });
  await send('DELETE', "/Tables('%50eople')");
  await send('GET', '/People()');
  await send('POST', '/Tables', { TableName: 'People' });
}
