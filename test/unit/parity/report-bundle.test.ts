import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/auth/accounts.ts';
import { startEmulator } from '../../../src/index.ts';
import { systemModelTime } from '../../../src/model/time.ts';
import { repeatRecording } from '../../../src/parity/repeat-recording.ts';
import { bundleReport } from '../../../src/parity/report-bundle.ts';
import { batchType, changesetBody } from '../../support/batch-requests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordRequests, runScenario } from './record-scenario.ts';

const folder = temporaryFolder();
const path = join(folder.path, 'scenario.ndjson');
const bundled = join(folder.path, 'report.ndjson');
beforeAll(() => recordRequests(path, runScenario));
afterAll(() => folder.remove());

const all = (): boolean => true;

async function bundle(file: string): Promise<string> {
  const { lines } = await bundleReport(file, all);
  const text = `${lines.join('\n')}\n`;
  writeFileSync(bundled, text);
  return text;
}

describe('A report', () => {
  it('contains no text of an entity, and gets the same responses when it is repeated', async () => {
    const text = await bundle(path);
    expect(text).not.toMatch(/Ada|Bob|Cy\b|Cyd|Eve|Eva/);
    expect(text).toContain('People');
    const { name: account, key } = developmentAccount;
    const emulator = await startEmulator({ port: 0 });
    const { found, requests } = await repeatRecording({
      path: bundled,
      endpoint: { url: `${emulator.url}/${account}`, credential: { kind: 'key', account, key } },
      isOfThisMachine: true,
      prefix: 'try1',
      time: systemModelTime,
      signal: new AbortController().signal,
      onTable: () => undefined,
      onProgress: () => undefined,
    });
    expect(found.causes).toEqual([]);
    expect(found.counts.equal).toBe(requests - 1);
    await emulator.close();
  });

  it('contains the chosen requests, and names the program that recorded them', async () => {
    const { lines, requests } = await bundleReport(path, (number) => number === 4 || number === 6);
    expect(requests).toBe(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      creator: { name: 'Tanzanite' },
      _node: process.version,
      _platform: `${process.platform} ${process.arch}`,
    });
    expect(lines).toHaveLength(3);
  });

  it('from the HTTP archive of another program contains no secret either', async () => {
    const secret = 'c2VjcmV0c2VjcmV0';
    const entry = {
      startedDateTime: '2026-01-01T00:00:00Z',
      request: {
        method: 'GET',
        url: `https://acme.table.core.windows.net/Staff()?sig=${secret}`,
        headers: [{ name: 'Authorization', value: `Bearer ${secret}` }],
      },
      response: {
        status: 200,
        headers: [],
        content: { mimeType: 'application/json', text: `{"value":[{"RowKey":"AccountKey=${secret}"}]}` },
      },
    };
    const file = join(folder.path, 'archive.har');
    writeFileSync(file, JSON.stringify({ log: { entries: [entry] } }));
    const text = await bundle(file);
    expect(text).not.toMatch(new RegExp(`${secret}|acme`));
    expect(text).toContain('account2.table.core.windows.net/Staff()?sig=removed-');
  });

  it('replaces values everywhere, and equal values with the same placeholder', async () => {
    const file = join(folder.path, 'secretive.ndjson');
    const name = 'Käthe O\u2019Hara +50%';
    const refused = `${name}/`;
    await recordRequests(
      file,
      async (client) => {
        const send = (method: string, at: string, body?: string, headers = {}): Promise<unknown> =>
          client.send({ method, path: at, headers, ...(body === undefined ? {} : { body }) });
        const key = encodeURIComponent(name);
        const entity = JSON.stringify({
          PartitionKey: name,
          RowKey: 'r-Meier',
          value: name,
          code: name,
          'Id@odata.type': 'Edm.Guid',
          Id: '9e0ffa7e-3e9a-4a1c-9d5c-1f0f1f0f1f0f',
          'Phone@odata.type': 'Edm.Int64',
          Phone: '491701234567',
          'Photo@odata.type': 'Edm.Binary',
          Photo: 'TWVpZXI=',
          Age: 31,
        });
        await send('POST', '/Tables', '{"TableName":"Staff"}');
        await send('POST', '/Staff', entity);
        await send('POST', '/Staff', `{"PartitionKey":"${name}", broken`);
        await send('POST', '/Staff', entity.replaceAll(name, refused));
        await send('POST', '/Staff', `Meier without any form`);
        await send('GET', `/Staff(PartitionKey='${key}',RowKey='r-Meier')`, undefined, {
          Accept: 'application/json;odata=fullmetadata',
          'User-Agent': 'Meier',
          'x-ms-client-request-id': 'Meier',
        });
        await send(
          'GET',
          `/Staff()?$top=1&$filter=PartitionKey%20eq%20'${key}'%20and%20Id%20eq%20guid'9e0ffa7e-3e9a-4a1c-9d5c-1f0f1f0f1f0f'`,
        );
        await send('GET', `/Staff()?NextPartitionKey=${key}&NextRowKey=Meier`);
        const call = {
          method: 'PUT',
          url: `/devstoreaccount1/Staff(PartitionKey='${key}',RowKey='r-Meier')`,
          body: `{\n  "Name": "Meier",\n  "More": "${name}"\n}`,
        };
        await send('POST', '/$batch', changesetBody([call]), { 'Content-Type': batchType });
        await send('POST', '/$batch', changesetBody([{ ...call, body: 'Meier is not JSON' }]), {
          'Content-Type': batchType,
        });
        await send('GET', '/Staff()', undefined, { Accept: 'application/atom+xml', 'x-ms-version': '2014-02-14' });
        await send(
          'PUT',
          '/Staff?comp=acl',
          '<?xml version="1.0"?><SignedIdentifiers><SignedIdentifier><Id>Meier</Id></SignedIdentifier></SignedIdentifiers>',
          { 'Content-Type': 'application/xml' },
        );
      },
      {
        accounts: [
          { name: 'meierco', keys: ['bWVpZXI='] },
          { name: developmentAccount.name, keys: [developmentAccount.key] },
        ],
      },
    );
    const text = await bundle(file);
    expect(readFileSync(file, 'utf8')).toMatch(/K\u00e4the|K%C3%A4the/);
    expect(text).not.toMatch(/Meier|K(?:\u00e4|%C3%A4|\\u00e4)the|Hara|9e0ffa7e|491701234567|TWVpZXI/i);
    expect(text).toContain('is out of range');
    expect(new Set(text.match(/v\d{3} \u2019 \+%x*(?![x/])/g)).size).toBe(1);
    expect(text).toContain('"Age\\":31');
  });

  const root = 'http://127.0.0.1:1/acme';
  const posted = (text: string, mimeType = 'application/json', url = `${root}/T`): object => ({
    method: 'POST',
    url,
    postData: { mimeType, text },
  });
  it.each<[string, object, object?]>([
    ['key ranges and the policy of a signature', { url: `${root}/T()?sv=1&spk=Meier&erk=Meier2&si=Meier3&sig=x` }],
    ['an unknown option', { url: `${root}/T()?email=Meier%40example.org` }],
    ['a property that is called error', posted('{"error":"Meier","PartitionKey":"p","RowKey":"r"}')],
    ['an element with another prefix', posted('<entry><q:Name>Meier</q:Name><summary>Meier</summary></entry>')],
    ['an element that is called error', posted('<entry><d:error>Meier</d:error></entry>')],
    ['CDATA and comments', posted('<entry><d:Name><![CDATA[Meier]]></d:Name><!-- Meier --></entry>')],
    [
      'a header inside a batch',
      posted(
        '--b\r\nContent-Type: application/http\r\n\r\nGET /acme/T() HTTP/1.1\r\nX-User: Meier\r\n\r\n--b--',
        'multipart/mixed; boundary=b',
        `${root}/$batch`,
      ),
    ],
    ['a 64-bit number of a filter', { url: `${root}/T()?$filter=Phone%20eq%2049170123456L` }],
    ['a key that looks like an address of tables', { url: `${root}/T(PartitionKey='x/Tables(',RowKey='Meier')` }],
    ['a segment behind a table', { url: `${root}/T()/Meier/$value/Meier%2B` }],
    ['another account', { url: `${root}/T()`, headers: [{ name: 'Authorization', value: 'SharedKey meierco:abc=' }] }],
    ['an ETag of another form', { url: `${root}/T()`, headers: [{ name: 'If-Match', value: '"Meier"' }] }],
    ['a parameter of a media type', posted('{}', 'application/json; user=Meier')],
    [
      'a tenant',
      { url: `${root}/T()` },
      { headers: [{ name: 'WWW-Authenticate', value: 'Bearer x=https://h/9e0ffa7e-3e9a-4a1c-9d5c-1f0f1f0f1f0f/y' }] },
    ],
  ])('replaces %s', async (_, request, response = {}) => {
    const entry = {
      startedDateTime: '2026-01-01T00:00:00Z',
      request: { method: 'GET', headers: [], ...request },
      response: { status: 200, headers: [], content: { mimeType: '', text: '' }, ...response },
    };
    const file = join(folder.path, 'odd.har');
    writeFileSync(file, JSON.stringify({ log: { entries: [entry] } }));
    const given = readFileSync(file, 'utf8');
    expect(given).toMatch(/Meier|meierco|9e0ffa7e|49170123456/);
    expect(await bundle(file)).not.toMatch(/Meier|9e0ffa7e|49170123456|acme/i);
  });
});
