// Throttling as clients see it. The targets are small, and time is frozen unless a test moves it. The tests of the
// capacity model itself are in test/unit/capacity.

import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { CapacityReport } from '../../src/capacity/capacity-report.ts';
import type { CapacitySettings } from '../../src/capacity/capacity-settings.ts';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { type AdjustableTime, createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { batchType, changesetBody, outcomesIn } from '../support/batch-requests.ts';
import { ask } from '../support/control-plane.ts';
import { signedHead } from '../support/raw-socket.ts';
import { entityPath, type Service, serviceAt, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

/** One request of a partition is allowed. The next one would have to wait for 100 seconds. */
const once = { partitionTarget: 0.01, rangeTarget: 1e6, accountTarget: 1e6, queueLength: 0 };

interface EnforcingService extends Service {
  /** The frozen time of the emulator. */
  readonly time: AdjustableTime;
  /** Stops the emulator. */
  readonly stop: () => Promise<void>;
}

async function enforced(capacity: Partial<CapacitySettings> = {}): Promise<EnforcingService> {
  const time = createAdjustableTime();
  time.freeze();
  const emulator = await runEmulator({
    ...defaultEmulatorSettings,
    port: 0,
    modelTime: time,
    throttle: 'enforce',
    capacity: { ...defaultEmulatorSettings.capacity, ...once, ...capacity },
  });
  const stop = (): Promise<void> => emulator.close();
  return { ...serviceAt(emulator.url, stop), time, stop };
}

function insert(service: Service, table: string, rowKey: string, partitionKey = 'p'): Promise<WireAnswer> {
  const body = JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey });
  return service.send({ method: 'POST', path: `/${table}`, body });
}

async function reportOf(origin: string): Promise<CapacityReport> {
  return (await ask(origin, { method: 'GET', path: '/_emulator/capacity' })).json as CapacityReport;
}

/** Resolves when this many requests of the account are waiting for capacity. */
const waitingAre = (origin: string, count: number): Promise<unknown> =>
  expect.poll(async () => (await reportOf(origin)).accounts[0]?.waiting).toBe(count);

const codeIn = ({ body }: WireAnswer): string => JSON.parse(body)['odata.error'].code;
const messageIn = ({ body }: WireAnswer): string => JSON.parse(body)['odata.error'].message.value;

describe('A partition over its target', () => {
  it('refuses requests with 503 ServerBusy, without carrying them out', async () => {
    const service = await enforced();
    await service.createTable('busy');
    const statuses: number[] = [];
    for (const row of ['a', 'b', 'c', 'd', 'e']) statuses.push((await insert(service, 'busy', row)).status);
    expect(statuses).toEqual([201, 503, 503, 503, 503]);
    const refused = await insert(service, 'busy', 'f');
    expect([refused.status, codeIn(refused)]).toEqual([503, 'ServerBusy']);
    expect(messageIn(refused)).toMatch(/^The server is busy\.\nRequestId:[-\da-f]{36}\nTime:\d{4}-/);
    expect(refused.header('Retry-After')).toBeUndefined();
    expect(refused.header('x-ms-request-id')).toMatch(/^[-\da-f]{36}$/);
    // Another partition has a separate budget.
    expect((await insert(service, 'busy', 'a', 'other')).status).toBe(201);
    expect((await service.get(entityPath('busy', 'p', 'a'))).status).toBe(503);
  });

  it('serves requests again once its budget has refilled', async () => {
    const service = await enforced({ partitionTarget: 20 });
    await service.createTable('recovers');
    const burst = await Promise.all(Array.from({ length: 50 }, (_, row) => insert(service, 'recovers', `${row}`)));
    expect(burst.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(burst.filter(({ status }) => status === 503)).toHaveLength(30);
    service.time.advance(49);
    expect((await insert(service, 'recovers', 'early')).status).toBe(503);
    service.time.advance(1);
    expect((await insert(service, 'recovers', 'later')).status).toBe(201);
  });

  it('without a queue refuses requests even of a single sequential client, so that retries can be tested', async () => {
    const service = await enforced({ partitionTarget: 5, queueLength: 0 });
    await service.createTable('alone');
    const statuses: number[] = [];
    for (let row = 0; row < 7; row++) {
      const tries = [(await insert(service, 'alone', `${row}`)).status];
      while (tries.at(-1) === 503) {
        service.time.advance(200);
        tries.push((await insert(service, 'alone', `${row}`)).status);
      }
      statuses.push(...tries);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 503, 201, 503, 201]);
  });

  it('counts a transaction of 100 as 100, and refuses it as a whole, inside the batch', async () => {
    const service = await enforced({ partitionTarget: 1 });
    await service.createTable('batches');
    const send = (from: number): Promise<WireAnswer> => {
      const calls = Array.from({ length: 100 }, (_, row) => ({
        method: 'POST',
        url: `${service.base}/batches`,
        body: JSON.stringify({ PartitionKey: 'p', RowKey: String(from + row) }),
      }));
      return service.send({
        method: 'POST',
        path: '/$batch',
        headers: { 'Content-Type': batchType },
        body: changesetBody(calls),
      });
    };
    // The transaction costs more than a full bucket has. It is allowed, but the bucket then has a debt.
    expect((await send(0)).status).toBe(202);
    // Evidence: sdk (azure-sdk-for-net #10314): no index before the message.
    const refused = await send(100);
    expect(outcomesIn(refused)).toEqual(['503 ServerBusy']);
    expect(refused.body).toContain('"value":"The server is busy.\\nRequestId:');
    const { hotPartitions, units } = (await reportOf(service.origin)).accounts[0] ?? {};
    expect(hotPartitions?.[0]).toMatchObject({ table: 'batches', partitionKey: 'p', refused: 1 });
    expect(units).toBe(201);
  });
});

describe('An account over its target', () => {
  it('is named in the error from version 2017-04-17 on; before, the error is general', async () => {
    const service = await enforced({ accountTarget: 0.01 });
    await service.createTable('account');
    const [, newer, older] = [
      await service.get('/Tables'),
      await service.get('/Tables'),
      await service.get('/Tables', { 'x-ms-version': '2016-05-31' }),
    ];
    expect([newer.status, older.status]).toEqual([503, 503]);
    expect(messageIn(newer)).toMatch(/^Operations per second is over the account limit\.\n/);
    expect(messageIn(older)).toMatch(/^The server is busy\.\n/);
  });

  it('gets the error of the front end, which for a batch is outside the batch response', async () => {
    const service = await enforced({ accountTarget: 0.01 });
    await service.createTable('account');
    const call = { method: 'POST', url: `${service.base}/account`, body: '{"PartitionKey":"p","RowKey":"r"}' };
    const requests = [
      { method: 'GET', path: '/Tables' },
      { method: 'POST', path: '/$batch', headers: { 'Content-Type': batchType }, body: changesetBody([call]) },
    ];
    for (const request of requests) {
      const answer = await service.send(request);
      expect([answer.status, answer.reason, answer.header('x-ms-error-code'), answer.header('Server')]).toEqual([
        503,
        'Operations per second is over the account limit.',
        'ServerBusy',
        'Microsoft-HTTPAPI/2.0',
      ]);
    }
  });

  it('still gets answers from health in the control plane', async () => {
    const service = await enforced({ accountTarget: 0.01 });
    await service.get('/Tables');
    expect((await service.get('/Tables')).status).toBe(503);
    expect((await ask(service.origin, { method: 'GET', path: '/_emulator/health' })).status).toBe(200);
  });
});

describe('A queue', () => {
  it('holds requests until there is capacity, and then carries them out', async () => {
    const service = await enforced({ partitionTarget: 10, queueLength: 4 });
    await service.createTable('waits');
    for (let row = 0; row < 10; row++) await insert(service, 'waits', `${row}`);
    const answers = ['x', 'y', 'z'].map((row) => insert(service, 'waits', row));
    await waitingAre(service.origin, 3);
    service.time.advance(300);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('refuses immediately a request that would wait longer than its limit, five seconds by default', async () => {
    const service = await enforced({ partitionTarget: 0.5, queueLength: 32 });
    await service.createTable('bounded');
    await insert(service, 'bounded', 'first');
    const waiting = ['second', 'third'].map((row) => insert(service, 'bounded', row));
    await waitingAre(service.origin, 2);
    // It would wait for six seconds. Time is frozen, so an answer shows that it has not waited.
    const fourth = await insert(service, 'bounded', 'fourth');
    expect([fourth.status, codeIn(fourth)]).toEqual([503, 'ServerBusy']);
    service.time.advance(4_000);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
  });

  it('holds requests for as long as its configured limit', async () => {
    const service = await enforced({ partitionTarget: 0.1, queueLength: 32, waitMsMax: 10_000 });
    await service.createTable('patient');
    await insert(service, 'patient', 'first');
    const second = insert(service, 'patient', 'second');
    await waitingAre(service.origin, 1);
    expect((await insert(service, 'patient', 'third')).status).toBe(503);
    service.time.advance(10_000);
    expect((await second).status).toBe(201);
  });

  it('answers 500 OperationTimedOut after the timeout of the request, and 503 if it is full', async () => {
    const service = await enforced({ queueLength: 1, waitMsMax: 200_000 });
    await service.createTable('late');
    await insert(service, 'late', 'first');
    const waiting = service.get(`${entityPath('late', 'p', 'first')}?timeout=2`);
    await waitingAre(service.origin, 1);
    const full = await insert(service, 'late', 'second');
    expect([full.status, codeIn(full)]).toEqual([503, 'ServerBusy']);
    service.time.advance(2_000);
    const late = await waiting;
    expect([late.status, codeIn(late)]).toEqual([500, 'OperationTimedOut']);
    expect(messageIn(late)).toMatch(/^Operation could not be completed within the specified time\.\n/);
  });

  it('does not carry out a request whose client has disconnected', async () => {
    const service = await enforced({ partitionTarget: 0.4, queueLength: 4 });
    await service.createTable('gone');
    await insert(service, 'gone', 'first');
    const { hostname, port, host } = new URL(service.origin);
    const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'late' });
    const headers = { Host: host, 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
    const socket = connect(Number(port), hostname);
    socket.write(`${signedHead({ method: 'POST', target: '/devstoreaccount1/gone', headers })}${body}`);
    await waitingAre(service.origin, 1);
    socket.destroy();
    // Another request of the account makes the queue look for disconnected clients.
    const waiting = async (): Promise<number | undefined> => {
      await service.get('/Tables');
      return (await reportOf(service.origin)).accounts[0]?.waiting;
    };
    await expect.poll(waiting).toBe(0);
    service.time.advance(5_000);
    expect((await service.get(entityPath('gone', 'p', 'late'))).status).toBe(404);
  });

  it('refuses its requests immediately when the emulator closes', async () => {
    const service = await enforced({ queueLength: 1, waitMsMax: 200_000 });
    await service.createTable('closes');
    await insert(service, 'closes', 'first');
    const waiting = insert(service, 'closes', 'second');
    await waitingAre(service.origin, 1);
    await service.stop();
    expect((await waiting).status).toBe(503);
  });
});

describe('A query', () => {
  it('is charged for the entities it visits; when the budget is spent, its page ends with a continuation', async () => {
    const service = await enforced({ partitionTarget: 500, queueLength: 9 });
    await service.createTable('visits');
    for (let from = 0; from < 2_000; from += 100) {
      const calls = Array.from({ length: 100 }, (_, row) => ({
        method: 'PUT',
        url: `${service.base}/visits(PartitionKey='p',RowKey='${String(from + row).padStart(5, '0')}')`,
        body: JSON.stringify({ n: (from + row) % 100 }),
      }));
      const headers = { 'Content-Type': batchType };
      const { status } = await service.send({ method: 'POST', path: '/$batch', headers, body: changesetBody(calls) });
      expect(status).toBe(202);
      service.time.advance(200);
    }
    const filter = `$filter=${encodeURIComponent("PartitionKey eq 'p' and n eq 7")}`;
    const found: string[] = [];
    let [pages, next] = [0, ''];
    do {
      const page = await service.get(`/visits()?${filter}${next}`, { 'x-emulator-explain': 'true' });
      expect(page.status).toBe(200);
      found.push(...JSON.parse(page.body).value.map(({ RowKey }: { RowKey: string }) => RowKey));
      const [partition, row] = ['NextPartitionKey', 'NextRowKey'].map((name) =>
        page.header(`x-ms-continuation-${name}`),
      );
      if (partition !== undefined) expect(page.header('Server-Timing')).toContain('end;desc="budget"');
      next = partition === undefined ? '' : `&NextPartitionKey=${partition}&NextRowKey=${row}`;
      service.time.advance(1_000);
      pages++;
    } while (next !== '');
    expect(found).toEqual(Array.from({ length: 20 }, (_, at) => String(at * 100 + 7).padStart(5, '0')));
    expect(pages).toBeGreaterThan(2);
    const account = (await reportOf(service.origin)).accounts[0];
    // The budget may be spent exactly at the end of the table.
    expect([pages - 1, pages]).toContain(account?.pagesCut);
  });
});

describe('Without enforcement', () => {
  it('observe refuses nothing, and reports what would have been refused, and by which target', async () => {
    const service = await startService({ capacity: once });
    await service.createTable('observed');
    for (let row = 0; row < 10; row++) expect((await insert(service, 'observed', `${row}`)).status).toBe(201);
    const { throttle, accounts, recentRefusals } = await reportOf(service.origin);
    expect(throttle).toBe('observe');
    expect(accounts[0]?.refusals.partition).toEqual({ busy: 0, timedOut: 0, wouldThrottle: 9 });
    expect(recentRefusals.at(-1)?.places[0]).toMatchObject({
      account: 'devstoreaccount1',
      table: 'observed',
      partitionKey: 'p',
      limit: 'partition',
    });
  });

  it('off counts nothing', async () => {
    const service = await startService({ throttle: 'off', capacity: once });
    await service.createTable('unseen');
    for (let row = 0; row < 10; row++) expect((await insert(service, 'unseen', `${row}`)).status).toBe(201);
    expect((await reportOf(service.origin)).accounts).toEqual([]);
  });
});

describe('The timeout of a request', () => {
  it.each(['1', '30', '5000', '0', ''])('may be "%s"', async (timeout) => {
    const service = await startService();
    expect((await service.get(`/Tables?timeout=${timeout}`)).status).toBe(200);
  });

  it.each(['x', '-1', '1.5', '1s'])('is refused as "%s"', async (timeout) => {
    const service = await startService();
    const answer = await service.get(`/Tables?timeout=${timeout}`);
    expect([answer.status, codeIn(answer)]).toEqual([400, 'InvalidQueryParameterValue']);
  });
});
