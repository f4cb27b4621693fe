import { get, type IncomingMessage } from 'node:http';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, codeOf } from '../../support/control-plane.ts';
import { entityPath, startService } from '../../support/service.ts';
import { readDescription } from '../../support/witness/description.ts';

const service = await startService();
await service.createTable('pets');

interface Live {
  readonly dropped: number;
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

/** An open stream of events, which are read one by one. */
class Stream {
  readonly response: IncomingMessage;
  readonly #blocks: AsyncGenerator<string>;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.#blocks = blocksOf(response);
  }

  static open(origin: string, topics: string): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const asked = get(`${origin}/_emulator/events?topics=${topics}`, { agent: false });
      asked.on('error', reject);
      asked.on('response', (response) => resolve(new Stream(response)));
    });
  }

  /** The data of the next event with this name. Undefined at the end of the stream. */
  async next(name: string): Promise<unknown> {
    for (;;) {
      const { value, done } = await this.#blocks.next();
      if (done) return undefined;
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(value) ?? [];
      if (event === name) return JSON.parse(data ?? '');
    }
  }

  /** Reads request events until there are this many. */
  async requests(count: number): Promise<Live> {
    let all: Live = { dropped: 0, requests: [] };
    while (all.requests.length + all.dropped < count) {
      const { dropped, requests } = (await this.next('requests')) as Live;
      all = { dropped: all.dropped + dropped, requests: [...all.requests, ...requests] };
    }
    return all;
  }

  close(): void {
    this.response.destroy();
  }
}

async function* blocksOf(response: IncomingMessage): AsyncGenerator<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks;
  }
}

const { components } = readDescription('control-plane');
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components });
const faultsOf = (schema: string, value: unknown): string => {
  const judge = ajv.getSchema(`api#/components/schemas/${schema}`);
  return judge?.(value) ? '' : ajv.errorsText(judge?.errors);
};

describe('Events', () => {
  it('refuses a topic that does not exist', async () => {
    const answer = await ask(service.origin, { method: 'GET', path: '/_emulator/events?topics=weather' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
  });

  it('streams a description of each request, without signatures', async () => {
    const stream = await Stream.open(service.origin, 'requests');
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    await service.insert('pets', { Age: 5 });
    await service.get(entityPath('pets'));
    await service.get('/pets()?$filter=Age%20eq%205&$select=Age&sig=a-secret');
    await service.get(entityPath('pets', 'p', 'absent'));
    const live = await stream.requests(4);
    stream.close();
    expect(faultsOf('LiveRequests', live)).toBe('');
    const [insert, read, query, absent] = live.requests;
    expect(insert).toMatchObject({ operation: 'InsertEntity', method: 'POST', table: 'pets', status: 201 });
    expect(read).toMatchObject({
      operation: 'GetEntity',
      partitionKey: 'p',
      rowKey: 'r',
      status: 200,
      capacity: 'admitted',
    });
    expect(query).toMatchObject({ filter: 'Age eq 5', select: 'Age' });
    expect(absent).toMatchObject({ status: 404, code: 'ResourceNotFound' });
    expect(JSON.stringify(live)).not.toContain('a-secret');
  });

  it('streams the capacity model', async () => {
    const stream = await Stream.open(service.origin, 'capacity');
    const report = await stream.next('capacity');
    stream.close();
    expect(faultsOf('CapacityReport', report)).toBe('');
    expect(report).toMatchObject({ accounts: [{ account: 'devstoreaccount1' }] });
  });

  it('allows twelve streams, and another one when one is closed', async () => {
    const streams = await Promise.all(Array.from({ length: 12 }, () => Stream.open(service.origin, 'capacity')));
    const refused = await ask(service.origin, { method: 'GET', path: '/_emulator/events' });
    expect([refused.status, codeOf(refused)]).toEqual([429, 'TooManyStreams']);
    streams[0]?.close();
    await expect
      .poll(async () => {
        const stream = await Stream.open(service.origin, 'capacity');
        stream.close();
        return stream.response.statusCode;
      })
      .toBe(200);
    for (const stream of streams) stream.close();
  });

  it('ends when the emulator closes, and does not delay that', async () => {
    const emulator = await startEmulator();
    const stream = await Stream.open(emulator.url, 'requests,capacity');
    await Promise.all([emulator.close(), expect(stream.next('requests')).resolves.toBeUndefined()]);
  });
});
