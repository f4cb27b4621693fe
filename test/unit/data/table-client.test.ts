import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTableClient } from '../../../src/data/open-table-client.ts';
import { Unreachable } from '../../../src/data/send-request.ts';
import { NoTableService, ServiceRefusal } from '../../../src/data/table-client.ts';
import type { TableEndpoint } from '../../../src/data/table-endpoint.ts';
import type { EdmValue } from '../../../src/model/edm.ts';
import { systemModelTime } from '../../../src/model/time.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';

const service = await startService();
const credential = { kind: 'key', account: 'devstoreaccount1', key: developmentKey } as const;
const client = openTableClient({ url: service.base, credential }, systemModelTime);

async function all<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[][]> {
  const found: Item[][] = [];
  for await (const page of pages) found.push([...page]);
  return found;
}

const text = (value: string): EdmValue => ({ type: 'Edm.String', value });

describe('a client of tables', () => {
  it('writes entities as it reads them, with every type and any key', async () => {
    await client.createTable('typed');
    const properties = new Map<string, EdmValue>([
      ['big', { type: 'Edm.Int64', value: 9_007_199_254_740_993n }],
      ['ratio', { type: 'Edm.Double', value: 5 }],
      ['raw', { type: 'Edm.Binary', value: Buffer.from([0, 255]) }],
      ['text', text('\u0000"\\ü\u{1f600}')],
    ]);
    const key = { partitionKey: "it's 100 % ü&=", rowKey: '' };
    await client.upsertEntity('typed', key, { mode: 'replace', properties });
    const row = await client.getEntity('typed', key);
    expect([...row].filter(([name]) => properties.has(name))).toEqual([...properties]);
    expect([row.get('PartitionKey'), row.get('RowKey')]).toEqual([text(key.partitionKey), text('')]);

    await client.upsertEntity('typed', key, { mode: 'merge', properties: new Map([['more', text('x')]]) });
    expect((await client.getEntity('typed', key)).size).toBe(row.size + 1);
    await client.upsertEntity('typed', key, { mode: 'replace', properties: new Map() });
    expect([...(await client.getEntity('typed', key)).keys()]).toEqual(['PartitionKey', 'RowKey', 'Timestamp']);
    await client.deleteEntity('typed', key);
    await expect(client.getEntity('typed', key)).rejects.toMatchObject({ status: 404, code: 'ResourceNotFound' });
  });

  it('follows continuations to the end, or up to top', async () => {
    await client.createTable('many');
    const keys = Array.from({ length: 1_005 }, (_, at) => String(at).padStart(4, '0'));
    for (let at = 0; at < keys.length; at += 67) {
      const some = keys.slice(at, at + 67).map((rowKey) => ({ partitionKey: 'p', rowKey }));
      await Promise.all(
        some.map((key) => client.upsertEntity('many', key, { mode: 'replace', properties: new Map() })),
      );
    }
    const pages = await all(client.queryEntities('many', { select: ['RowKey'] }));
    expect(pages.map(({ length }) => length)).toEqual([1_000, 5]);
    expect(pages.flat().map((row) => row.get('RowKey')?.value)).toEqual(keys);
    const top = async (top: number): Promise<number> =>
      (await all(client.queryEntities('many', { top }))).flat().length;
    expect([await top(3), await top(1_000), await top(1_002), await top(2_000)]).toEqual([3, 1_000, 1_002, 1_005]);
    expect((await all(client.queryEntities('many', { filter: "RowKey ge '1004'" }))).flat()).toHaveLength(1);
  });

  it('reports a refusal of the service without the id and time of the request', async () => {
    const refusal: unknown = await client.createTable('many').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ServiceRefusal);
    expect(refusal).toMatchObject({
      status: 409,
      code: 'TableAlreadyExists',
      message: 'The table specified already exists.',
    });
  });

  it('says why there is no response', async () => {
    const absent = openTableClient({ url: 'http://127.0.0.1:1/a', credential }, systemModelTime);
    await expect(absent.deleteTable('a')).rejects.toThrow(Unreachable);
    await expect(absent.deleteTable('a')).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1');
  });
});

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A server that returns these answers one after another, and then repeats the last one. */
async function serverOf(...answers: readonly Answer[]): Promise<{ endpoint: TableEndpoint; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const { status, headers = {}, body } = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 500 };
    asked.push(url);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { endpoint: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credential }, asked };
}

const busy = '{"odata.error":{"code":"ServerBusy","message":{"value":"The server is busy.\\nRequestId:1\\nTime:2"}}}';

/** Time in which every pause ends immediately. It records the pauses. */
class HurriedTime extends ManualTime {
  readonly pausesMs: number[] = [];
  override nowMs(): number {
    return 0;
  }
  override after(delayMs: number, run: () => void): () => void {
    this.pausesMs.push(delayMs);
    return super.after(delayMs, run);
  }
}

async function listAt(endpoint: TableEndpoint): Promise<{ pausesMs: readonly number[]; outcome: unknown }> {
  const time = new HurriedTime();
  let outcome: unknown;
  const done = all(openTableClient(endpoint, time).listTables()).then(
    (pages) => {
      outcome = pages;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  while (outcome === undefined) {
    time.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return { pausesMs: time.pausesMs, outcome };
}

describe('a server', () => {
  it('that is busy is asked again after growing pauses, or at the time that it requests', async () => {
    const { endpoint, asked } = await serverOf(
      { status: 503, body: busy },
      { status: 503, body: busy, headers: { 'Retry-After': '7' } },
      { status: 200, body: '{"value":[{"TableName":"a"}]}' },
    );
    expect(await listAt(endpoint)).toEqual({ pausesMs: [1_000, 7_000], outcome: [['a']] });
    expect(asked).toHaveLength(3);
  });

  it('that stays busy is asked four times, and then its refusal is reported', async () => {
    const { endpoint, asked } = await serverOf({ status: 503, body: busy });
    const { pausesMs, outcome } = await listAt(endpoint);
    expect(pausesMs).toEqual([1_000, 2_000, 4_000]);
    expect(asked).toHaveLength(4);
    expect(outcome).toMatchObject({ status: 503, code: 'ServerBusy', message: 'The server is busy.' });
  });

  it('that lists tables on several pages is asked for each of them', async () => {
    const { endpoint, asked } = await serverOf(
      { status: 200, body: '{"value":[]}', headers: { 'x-ms-continuation-NextTableName': 'a&b' } },
      { status: 200, body: '{"value":[{"TableName":"c"}]}' },
    );
    expect((await listAt(endpoint)).outcome).toEqual([[], ['c']]);
    expect(asked).toEqual(['/Tables', '/Tables?NextTableName=a%26b']);
  });

  it('that explains a refusal has its sentences reported; other content of the header is ignored', async () => {
    const reasonsOf = async (header: string): Promise<unknown> => {
      const { endpoint } = await serverOf({ status: 400, body: busy, headers: { 'x-emulator-why': header } });
      return ((await listAt(endpoint)).outcome as ServiceRefusal).reasons;
    };
    expect(await reasonsOf('["One.","Two."]')).toEqual(['One.', 'Two.']);
    expect(await reasonsOf('One.')).toEqual([]);
  });

  it('that refuses in XML is understood', async () => {
    const body =
      '<?xml version="1.0"?><m:error xmlns:m="x"><m:code>AuthenticationFailed</m:code><m:message xml:lang="en">No.</m:message></m:error>';
    const { endpoint } = await serverOf({ status: 403, body });
    expect((await listAt(endpoint)).outcome).toMatchObject({
      status: 403,
      code: 'AuthenticationFailed',
      message: 'No.',
    });
  });

  it.each<Answer>([
    { status: 200, body: '<html>' },
    { status: 404, body: 'null' },
    { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
  ])('that answers %j is not a Table service', async (answer) => {
    const { endpoint } = await serverOf(answer);
    const { outcome } = await listAt(endpoint);
    expect(outcome).toBeInstanceOf(NoTableService);
    expect((outcome as Error).message).toContain(`status ${answer.status}`);
  });
});

it('a server that answers an entity with something else is not a Table service', async () => {
  const { endpoint } = await serverOf({ status: 200, body: '[]' });
  const key = { partitionKey: 'a', rowKey: 'b' };
  await expect(openTableClient(endpoint, systemModelTime).getEntity('a', key)).rejects.toThrow(NoTableService);
});
