// The spans that a collector receives. All requests are sent before the tests run. The emulator sends the remaining
// spans when it closes.

import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { batchType, changesetBody } from '../support/batch-requests.ts';
import { type SeenSpan, startCollector } from '../support/collector.ts';
import { ask } from '../support/control-plane.ts';
import { developmentKey, openClient, type WireRequest } from '../support/table-client.ts';

const collector = await startCollector();
const emulator = await startEmulator({
  otlp: collector.url,
  throttle: 'enforce',
  capacity: { partitionTarget: 40, queueLength: 0 },
});
const client = openClient(emulator.url);
let traces = 0;

/** Sends a request in a new trace. Returns the ids of the trace and of the caller's span. */
async function traced(request: WireRequest): Promise<{ traceId: string; parentId: string; status: number }> {
  traces += 1;
  const [traceId, parentId] = [traces.toString(16).padStart(32, 'a'), traces.toString(16).padStart(16, 'b')];
  const headers = { traceparent: `00-${traceId}-${parentId}-01`, ...request.headers };
  const { status } = await client.send({ ...request, headers });
  return { traceId, parentId, status };
}

/**
 * Values that no span may contain. The requests contain these values in the texts and numbers of entities, and in
 * filters, addresses and signatures.
 */
const secrets = ['Zq7', '918273645'];
const entity = (members: object): string => JSON.stringify({ PartitionKey: 'Zq7p', RowKey: 'Zq7r', ...members });
const entityPath = "/pets(PartitionKey='Zq7p',RowKey='Zq7r')";

const created = await traced({ method: 'POST', path: '/Tables', body: '{"TableName":"pets"}' });
const inserted = await traced({ method: 'POST', path: '/pets', body: entity({ Age: 918273645, Name: 'Zq7name' }) });
const again = await traced({ method: 'POST', path: '/pets', body: entity({}) });
const read = await traced({ method: 'GET', path: entityPath });
const queried = await traced({ method: 'GET', path: "/pets()?$filter=Name%20eq%20'Zq7name'&$top=5" });
const merged = await traced({ method: 'MERGE', path: entityPath, headers: { 'If-Match': '*' }, body: '{"Age":5}' });
const insertOf = (rowKey: string) => ({
  method: 'POST',
  url: `${emulator.url}/devstoreaccount1/pets`,
  body: JSON.stringify({ PartitionKey: 'Zq7p', RowKey: rowKey }),
});
const batchOf = (...rowKeys: readonly string[]): WireRequest => ({
  method: 'POST',
  path: '/$batch',
  headers: { 'Content-Type': batchType },
  body: changesetBody(rowKeys.map(insertOf)),
});
const batch = await traced(batchOf('Zq7a', 'Zq7b', 'Zq7c'));
const refusedBatch = await traced(batchOf('Zq7d', 'Zq7a'));
const single = await traced(batchOf('Zq7e'));
const unsampled = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00` };
await client.send({ method: 'GET', path: '/pets()', headers: unsampled });
await client.send({ method: 'GET', path: '/Tables', headers: { traceparent: 'malformed', 'User-Agent': 'tests/1' } });
await emulator.faults.add({
  name: 'slow down',
  match: { table: 'cats' },
  fault: { kind: 'error', code: 'ServerBusy' },
});
const struck = await traced({ method: 'GET', path: '/cats()' });
await emulator.faults.clear();

/** Requests with various mistakes. The reason of each could quote what was sent. */
const mistakes: readonly WireRequest[] = [
  { method: 'GET', path: "/pets(PartitionKey='Zq7p',RowKey='Zq7none')" },
  { method: 'GET', path: '/pets(PartitionKey=Zq7p,RowKey=918273645)' },
  { method: 'GET', path: "/pets(PartitionKey='Zq7p')" },
  { method: 'GET', path: '/pets(Zq7' },
  { method: 'GET', path: '/pets/Zq7/918273645' },
  { method: 'GET', path: '/Zq7%20table()' },
  { method: 'GET', path: '/pets()?$filter=Name%20eq%20Zq7name' },
  { method: 'GET', path: '/pets()?$filter=Name%20eq%20918273645x' },
  { method: 'GET', path: "/pets()?$filter=(Name%20eq%20'Zq7" },
  { method: 'GET', path: "/pets()?$filter=Zq7(Name,'Zq7')" },
  { method: 'GET', path: "/pets()?$filter=PartitionKey%20eq%20guid'Zq7'" },
  { method: 'GET', path: "/pets()?$filter=Age%20eq%20datetime'918273645'" },
  { method: 'GET', path: '/pets()?$top=918273645' },
  { method: 'GET', path: '/pets()?$top=Zq7&timeout=Zq7' },
  { method: 'GET', path: '/pets()?$select=Zq7%20Zq7' },
  { method: 'GET', path: '/pets()?NextPartitionKey=Zq7&NextRowKey=Zq7' },
  {
    method: 'GET',
    path: '/pets()?sv=2019-02-02&tn=pets&sp=r&se=2099-01-01&sig=Zq7918273645',
    headers: { Authorization: undefined },
  },
  { method: 'GET', path: '/pets()', headers: { Authorization: 'SharedKeyLite devstoreaccount1:Zq7' } },
  { method: 'GET', path: '/pets()', headers: { Authorization: 'Bearer Zq7.Zq7.Zq7' } },
  { method: 'GET', path: '/pets()', headers: { Authorization: 'Zq7 918273645' } },
  { method: 'GET', path: '/pets()', headers: { Accept: 'Zq7/918273645' } },
  { method: 'GET', path: '/pets()', headers: { 'x-ms-date': 'Zq7 918273645' } },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":918273645,"RowKey":"Zq7"}' },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":"Zq7/x","RowKey":"Zq7"}' },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":"Zq7\\u0001","RowKey":"Zq7"}' },
  {
    method: 'POST',
    path: '/pets',
    body: '{"PartitionKey":"Zq7","RowKey":"Zq7","Age":"Zq7","Age@odata.type":"Edm.Int32"}',
  },
  {
    method: 'POST',
    path: '/pets',
    body: '{"PartitionKey":"Zq7","RowKey":"Zq7","Age":"918273645x","Age@odata.type":"Edm.Int64"}',
  },
  {
    method: 'POST',
    path: '/pets',
    body: '{"PartitionKey":"Zq7","RowKey":"Zq7","At":"Zq7","At@odata.type":"Edm.DateTime"}',
  },
  {
    method: 'POST',
    path: '/pets',
    body: '{"PartitionKey":"Zq7","RowKey":"Zq7","Id":"Zq7","Id@odata.type":"Edm.Guid"}',
  },
  {
    method: 'POST',
    path: '/pets',
    body: '{"PartitionKey":"Zq7","RowKey":"Zq7","Bytes":"Zq7!","Bytes@odata.type":"Edm.Binary"}',
  },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":"Zq7","RowKey":"Zq7","List":["Zq7",918273645]}' },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":"Zq7","RowKey":"Zq7","Age":918273645918273645918273645}' },
  { method: 'POST', path: '/pets', body: '{"PartitionKey":"Zq7",Zq7 918273645' },
  { method: 'POST', path: '/pets', body: `{"PartitionKey":"Zq7","RowKey":"Zq7","Text":"${'Zq7'.repeat(30_000)}"}` },
  {
    method: 'POST',
    path: '/pets',
    body: '<entry>Zq7 918273645</entry>',
    headers: { 'Content-Type': 'application/atom+xml' },
  },
  { method: 'PUT', path: entityPath, body: '{}', headers: { 'If-Match': 'W/"Zq7918273645"' } },
  { method: 'PUT', path: entityPath, body: '{}', headers: { 'If-Match': 'W/"datetime\'Zq7918273645\'"' } },
  { method: 'DELETE', path: entityPath },
  { method: 'POST', path: entityPath, headers: { 'X-HTTP-Method': 'Zq7' } },
  {
    method: 'POST',
    path: '/$batch',
    body: 'Zq7 918273645',
    headers: { 'Content-Type': 'multipart/mixed; boundary=Zq7' },
  },
  batchOf('Zq7f', 'Zq7f'),
  batchOf('Zq7/g', '918273645'),
];
const refused: { readonly request: WireRequest; readonly traceId: string }[] = [];
for (const request of mistakes) refused.push({ request, ...(await traced(request)) });
// The target of a partition is 40 entities per second, and no time passes.
await emulator.clock.freeze();
let throttled = read;
while (throttled.status === 200) throttled = await traced({ method: 'GET', path: entityPath });
const { text: metrics } = await ask(emulator.url, { method: 'GET', path: '/_emulator/metrics' });
await client.close();
await emulator.close();
await collector.close();

const spans = collector.spans();
const spanOf = ({ traceId }: { readonly traceId: string }): SeenSpan => {
  const found = spans.filter((span) => span.traceId === traceId);
  expect(found).toHaveLength(1);
  return found[0] as SeenSpan;
};

describe('The span of a request', () => {
  it('is a server span, child of the span that the header names', () => {
    const span = spanOf(inserted);
    expect(span).toMatchObject({
      parentSpanId: inserted.parentId,
      kind: 2,
      name: 'InsertEntity pets',
      flags: 0x301,
    });
    expect(span.status).toBeUndefined();
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    const tookNs = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
    expect(tookNs).toBeGreaterThanOrEqual(0n);
    expect(Math.abs(Number(BigInt(span.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(600_000);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it('has the attributes of the conventions for HTTP servers and databases', () => {
    const { port } = new URL(emulator.url);
    expect(spanOf(inserted).attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'url.scheme': 'http',
      'url.path': '/devstoreaccount1/pets',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'client.address': '127.0.0.1',
      'network.peer.address': '127.0.0.1',
      'network.protocol.name': 'http',
      'db.system.name': 'azure.table_storage',
      'db.namespace': 'devstoreaccount1',
      'db.collection.name': 'pets',
      'db.operation.name': 'InsertEntity',
      'azure.service.request.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(spanOf(created)).toMatchObject({
      name: 'CreateTable pets',
      attributes: { 'db.operation.name': 'CreateTable' },
    });
    expect(spanOf(inserted).attributes).not.toHaveProperty('error.type');
    expect(spanOf(inserted).attributes).not.toHaveProperty('url.query');
  });

  it('says what a query cost', () => {
    const { attributes, events } = spanOf(queried);
    expect(attributes).toMatchObject({ 'db.operation.name': 'QueryEntities', 'db.response.returned_rows': 1 });
    expect(events['tanzanite.plan']).toMatchObject({
      'tanzanite.plan': 'table scan',
      'tanzanite.visited': 1,
      'tanzanite.returned': 1,
      'tanzanite.page_end': 'range',
    });
    expect(spanOf(read).attributes['db.response.returned_rows']).toBe(1);
  });

  it('has _OTHER for a method that the conventions do not know', () => {
    expect(spanOf(merged)).toMatchObject({
      name: 'MergeEntity pets',
      attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': 'MERGE' },
    });
  });

  it('names the operations of a batch and their number; a batch of one is that operation', () => {
    expect(spanOf(batch)).toMatchObject({
      name: 'BATCH InsertEntity pets',
      attributes: {
        'db.operation.name': 'BATCH InsertEntity',
        'db.operation.batch.size': 3,
        'db.collection.name': 'pets',
        'tanzanite.operation': 'EntityGroupTransaction',
      },
    });
    expect(spanOf(single).attributes).toMatchObject({ 'db.operation.name': 'InsertEntity' });
    expect(spanOf(single).attributes).not.toHaveProperty('db.operation.batch.size');
  });

  it('says why a request was refused, without quoted parts of the request; below 500 its status is unset', () => {
    const { attributes, events, status } = spanOf(again);
    expect(attributes).toMatchObject({
      'http.response.status_code': 409,
      'db.response.status_code': 'EntityAlreadyExists',
    });
    expect(events['tanzanite.refusal']).toMatchObject({
      'tanzanite.code': 'EntityAlreadyExists',
      'tanzanite.stage': 'execute',
    });
    expect(status).toBeUndefined();
    const member = spanOf(refusedBatch);
    expect(member.attributes).toMatchObject({
      'http.response.status_code': 202,
      'db.response.status_code': 'EntityAlreadyExists',
    });
    expect(member.events['tanzanite.refusal']).toMatchObject({ 'tanzanite.batch_index': 1 });
  });

  it('names as errors the fault that struck a request, and what the capacity model refused', () => {
    expect(spanOf(struck)).toMatchObject({
      status: { code: 2 },
      attributes: { 'http.response.status_code': 503, 'error.type': 'ServerBusy' },
      events: { 'tanzanite.fault': { 'tanzanite.fault.rule': 'slow down', 'tanzanite.fault.kind': 'error' } },
    });
    expect(spanOf(throttled)).toMatchObject({
      status: { code: 2 },
      events: { 'tanzanite.throttling': { 'tanzanite.outcome': 'busy', 'tanzanite.limit': 'partition' } },
    });
  });

  it('is not made if the caller does not record; it begins a trace if the header names none', () => {
    expect(spans.filter(({ traceId }) => traceId === 'c'.repeat(32))).toEqual([]);
    const [own] = spans.filter(({ attributes }) => attributes['user_agent.original'] === 'tests/1');
    expect(own?.parentSpanId).toBeUndefined();
    expect(own?.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
    expect(own?.flags).toBe(1);
  });

  it('names the program that sends it', () => {
    expect(collector.exports[0]?.resource).toMatchObject({
      'service.name': 'tanzanite',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(collector.exports[0]?.path).toBe('/v1/traces');
  });

  it('is counted in the metrics', () => {
    expect(metrics).toMatch(/^tanzanite_spans_sent_total \d+$/m);
    expect(metrics).toContain('\ntanzanite_spans_dropped_total 0\n');
  });

  it.each(refused.map(({ request, traceId }) => [`${request.method} ${request.path}`.slice(0, 80), traceId] as const))(
    'contains nothing that was sent: %s',
    (_name, traceId) => {
      const text = JSON.stringify(spanOf({ traceId }));
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    },
  );

  it('contains nothing of entities, filters, keys and signatures, in any request', () => {
    const text = collector.exports.map((one) => one.text).join('\n');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect([developmentKey, 'sig='].filter((word) => text.includes(word))).toEqual([]);
  });
});
