// The record of a request when the request has ended.

import { afterAll, describe, expect, it } from 'vitest';
import { Capacity } from '../../../src/capacity/capacity.ts';
import type { RequestRecord } from '../../../src/model/request-record.ts';
import { systemMachineTime, systemModelTime } from '../../../src/model/time.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { openClient, requestText, startServer, type TestServer } from '../../support/table-server.ts';

const times = { time: systemModelTime, machineTime: systemMachineTime };
const capacity = new Capacity({ ...defaultSettings.capacity, throttle: 'observe', ...times });
const running = await startServer({ capacity });

/** Sends a request, and returns its record. */
async function recordOf(target: string, options: Parameters<typeof requestText>[1] = {}, server: TestServer = running) {
  const { socket, closed } = openClient(server.port);
  const count = server.records.length;
  socket.write(requestText(target, { ...options, headers: `Connection: close\r\n${options.headers ?? ''}` }));
  await closed;
  socket.destroy();
  expect(server.records).toHaveLength(count + 1);
  return server.records[count] as RequestRecord;
}

const pets = '/acct/pets';
await recordOf('/acct/Tables', { method: 'POST', body: '{"TableName":"pets"}' });
afterAll(() => capacity.close());

describe('The record of a request', () => {
  it('contains the client, the target and the times', async () => {
    const headers = 'User-Agent: tests/1\r\nx-ms-client-request-id: mine\r\n';
    const record = await recordOf('/acct/Tables?$top=1', { headers });
    expect(record).toMatchObject({
      clientRequestId: 'mine',
      method: 'GET',
      url: '/acct/Tables?$top=1',
      remoteAddress: '127.0.0.1',
      userAgent: 'tests/1',
      credential: 'key',
      account: 'acct',
      operation: 'QueryTables',
      format: { kind: 'json', level: 'minimal' },
      status: 200,
      refusal: undefined,
    });
    expect(record.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(record.startedAtMs).toBeGreaterThan(0);
    expect(record.bytesOut).toBeGreaterThan(10);
  });

  it('contains the trace of a request, and ignores a header that names none', async () => {
    const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const traced = await recordOf('/acct/Tables', { headers: `traceparent: 00-${traceId}-${parentId}-01\r\n` });
    expect(traced).toMatchObject({ status: 200, trace: { traceId, parentId, isSampled: true }, isSecure: false });
    const twice = `traceparent: 00-${traceId}-${parentId}-01\r\n`.repeat(2);
    for (const headers of ['', 'traceparent: 00-x\r\n', twice])
      expect(await recordOf('/acct/Tables', { headers })).toMatchObject({ status: 200, trace: undefined });
  });

  it('contains the table, the keys and the units of a write, with keys in the address or the body', async () => {
    const entity = { partitionKey: 'p', rowKey: 'r', table: 'pets' };
    const body = `{"PartitionKey":"p","RowKey":"r","text":"${'x'.repeat(1500)}"}`;
    const inserted = await recordOf(pets, { method: 'POST', body });
    expect(inserted).toMatchObject({
      ...entity,
      operation: 'InsertEntity',
      status: 201,
      capacity: { outcome: 'admitted', units: 2 },
      bytesIn: body.length,
    });
    const target = `${pets}(PartitionKey='p',RowKey='r')`;
    const replaced = await recordOf(target, { method: 'PUT', body: '{}' });
    expect(replaced).toMatchObject({
      ...entity,
      operation: 'InsertOrReplaceEntity',
      status: 204,
      capacity: { units: 1 },
    });
    expect(await recordOf(target)).toMatchObject({
      ...entity,
      operation: 'GetEntity',
      status: 200,
      capacity: { units: 1 },
    });
  });

  it('contains the figures of a query, and the continuation of its pages', async () => {
    for (const row of ['a', 'b', 'c']) {
      await recordOf(`${pets}(PartitionKey='q',RowKey='${row}')`, { method: 'PUT', body: '{}' });
    }
    const filter = "PartitionKey eq 'q' and RowKey ge 'a' and not (RowKey eq 'zz')";
    const first = await recordOf(`${pets}()?$top=2&$filter=${encodeURIComponent(filter)}`);
    expect(first).toMatchObject({
      operation: 'QueryEntities',
      table: 'pets',
      filter,
      plan: { kind: 'range', range: { from: { partitionKey: 'q', rowKey: 'a' } } },
      returned: 2,
      pageEnd: 'limit',
      followsContinuation: false,
      givesContinuation: true,
    });
    expect(first.visited).toBeGreaterThanOrEqual(2);
    expect(first.capacity?.units).toBeGreaterThanOrEqual(1);
    const second = await recordOf(`${pets}()?NextPartitionKey=1!4!cQ--&NextRowKey=1!4!Yw--`);
    expect(second).toMatchObject({
      followsContinuation: true,
      givesContinuation: false,
      pageEnd: 'range',
      returned: 1,
    });
  });

  it('contains the reason why a request was refused, and at which stage', async () => {
    const missing = await recordOf(`${pets}(PartitionKey='p',RowKey='none')`);
    expect(missing).toMatchObject({
      status: 404,
      rowKey: 'none',
      refusal: { code: 'ResourceNotFound', stage: 'execute' },
    });
    expect(await recordOf('/acct/Tables(', { method: 'GET' })).toMatchObject({
      operation: 'Unknown',
      account: 'acct',
      refusal: { stage: expect.stringMatching(/^(?:parse|route)$/) },
    });
  });

  const inner = (method: string, row: string, body = '{}'): string =>
    `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${method} http://x${pets}(PartitionKey='b',RowKey='${row}') HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}\r\n`;
  const batch = (...parts: string[]): Parameters<typeof requestText>[1] => {
    const body = `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`;
    const headers = `Content-Type: multipart/mixed; boundary=b\r\nContent-Length: ${body.length}\r\n`;
    return { method: 'POST', headers: `${headers}\r\n${body}` };
  };

  it('contains the requests inside a batch', async () => {
    const member = { table: 'pets', partitionKey: 'b', refusal: undefined, status: 204 };
    const record = await recordOf('/acct/$batch', batch(inner('PUT', '1'), inner('PATCH', '2')));
    expect(record).toMatchObject({
      operation: 'EntityGroupTransaction',
      status: 202,
      capacity: { outcome: 'admitted', units: 2 },
      members: [
        { ...member, operation: 'InsertOrReplaceEntity', rowKey: '1' },
        { ...member, operation: 'InsertOrMergeEntity', rowKey: '2' },
      ],
    });
  });

  it('contains the operation for which a batch was refused', async () => {
    const record = await recordOf('/acct/$batch', batch(inner('PUT', '3'), inner('DELETE', 'none').replace('{}', '')));
    expect(record.status).toBe(202);
    expect(record.members).toHaveLength(1);
    expect(record.members[0]?.status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['enforce', { status: 503, capacity: { outcome: 'busy', limit: 'partition' } }],
    ['observe', { status: 204, capacity: { outcome: 'wouldThrottle', limit: 'partition' } }],
  ] as const)('holds how a request was throttled: %s', async (throttle, expected) => {
    const narrow = new Capacity({
      ...defaultSettings.capacity,
      throttle,
      partitionTarget: 1,
      queueLength: 0,
      ...times,
    });
    const server = await startServer({ capacity: narrow });
    await recordOf('/acct/Tables', { method: 'POST', body: '{"TableName":"pets"}' }, server);
    const put = (): Promise<RequestRecord> =>
      recordOf(`${pets}(PartitionKey='p',RowKey='r')`, { method: 'PUT', body: '{}' }, server);
    expect(await put()).toMatchObject({ status: 204, capacity: { outcome: 'admitted', waitedMs: 0, units: 1 } });
    expect(await put()).toMatchObject(expected);
    narrow.close();
  });
});
