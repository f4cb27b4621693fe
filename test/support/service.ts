import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type StartOptions, startEmulator } from '../../src/index.ts';
import { openClient, type TableClient, type WireAnswer, type WireRequest } from './table-client.ts';

/** The emulator of a test file, with methods for the requests that most tests send. */
export interface Service extends TableClient {
  /** `http://127.0.0.1:49152` */
  readonly origin: string;
  /** The beginning of addresses in responses: origin and account. */
  readonly base: string;
  createTable(name: string): Promise<void>;
  /** Inserts an entity, given as JSON text or members. Its keys are `p` and `r` unless the members name others. */
  insert(table: string, entity: string | Readonly<Record<string, unknown>>): Promise<WireAnswer>;
  get(path: string, headers?: WireRequest['headers']): Promise<WireAnswer>;
}

const engine = process.env['TANZANITE_TEST_ENGINE'] ?? 'sqlite';

/** Whether a location keeps data after the end of an emulator. The engine of delayed-engine.ts does not keep it. */
export const keepsData = engine !== 'delayed';

/** Whether the data is kept in files of SQLite. */
export const keepsFiles = engine === 'sqlite';

/** Starts an emulator on a free port, in memory, and stops it after the last test of the file. */
export async function startService(options: StartOptions = {}): Promise<Service> {
  const recordings = process.env['TANZANITE_TEST_RECORDINGS'];
  const record = recordings === undefined ? {} : { record: join(recordings, `${randomUUID()}.ndjson`) };
  const emulator = await startEmulator({ ...options, ...record });
  return serviceAt(emulator.url, () => emulator.close());
}

export function serviceAt(origin: string, stop: () => Promise<void>): Service {
  const client = openClient(origin);
  afterAll(async () => {
    await client.close();
    await stop();
  });
  return {
    ...client,
    origin,
    base: `${origin}/devstoreaccount1`,
    async createTable(name) {
      const body = JSON.stringify({ TableName: name });
      const { status } = await client.send({ method: 'POST', path: '/Tables', body });
      expect(status).toBe(201);
    },
    async insert(table, entity) {
      const body = typeof entity === 'string' ? entity : JSON.stringify({ ...usualKey, ...entity });
      const answer = await client.send({ method: 'POST', path: `/${table}`, body });
      expect(answer.status, answer.body.slice(0, 400)).toBe(201);
      return answer;
    },
    get: (path, headers = {}) => client.send({ method: 'GET', path, headers }),
  };
}

const usualKey = { PartitionKey: 'p', RowKey: 'r' };

/** The path of the entity with the keys `p` and `r`, or with others that need no escaping. */
export function entityPath(table: string, partitionKey = 'p', rowKey = 'r'): string {
  return `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
}
