// Starts an emulator whose time only the test moves, and sends requests to its tables as applications do.

import { afterAll, beforeEach, expect } from 'vitest';
import type { AdvisorReport, Finding } from '../../src/advisor/report.ts';
import { defaultEmulatorSettings, type EmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { batchType, changesetBody, type InnerCall } from './batch-requests.ts';
import { ManualTime } from './manual-time.ts';
import { openClient, type TableClient, type WireAnswer, type WireHeaders } from './table-client.ts';

export type Members = Readonly<Record<string, unknown>>;

export interface QueryOptions {
  readonly select?: string;
  readonly top?: number;
  readonly headers?: WireHeaders;
}

/** An application: a client with its own connections. */
export interface App {
  readonly client: TableClient;
  create(table: string): Promise<WireAnswer>;
  insert(table: string, key: Key, members?: Members): Promise<WireAnswer>;
  put(table: string, key: Key, members?: Members, ifMatch?: string): Promise<WireAnswer>;
  merge(table: string, key: Key, members?: Members, ifMatch?: string): Promise<WireAnswer>;
  remove(table: string, key: Key, ifMatch?: string): Promise<WireAnswer>;
  get(table: string, key: Key): Promise<WireAnswer>;
  /** Queries the first page. */
  query(table: string, filter?: string, options?: QueryOptions): Promise<WireAnswer>;
  /** Queries all pages. */
  list(table: string, filter?: string): Promise<readonly Members[]>;
  /** Inserts or replaces entities of one partition in one transaction. */
  transact(table: string, partitionKey: string, rows: Readonly<Record<string, Members>>): Promise<WireAnswer>;
  /** Fills a partition, with a hundred entities per transaction. */
  fill(table: string, partitionKey: string, count: number, membersOf?: (at: number) => Members): Promise<void>;
}

export type Key = readonly [partitionKey: string, rowKey: string];

export interface Advised extends App {
  readonly time: ManualTime;
  readonly url: string;
  /** Makes another application. `agent` is its user agent. */
  app(agent?: string): App;
  report(): Promise<AdvisorReport>;
  /** The findings of the advisor, each as `rule table`. */
  raised(): Promise<readonly string[]>;
  finding(rule: string): Promise<Finding | undefined>;
}

/** Targets that cannot be reached. While time is frozen, all requests happen in one second. */
const farTargets = { ...defaultEmulatorSettings.capacity, accountTarget: 1_000_000, partitionTarget: 1_000_000 };

/** Starts the emulator in memory, stops it after the last test of the file, and clears the advisor before each test. */
export async function startAdvised(
  settings: Partial<EmulatorSettings> = {},
  time = new ManualTime(),
): Promise<Advised> {
  const emulator = await runEmulator({
    ...defaultEmulatorSettings,
    capacity: farTargets,
    throttle: 'off',
    port: 0,
    modelTime: createAdjustableTime(time),
    machineTime: time,
    ...settings,
  });
  const { advisor, url } = emulator;
  if (!advisor) throw new Error('the advisor is off');
  const clients: TableClient[] = [];
  const app = (agent = 'app'): App => {
    const client = openClient(url);
    clients.push(client);
    return appOver(client, agent);
  };
  beforeEach(() => advisor.clear());
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await emulator.close();
  });
  return {
    ...app(),
    time,
    url,
    app,
    report: () => advisor.report(),
    raised: async () => (await advisor.report()).findings.map(({ rule, table }) => `${rule} ${table ?? '–'}`),
    finding: async (rule) => (await advisor.report()).findings.find((finding) => finding.rule === rule),
  };
}

function appOver(client: TableClient, agent: string): App {
  const agentHeader = { 'User-Agent': agent };
  const write =
    (method: string) =>
    (table: string, key: Key, members: Members = {}, ifMatch?: string) =>
      client.send({
        method,
        path: pathOf(table, key),
        headers: { ...agentHeader, ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) },
        body: JSON.stringify(members),
      });
  const transact = (table: string, partitionKey: string, rows: Readonly<Record<string, Members>>) => {
    const calls = Object.entries(rows).map(
      ([rowKey, members]): InnerCall => ({
        method: 'PUT',
        url: `/devstoreaccount1${pathOf(table, [partitionKey, rowKey])}`,
        body: JSON.stringify(members),
      }),
    );
    const headers = { ...agentHeader, 'Content-Type': batchType };
    return client.send({ method: 'POST', path: '/$batch', headers, body: changesetBody(calls) });
  };
  const query = (table: string, filter?: string, { select, top, headers = {} }: QueryOptions = {}) => {
    const options = [
      ...(filter === undefined ? [] : [`$filter=${encodeURIComponent(filter)}`]),
      ...(select === undefined ? [] : [`$select=${select}`]),
      ...(top === undefined ? [] : [`$top=${top}`]),
    ];
    const path = `/${table}()${options.length > 0 ? `?${options.join('&')}` : ''}`;
    return client.send({ method: 'GET', path, headers: { ...agentHeader, ...headers } });
  };
  return {
    client,
    create: (table) =>
      client.send({
        method: 'POST',
        path: '/Tables',
        headers: agentHeader,
        body: JSON.stringify({ TableName: table }),
      }),
    insert: (table, [PartitionKey, RowKey], members = {}) =>
      client.send({
        method: 'POST',
        path: `/${table}`,
        headers: agentHeader,
        body: JSON.stringify({ PartitionKey, RowKey, ...members }),
      }),
    put: write('PUT'),
    merge: write('PATCH'),
    remove: (table, key, ifMatch = '*') =>
      client.send({ method: 'DELETE', path: pathOf(table, key), headers: { ...agentHeader, 'If-Match': ifMatch } }),
    get: (table, key) => client.send({ method: 'GET', path: pathOf(table, key), headers: agentHeader }),
    query,
    list: (table, filter) => listAll(table, filter, { client, query, headers: agentHeader }),
    transact,
    async fill(table, partitionKey, count, membersOf = () => ({})) {
      for (let from = 0; from < count; from += 100) {
        const rows = Array.from({ length: Math.min(100, count - from) }, (_, at) => from + at);
        const answer = await transact(
          table,
          partitionKey,
          Object.fromEntries(rows.map((at) => [String(at).padStart(6, '0'), membersOf(at)])),
        );
        expect(answer.body).toContain('HTTP/1.1 204');
      }
    },
  };
}

interface ListTools extends Pick<App, 'client' | 'query'> {
  readonly headers: WireHeaders;
}

async function listAll(table: string, filter: string | undefined, tools: ListTools): Promise<readonly Members[]> {
  const { client, query, headers } = tools;
  const all: Members[] = [];
  let page = await query(table, filter);
  for (;;) {
    all.push(...(JSON.parse(page.body) as { value: Members[] }).value);
    const next = ['NextPartitionKey', 'NextRowKey'].flatMap((name) => {
      const token = page.header(`x-ms-continuation-${name}`);
      return token === undefined ? [] : [`${name}=${encodeURIComponent(token)}`];
    });
    if (next.length === 0) return all;
    const options = [...(filter === undefined ? [] : [`$filter=${encodeURIComponent(filter)}`]), ...next];
    page = await client.send({ method: 'GET', path: `/${table}()?${options.join('&')}`, headers });
  }
}

function pathOf(table: string, [partitionKey, rowKey]: Key): string {
  const text = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));
  return `/${table}(PartitionKey='${text(partitionKey)}',RowKey='${text(rowKey)}')`;
}
