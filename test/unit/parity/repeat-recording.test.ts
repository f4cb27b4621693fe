import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/auth/accounts.ts';
import { Unreachable } from '../../../src/data/send-request.ts';
import { startEmulator } from '../../../src/index.ts';
import { systemModelTime } from '../../../src/model/time.ts';
import type { Cause } from '../../../src/parity/found-differences.ts';
import { type Repetition, repeatRecording, TablesLeft } from '../../../src/parity/repeat-recording.ts';
import { openClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type PassedResponse, plantServer } from './planted-server.ts';
import { recordRequests, runScenario } from './record-scenario.ts';

const folder = temporaryFolder();
const path = join(folder.path, 'scenario.ndjson');
let target: Awaited<ReturnType<typeof startEmulator>>;
beforeAll(async () => {
  await recordRequests(path, runScenario);
  target = await startEmulator({ port: 0 });
});
afterAll(async () => {
  await target.close();
  folder.remove();
});

interface Repeating {
  readonly file?: string;
  readonly isOfThisMachine?: boolean;
  readonly prefix?: string;
  readonly signal?: AbortSignal;
}

function repeat(
  url: string,
  { file = path, isOfThisMachine = true, prefix = 'try1', signal = new AbortController().signal }: Repeating = {},
): Promise<Repetition> {
  const { name: account, key } = developmentAccount;
  return repeatRecording({
    path: file,
    endpoint: { url: `${url}/${account}`, credential: { kind: 'key', account, key } },
    isOfThisMachine,
    prefix,
    time: { ...systemModelTime, after: (_, run) => systemModelTime.after(0, run) },
    signal,
    onTable: () => undefined,
    onProgress: () => undefined,
  });
}

const shown = (causes: readonly Cause[]): string[] =>
  causes.map(({ passing, cause, count }) => `${count} ${passing}: ${cause}`);

async function tablesAt(url: string): Promise<unknown> {
  const client = openClient(url);
  const { body } = await client.send({
    method: 'GET',
    path: '/Tables',
    headers: { Accept: 'application/json;odata=nometadata' },
  });
  await client.close();
  return JSON.parse(body);
}

describe('A recording that is repeated against the same version', () => {
  it('gets the same responses, even if other tables exist there, and leaves no table', async () => {
    const client = openClient(target.url);
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"People"}' });
    await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Others"}' });
    const { found, program, requests } = await repeat(target.url);
    expect(shown(found.causes)).toEqual([]);
    expect(found.notRepeated).toEqual([
      {
        reason: 'its signature was refused, and signatures are not in a recording',
        count: 1,
        numbers: [expect.any(Number)],
      },
    ]);
    expect(found.counts).toMatchObject({ equal: requests - 1, differing: 0, following: 0 });
    expect(requests).toBeGreaterThan(35);
    expect(program).toMatch(/^Tanzanite \d/);
    expect(await tablesAt(target.url)).toEqual({ value: [{ TableName: 'Others' }, { TableName: 'People' }] });
    for (const name of ['People', 'Others'])
      await client.send({ method: 'DELETE', path: `/Tables('${name}')`, headers: { 'If-Match': '*' } });
    await client.close();
  });

  it('does not touch a table without the prefix, however its name is written', async () => {
    const planted = await plantServer(target.url, (_, response) => response);
    await repeat(planted.url, { prefix: 'Pre' });
    const named = planted.requests.map(({ url }) => decodeURIComponent(url)).filter((url) => /people|atoms/i.test(url));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((url) => !/\/Pre(?:People|people|Atoms)|'Pre(?:People|Atoms)'/.test(url))).toEqual([]);
    await planted.close();
  });

  it('may replace data by a reset: the tables after the reset get separate names', async () => {
    const file = join(folder.path, 'reset.ndjson');
    await recordRequests(file, async (client, emulator) => {
      for (let round = 0; round < 3; round++) {
        await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"People"}' });
        await client.send({ method: 'POST', path: '/People', body: '{"PartitionKey":"p","RowKey":"r"}' });
        await client.send({ method: 'GET', path: '/Tables' });
        await emulator.reset();
      }
    });
    const { found } = await repeat(target.url, { file });
    expect(shown(found.causes)).toEqual([]);
    expect(found.counts.equal).toBe(9);
    expect(await tablesAt(target.url)).toEqual({ value: [] });
  });

  it('may begin with tables that existed before: they are created, and removed afterwards', async () => {
    const file = join(folder.path, 'earlier.ndjson');
    await recordRequests(file, async (client) => {
      await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"People"}' });
      await client.send({ method: 'POST', path: '/People', body: '{"PartitionKey":"p","RowKey":"r"}' });
      await client.send({ method: 'DELETE', path: "/Tables('People')" });
    });
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], ...lines.slice(2)].join('\n'));
    const { found, earlierTables } = await repeat(target.url, { file });
    expect(shown(found.causes)).toEqual([]);
    expect([found.counts.equal, earlierTables]).toEqual([2, 1]);
  });

  it('keeps accounts apart that have tables of the same name', async () => {
    const file = join(folder.path, 'accounts.ndjson');
    await recordRequests(file, async (client, emulator) => {
      for (let round = 0; round < 2; round++) {
        const { name, key } = emulator.account();
        const own = client.with({ prefix: `/${name}`, account: name, key });
        await own.send({ method: 'POST', path: '/Tables', body: '{"TableName":"People"}' });
        await own.send({ method: 'GET', path: '/Tables' });
      }
    });
    const { found } = await repeat(target.url, { file });
    expect(shown(found.causes)).toEqual([]);
    expect(found.counts.equal).toBe(4);
  });

  it('restores the service properties', async () => {
    const file = join(folder.path, 'properties.ndjson');
    const properties = (days: number): string =>
      `<?xml version="1.0"?><StorageServiceProperties><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>${days}</Days></RetentionPolicy></HourMetrics></StorageServiceProperties>`;
    const about = { path: '/?restype=service&comp=properties', headers: { 'Content-Type': 'application/xml' } };
    await recordRequests(file, async (client) => {
      await client.send({ method: 'PUT', ...about, body: properties(3) });
      await client.send({ method: 'GET', ...about });
    });
    const client = openClient(target.url);
    await client.send({ method: 'PUT', ...about, body: properties(9) });
    const { found } = await repeat(target.url, { file });
    expect(shown(found.causes)).toEqual([]);
    expect((await client.send({ method: 'GET', ...about })).body).toContain('<Days>9</Days>');
    await client.close();
    const elsewhere = await repeat(target.url, { file, isOfThisMachine: false });
    expect(elsewhere.found.notRepeated).toMatchObject([{ count: 2 }]);
  });
});

describe('A planted difference is found, and nothing else:', () => {
  const withHeader = (response: PassedResponse, wanted: string, value?: string): PassedResponse => {
    const at = response.headers.findIndex((name) => name.toLowerCase() === wanted);
    if (at !== -1) response.headers.splice(at, 2, ...(value === undefined ? [] : [wanted, value]));
    return response;
  };
  const replaced = (response: PassedResponse, from: string, to: string): PassedResponse => ({
    ...response,
    body: Buffer.from(response.body.toString().replaceAll(from, to)),
  });
  it.each<[string, (response: PassedResponse) => PassedResponse, RegExp]>([
    [
      'a header that is missing',
      (response) => withHeader(response, 'cache-control'),
      /^header cache-control is missing there$/,
    ],
    [
      'a header of another value',
      (response) => withHeader(response, 'x-content-type-options', 'other'),
      /^header x-content-type-options has a different value$/,
    ],
    [
      'a number of another form',
      (response) => replaced(response, '"Share":0.5', '"Share":5e-1'),
      /a number is written differently$/,
    ],
    [
      'an Int64 beyond the numbers of JavaScript',
      (response) => replaced(response, '9007199254740993', '9007199254740992'),
      /a property has a different value$/,
    ],
    [
      'a property that is missing',
      (response) => replaced(response, '"Name":"Ada",', ''),
      /a property is missing there$/,
    ],
    [
      'an ETag of another form',
      (response) => withHeader(response, 'etag', '"0x8D"'),
      /header etag has a different form$/,
    ],
    [
      'a message of another text',
      (response) => replaced(response, 'already exists', 'exists'),
      /message of \w+ differs$/,
    ],
    [
      'an address of another host',
      (response) => replaced(response, '"odata.id":"http://127', '"odata.id":"http://128'),
      /odata\.id differs$/,
    ],
    [
      'a property of Atom',
      (response) => replaced(response, '<d:Name>Ada L.</d:Name>', '<d:Name>Ada</d:Name>'),
      /a property has a different value$/,
    ],
  ])('%s', async (_, plant, expected) => {
    const planted = await plantServer(target.url, (__, response) => plant(response));
    const { found } = await repeat(planted.url);
    expect(found.causes.length).toBeGreaterThan(0);
    expect(found.causes.filter(({ cause }) => !expected.test(cause))).toEqual([]);
    await planted.close();
  });

  it('a write that fails there; its consequences are counted separately', async () => {
    const planted = await plantServer(target.url, ({ method, url }, response) =>
      method === 'PUT' && url.includes("RowKey='2'")
        ? {
            ...response,
            status: 501,
            body: Buffer.from('{"odata.error":{"code":"NotImplemented","message":{"lang":"en-US","value":"no"}}}'),
          }
        : response,
    );
    const { found } = await repeat(planted.url);
    expect(shown(found.causes)).toEqual(['1 only recorded: status 204, there 501 NotImplemented']);
    expect(found.causes[0]?.examples[0]).toMatchObject({ request: "PUT People(PartitionKey='p',RowKey='2')" });
    await planted.close();
  });

  it('a version that keeps the name of a deleted table', async () => {
    const other = await startEmulator({ port: 0, tableDeleteDelayMs: 40_000 });
    const { found } = await repeat(other.url);
    expect(shown(found.causes)).toEqual(['1 only recorded: status 201, there 409 TableBeingDeleted']);
    await other.close();
  });
});

describe('A repetition ends, and says so, if the server', () => {
  it('disappears in between: the remaining tables are named', async () => {
    let count = 0;
    const planted = await plantServer(target.url, (_, response) => (++count > 5 ? undefined : response));
    const controller = new AbortController();
    const run = repeat(planted.url, { signal: controller.signal, prefix: 'gone' });
    const outcome = run.catch((error: unknown) => error);
    while (count < 6) await new Promise<void>((resolve) => setImmediate(resolve));
    await planted.close();
    const error = await outcome;
    expect(error).toBeInstanceOf(TablesLeft);
    expect((error as TablesLeft).tables).toEqual(['gonepeople']);
    expect((error as TablesLeft).cause).toBeInstanceOf(Unreachable);
    controller.abort();
  });

  it('never answers, and the run is interrupted', async () => {
    const planted = await plantServer(target.url, ({ url }, response) =>
      url.includes('$batch') ? undefined : response,
    );
    const controller = new AbortController();
    const run = repeat(planted.url, { signal: controller.signal, prefix: 'halt' }).catch((error: unknown) => error);
    while (!planted.requests.some(({ url }) => url.includes('$batch')))
      await new Promise<void>((resolve) => setImmediate(resolve));
    controller.abort(new Error('interrupted'));
    expect(await run).toMatchObject({ message: 'interrupted' });
    expect(await tablesAt(target.url)).toMatchObject({ value: [{ TableName: 'gonePeople' }] });
    await planted.close();
  });
});

describe('A hostile recording', () => {
  const head = '{"version":"1.2","creator":{"name":"Tanzanite","version":"1"}}';
  const entry = (request: object, response: object = {}): string =>
    JSON.stringify({
      startedDateTime: '2026-01-01T00:00:00.000Z',
      request: { method: 'GET', url: 'http://h/devstoreaccount1/Tables', headers: [], ...request },
      response: { status: 200, headers: [], content: { mimeType: '' }, ...response },
    });
  const file = join(folder.path, 'hostile.ndjson');
  const written = (...lines: string[]): string => {
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };

  it.each<[string, string[], RegExp]>([
    ['is empty', [''], /is neither|is empty/],
    ['is something else', ['{"a":1}'], /is neither a recording of the emulator nor an HTTP archive/],
    ['has a line that is not JSON', [head, '{"a":', entry({})], /has no JSON in line 2/],
    ['has an entry without headers', [head, entry({ headers: 'x' })], /line 2 is not an entry .*: headers/],
    [
      'has an address of another kind',
      [head, entry({ url: 'file:///etc/passwd' })],
      /request\.url is not an absolute address/,
    ],
    ['has a method with a line break', [head, entry({ method: 'GET /x HTTP/1.1\r\nA: b' })], /request\.method/],
    ['has null in place of an entry', [head, 'null'], /startedDateTime/],
  ])('that %s is refused', async (_, lines, message) => {
    await expect(repeat(target.url, { file: written(...lines) })).rejects.toThrow(message);
  });

  it('is repeated as far as possible, with limited effort', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    const lines = [
      entry({ url: 'http://h/devstoreaccount1/Tables\u0000' }),
      entry({ headers: [{ name: 'x-a', value: 'b\r\nHost: other' }] }),
      entry({ method: 'DELETE', url: "http://h/devstoreaccount1/Tables('a'b')" }, { status: 400 }),
      entry({}, { content: { mimeType: 'application/json', text: deep } }),
      entry({ url: 'http://h/' }),
      entry({ url: `http://h/devstoreaccount1/People()?sig=%zz&tn=People` }),
      entry(
        { method: 'POST', postData: { mimeType: 'application/json', text: '{"\\u0054ableName":"People"}' } },
        { status: 201 },
      ),
      entry({}, { status: 0 }),
      `${entry({}).slice(0, -1)},"_fault":"busy"}`,
      entry(
        {
          method: 'POST',
          url: 'http://h/devstoreaccount1/$batch',
          headers: [{ name: 'content-type', value: 'multipart/mixed; boundary=a' }],
          postData: { mimeType: '', text: 'GET '.repeat(50_000) },
        },
        { status: 202 },
      ),
    ];
    const { found, requests } = await repeat(target.url, { file: written(head, ...lines, '{"torn":') });
    expect(requests).toBe(lines.length);
    const { equal, differing, following } = found.counts;
    const skipped = found.notRepeated.reduce((sum, { count }) => sum + count, 0);
    expect(equal + differing + following + skipped).toBe(lines.length);
    expect(skipped).toBeGreaterThanOrEqual(7);
    expect(await tablesAt(target.url)).toMatchObject({ value: [{ TableName: 'gonePeople' }] });
  });

  it('may be an HTTP archive of another program', async () => {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);
    const archive = join(folder.path, 'archive.har');
    writeFileSync(
      archive,
      JSON.stringify(
        { log: { creator: { name: 'proxy', version: '1' }, entries: lines.map((line) => JSON.parse(line)) } },
        undefined,
        2,
      ),
    );
    const { found, program } = await repeat(target.url, { file: archive });
    expect(shown(found.causes)).toEqual([]);
    expect(program).toBe("the server of proxy's archive");
  });
});
