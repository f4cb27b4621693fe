// Rules about clients and their load. For each rule, one trace raises it, and a similar one does not.

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings } from '../../../src/emulator.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import type { AccountStore, OpenStore } from '../../../src/storage/store.ts';
import { startAdvised } from '../../support/advised.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { inAnHour, tableToken, withToken } from '../../support/shared-access-tokens.ts';
import { authorization, developmentKey } from '../../support/table-client.ts';

/** Notices when a request arrives, because the emulator reads the time then. */
class WatchedTime extends ManualTime {
  #onRead: () => void = () => undefined;

  override nowMs(): number {
    this.#onRead();
    return super.nowMs();
  }

  nextRead(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRead = resolve;
    });
  }
}

/** Operations that wait in the store, as functions that let them continue. */
const held = { isHolding: false, waiting: [] as (() => void)[] };

async function hold(): Promise<void> {
  if (held.isHolding) await new Promise<void>((resolve) => held.waiting.push(resolve));
}

/** The same object with some methods replaced. The other methods keep their own `this`. */
function replaced<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A store in which every read of the table Busy fails. Its operations can be made to wait. */
const openTroubled: OpenStore = async (options) => {
  const store = await defaultEmulatorSettings.openStore(options);
  const trouble = (account: AccountStore): AccountStore =>
    replaced(account, {
      async get(table, key) {
        await hold();
        if (table === 'Busy') throw new ServiceError('ServerBusy');
        return account.get(table, key);
      },
      async apply(table, mutations) {
        await hold();
        return account.apply(table, mutations);
      },
    });
  return replaced(store, { account: (name) => trouble(store.account(name)) });
};

/** Sends requests and lets all of them arrive before the first is answered. */
async function together<T>(requests: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  held.isHolding = true;
  const answers = requests.map((request) => request());
  while (held.waiting.length < requests.length) await new Promise((resolve) => setImmediate(resolve));
  busy.time.advance(10);
  held.isHolding = false;
  for (const release of held.waiting.splice(0)) release();
  return Promise.all(answers);
}

const watched = new WatchedTime();
const app = await startAdvised({}, watched);
const busy = await startAdvised({ openStore: openTroubled });
await app.create('Pets');
await busy.create('Pets');
const atom = 'application/atom+xml';

describe('immediate-retry and no-backoff', () => {
  /** Sends requests to the table Busy. All of them fail. */
  async function attempt(pausesMs: readonly number[]): Promise<void> {
    for (const pause of [0, ...pausesMs]) {
      busy.time.advance(pause);
      const { status } = await busy.get('Busy', ['p', 'r']);
      expect(status).toBe(503);
    }
  }

  it('are raised by a retry without a pause, and by pauses that do not grow', async () => {
    await attempt([5, 1_000]);
    busy.time.advance(100_000);
    await attempt([1_000, 1_000, 900, 1_100]);
    expect(await busy.raised()).toEqual(['immediate-retry Busy', 'no-backoff Busy']);
  });

  it('are raised by more than five attempts, however long the pauses are', async () => {
    await attempt([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(await busy.raised()).toEqual(['no-backoff Busy']);
  });

  it('are not raised by five attempts with growing, partly random pauses', async () => {
    await attempt([900, 1_700, 4_400, 7_100]);
    expect(await busy.raised()).toEqual([]);
  });
});

describe('retry-of-final-error', () => {
  it('is raised by a request that is refused three times', async () => {
    for (let time = 0; time < 3; time++) await app.put('Pets', ['no', 'one'], { a: 1 }, '*');
    expect(await app.raised()).toEqual(['retry-of-final-error Pets']);
    expect((await app.finding('retry-of-final-error'))?.evidence).toMatchObject({
      status: 404,
      code: 'ResourceNotFound',
    });
  });

  it('is not raised by polling, by two refusals, nor by requests with different bodies', async () => {
    for (let time = 0; time < 5; time++) {
      await app.get('Pets', ['no', 'two']);
      app.time.advance(200);
    }
    for (let time = 0; time < 2; time++) await app.put('Pets', ['no', 'one'], { a: 1 }, '*');
    for (let time = 0; time < 3; time++) await app.put('Pets', ['no', 'one'], { a: time + 5 }, '*');
    for (let time = 0; time < 5; time++) await app.create('Pets');
    expect(await app.raised()).toEqual([]);
  });
});

describe('excess-parallelism', () => {
  /** Each client has a pool of four connections. */
  const reads = (count: number) => {
    const clients = Array.from({ length: Math.ceil(count / 4) }, () => busy.app('app'));
    return Array.from({ length: count }, (_, at) => () => clients[at >> 2]!.get('Pets', ['p', `r${at}`]));
  };

  it('is raised by over a hundred requests in flight', async () => {
    await together(reads(101));
    expect(await busy.raised()).toContain('excess-parallelism –');
    expect((await busy.finding('excess-parallelism'))?.evidence).toMatchObject({ connectionsAtATime: 101 });
  });

  it('is not raised by a hundred requests in flight', async () => {
    await together(reads(100));
    expect(await busy.raised()).toEqual([]);
  });
});

describe('colliding-transactions', () => {
  const one = busy.app('one');
  const two = busy.app('two');

  it('is raised by simultaneous transactions that share an entity', async () => {
    for (let at = 0; at < 3; at++) {
      await together([one, two].map((writer) => () => writer.transact('Pets', 'p', { total: {}, [`line-${at}`]: {} })));
    }
    expect(await busy.raised()).toEqual(['colliding-transactions Pets']);
    expect((await busy.finding('colliding-transactions'))?.evidence).toMatchObject({ rowKey: "'total'" });
  });

  it('is not raised by transactions on different entities, nor by those that follow each other', async () => {
    for (let at = 0; at < 3; at++) {
      await together([one, two].map((writer, of) => () => writer.transact('Pets', 'p', { [`line-${of}-${at}`]: {} })));
      for (const writer of [one, two]) await writer.transact('Pets', 'p', { total: {} });
    }
    expect(await busy.raised()).toEqual([]);
  });
});

describe('connection-churn', () => {
  const reads = async (count: number, connection: string): Promise<void> => {
    for (let at = 0; at < count; at++) {
      await app.query('Pets', `PartitionKey eq 'p${at}'`, { headers: { Connection: connection } });
    }
  };

  it('is raised by over a hundred requests with a connection each', async () => {
    await reads(101, 'close');
    expect(await app.raised()).toEqual(['connection-churn –']);
    expect((await app.finding('connection-churn'))?.evidence).toMatchObject({
      connections: 101,
      request: "GET /Pets()?$filter=PartitionKey eq 'p0'",
    });
  });

  it('is not raised by a hundred connections, nor by connections that are kept open', async () => {
    await reads(100, 'close');
    const other = app.app('another');
    for (let at = 0; at < 101; at++) await other.query('Pets', `PartitionKey eq 'p${at}'`);
    expect(await app.raised()).toEqual([]);
  });
});

describe('nagle-or-expect', () => {
  it('is raised by bodies that arrive a little after their heads', async () => {
    for (let at = 0; at < 5; at++) await inTwoParts(at, { pauseMs: 40 });
    expect(await app.raised()).toEqual(['nagle-or-expect –']);
    expect((await app.finding('nagle-or-expect'))?.evidence).toMatchObject({
      cause: "likely Nagle's algorithm",
      bodyWaitMs: 40,
    });
  });

  it('is raised by Expect: 100-continue before small bodies', async () => {
    for (let at = 10; at < 15; at++) await inTwoParts(at, { pauseMs: 0, headers: { Expect: '100-continue' } });
    expect((await app.finding('nagle-or-expect'))?.evidence).toMatchObject({ cause: 'Expect: 100-continue' });
  });

  it('is not raised by four such requests, by long pauses, nor by large bodies', async () => {
    for (let at = 20; at < 24; at++) await inTwoParts(at, { pauseMs: 40 });
    for (let at = 30; at < 35; at++) await inTwoParts(at, { pauseMs: 300 });
    for (let at = 40; at < 45; at++) await inTwoParts(at, { pauseMs: 40, text: 'x'.repeat(2_000) });
    expect(await app.raised()).toEqual([]);
  });
});

describe('atom-format and full-metadata', () => {
  const read = (accept: string, version: string) =>
    app.query('Pets', "PartitionKey eq 'p'", { headers: { Accept: accept, 'x-ms-version': version } });

  it('are each raised by one such response', async () => {
    await read(atom, '2015-07-08');
    await read('application/json;odata=fullmetadata', '2019-02-02');
    expect(await app.raised()).toEqual(['atom-format –', 'old-client –', 'full-metadata –']);
  });

  it('are not raised by JSON with less metadata', async () => {
    await read('application/json;odata=minimalmetadata', '2019-02-02');
    await read('application/json;odata=nometadata', '2019-02-02');
    expect(await app.raised()).toEqual([]);
  });
});

describe('old-client', () => {
  it.each([
    'Azure-Storage/9.3.3 (.NET CLR 4.0.30319.42000; Win32NT 10.0)',
    'azsdk-net-Data.Tables/12.1 (.NET Framework 4.8)',
  ])('is raised by %s', async (agent) => {
    await app.app(agent).get('Pets', ['a', 'b']);
    expect(await app.raised()).toEqual(['old-client –']);
    const request = "GET /Pets(PartitionKey='a',RowKey='b')";
    expect((await app.finding('old-client'))?.evidence).toMatchObject({ userAgent: agent, request });
  });

  it('is not raised by current libraries', async () => {
    await app.app('azsdk-net-Data.Tables/12.9.1 (.NET 8.0.4; Ubuntu 22.04)').get('Pets', ['a', 'b']);
    await app.app('azsdk-js-data-tables/13.3.0 core-rest-pipeline/1.19.0 Node/20.19.0').get('Pets', ['a', 'b']);
    expect(await app.raised()).toEqual([]);
  });
});

describe('table-name-reused', () => {
  const drop = (table: string) => app.client.send({ method: 'DELETE', path: `/Tables('${table}')` });

  it('is raised by a table that is created right after its deletion', async () => {
    await app.create('Cache');
    await drop('Cache');
    await app.create('Cache');
    expect(await app.raised()).toEqual(['table-name-reused Cache']);
    expect((await app.finding('table-name-reused'))?.evidence).toMatchObject({ request: 'CreateTable Cache' });
  });

  it('is not raised by a creation a minute later, nor by another name', async () => {
    await drop('Cache');
    await app.create('Cache2');
    app.time.advance(61_000);
    await app.create('Cache');
    expect(await app.raised()).toEqual([]);
  });
});

describe('create-table-each-call', () => {
  it('is raised by over twenty attempts', async () => {
    for (let time = 0; time < 21; time++) await app.create('Pets');
    expect(await app.raised()).toEqual(['create-table-each-call Pets']);
  });

  it('is not raised by twenty', async () => {
    for (let time = 0; time < 20; time++) await app.create('Pets');
    expect(await app.raised()).toEqual([]);
  });
});

describe('key-in-browser', () => {
  it('is raised by Shared Key from a page', async () => {
    await app.query('Pets', "PartitionKey eq 'p'", { headers: { Origin: 'https://shop.example' } });
    expect(await app.raised()).toEqual(['key-in-browser –']);
    expect((await app.finding('key-in-browser'))?.severity).toBe('error');
  });

  it('is not raised by a shared access signature in a page', async () => {
    const token = tableToken('Pets', { sp: 'r', se: inAnHour });
    const page = { Authorization: undefined, Origin: 'https://shop.example' };
    const path = withToken("/Pets()?$filter=PartitionKey%20eq%20'p'", token);
    const { status } = await app.client.send({ method: 'GET', path, headers: page });
    expect(status).toBe(200);
    expect((await app.report()).requests).toBe(1);
    expect(await app.raised()).toEqual([]);
  });

  it('is not raised by Shared Key outside a page', async () => {
    await app.query('Pets', "PartitionKey eq 'p'");
    expect(await app.raised()).toEqual([]);
  });
});

/** Sends the head of a request, and then its body after the machine's time has passed. */
async function inTwoParts(
  at: number,
  { pauseMs, text = 'x', headers = {} }: { pauseMs: number; text?: string; headers?: Record<string, string> },
): Promise<void> {
  const body = JSON.stringify({ PartitionKey: 'nagle', RowKey: `${at}`, text });
  const target = '/devstoreaccount1/Pets';
  const sent: Record<string, string> = {
    Host: new URL(app.url).host,
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': '2019-02-02',
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'Content-Length': `${Buffer.byteLength(body)}`,
    Connection: 'close',
    ...headers,
  };
  const options = { account: 'devstoreaccount1', key: developmentKey, scheme: 'SharedKeyLite' } as const;
  sent['Authorization'] = authorization({ method: 'POST', target, headers: sent }, options);
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const head = `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  const begun = watched.nextRead();
  socket.write(head);
  await begun;
  app.time.advance(pauseMs);
  socket.write(body);
  await once(socket, 'close');
  expect(answer).toMatch(/HTTP\/1\.1 201/);
}
