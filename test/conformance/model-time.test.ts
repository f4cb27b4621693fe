// Everything that depends on the service's time follows model time. In these tests, model time is frozen years away
// from the machine's clock, unless a test moves it. Code that reads the machine's clock would therefore answer
// differently. Clients date and sign their requests by the machine's clock, and only that clock measures the age of a
// request.

import { describe, expect, it, vi } from 'vitest';
import type { AccountReport, CapacityReport } from '../../src/capacity/capacity-report.ts';
import type { CapacitySettings } from '../../src/capacity/capacity-settings.ts';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { type AdjustableTime, createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { etagOf } from '../support/expect-success.ts';
import { aclPath, expectStored, putXml, statsPath } from '../support/expect-xml.ts';
import { entityPath, type Service, serviceAt } from '../support/service.ts';
import { accountToken, type Clauses, holderOf, tableToken } from '../support/shared-access-tokens.ts';
import type { WireAnswer } from '../support/table-client.ts';
import { outcomeOf } from './differences/outcome.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The model time at which every test begins. The machine's clock is years behind. */
const startMs = Date.UTC(2041, 4, 1, 10, 0, 0);

interface TimedService extends Service {
  readonly time: AdjustableTime;
  readonly warnings: object[];
}

interface TimedOptions {
  readonly capacity?: Partial<CapacitySettings>;
  readonly tableDeleteDelayMs?: number;
  readonly lagMs?: number;
}

async function startTimed(options: TimedOptions = {}): Promise<TimedService> {
  const { capacity = {}, tableDeleteDelayMs = 0, lagMs = 0 } = options;
  const { throttle = defaultEmulatorSettings.throttle, ...model } = capacity;
  const time = createAdjustableTime();
  time.freeze();
  time.set(startMs);
  const warnings: object[] = [];
  const emulator = await runEmulator({
    ...defaultEmulatorSettings,
    port: 0,
    modelTime: time,
    tableDeleteDelayMs,
    replicaLagMs: lagMs,
    throttle,
    capacity: { ...defaultEmulatorSettings.capacity, ...model },
    log: { info: () => undefined, warn: (fields) => void warnings.push(fields), error: () => undefined },
  });
  const service = serviceAt(emulator.url, () => emulator.close());
  return {
    ...service,
    time,
    warnings,
  };
}

const insertInto = (service: Service, table: string, rowKey: string, partitionKey = 'p'): Promise<WireAnswer> =>
  service.send({
    method: 'POST',
    path: `/${table}`,
    body: JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey }),
  });

/** A time in the form of `st` and `se`. */
const momentIn = ({ time }: TimedService, ms: number): string =>
  `${new Date(time.nowMs() + ms).toISOString().slice(0, 19)}Z`;

async function capacityOf({ origin }: Service): Promise<CapacityReport> {
  return (await (await fetch(`${origin}/_emulator/capacity`)).json()) as CapacityReport;
}

async function accountOf(service: Service): Promise<AccountReport> {
  const [account] = (await capacityOf(service)).accounts;
  if (!account) throw new Error('no account was used');
  return account;
}

const waitingAre = (service: Service, count: number): Promise<void> =>
  vi.waitFor(async () => expect((await accountOf(service)).waiting).toBe(count), { timeout: 60_000 });

describe('Model time drives', () => {
  it('timestamps and ETags of entities', async () => {
    const service = await startTimed();
    await service.createTable('stamped');
    expect(JSON.parse((await insertInto(service, 'stamped', 'a')).body).Timestamp).toBe('2041-05-01T10:00:00.0000001Z');
    service.time.advance(hourMs);
    const later = await insertInto(service, 'stamped', 'b');
    expect(JSON.parse(later.body).Timestamp).toBe('2041-05-01T11:00:00Z');
    expect(etagOf(later)).toBe(`W/"datetime'2041-05-01T11%3A00%3A00Z'"`);
  });

  it('the time in the body of an error and of an Atom feed', async () => {
    const service = await startTimed();
    service.time.advance(1_234.5);
    const missing = await service.get("/Tables('missing')");
    expect(missing.body).toContain('Time:2041-05-01T10:00:01.2345000Z');
    const atom = { Accept: 'application/atom+xml', 'x-ms-version': '2013-08-15' };
    const feed = await service.get('/Tables', atom);
    expect(feed.body).toContain('<updated>2041-05-01T10:00:01Z</updated>');
  });

  it('the date of every answer, including refusals', async () => {
    const service = await startTimed();
    const dates = async (): Promise<unknown[]> => {
      const answers = [
        await service.get('/Tables'),
        await service.get('/missing()'),
        await service.send({ method: 'PUT', path: aclPath('missing') }),
        await service.get('/Tables', { Authorization: undefined }),
        await service.send({ method: 'OPTIONS', path: '/Tables' }),
      ];
      return answers.map((answer) =>
        answer.headers.filter(([name]) => name.toLowerCase() === 'date').map(([, at]) => at),
      );
    };
    expect(await dates()).toEqual(Array(5).fill(['Wed, 01 May 2041 10:00:00 GMT']));
    service.time.advance(1_999.5);
    expect(await dates()).toEqual(Array(5).fill(['Wed, 01 May 2041 10:00:01 GMT']));
    service.time.set(startMs - hourMs);
    expect(await dates()).toEqual(Array(5).fill(['Wed, 01 May 2041 09:00:00 GMT']));
  });

  it.each([
    ['a table', 'signed', (clauses: Clauses) => tableToken('signed', clauses)],
    ['an account', 'signed', (clauses: Clauses) => accountToken(clauses)],
  ])('start and expiry of a shared access signature of %s', async (_, table, token) => {
    const service = await startTimed();
    await service.createTable(table);
    const [st, se] = [momentIn(service, minuteMs), momentIn(service, 2 * minuteMs)];
    const holder = holderOf(service, token({ sp: 'r', st, se }));
    const read = async (): Promise<number> => (await holder.send({ method: 'GET', path: `/${table}()` })).status;
    const statuses = [await read()];
    for (const ms of [59 * secondMs, secondMs, minuteMs - secondMs, secondMs * 2]) {
      service.time.advance(ms);
      statuses.push(await read());
    }
    expect(statuses).toEqual([403, 403, 200, 200, 403]);
  });

  it('start and expiry of a stored access policy', async () => {
    const service = await startTimed();
    await service.createTable('policed');
    const times = `<Start>${momentIn(service, minuteMs)}</Start><Expiry>${momentIn(service, hourMs)}</Expiry>`;
    const policy = `<AccessPolicy>${times}<Permission>r</Permission></AccessPolicy>`;
    const acl = `<SignedIdentifiers><SignedIdentifier><Id>id</Id>${policy}</SignedIdentifier></SignedIdentifiers>`;
    expectStored(await putXml(service, aclPath('policed'), acl), 204);
    const holder = holderOf(service, tableToken('policed', { si: 'id', se: undefined }));
    const read = async (): Promise<number> => (await holder.send({ method: 'GET', path: '/policed()' })).status;
    const statuses = [await read()];
    for (const ms of [minuteMs, 58 * minuteMs, 2 * minuteMs]) {
      service.time.advance(ms);
      statuses.push(await read());
    }
    expect(statuses).toEqual([403, 200, 200, 403]);
  });

  it('how long the name of a deleted table is blocked', async () => {
    const service = await startTimed({ tableDeleteDelayMs: 40 * secondMs });
    const create = (): Promise<WireAnswer> =>
      service.send({ method: 'POST', path: '/Tables', body: '{"TableName":"deleted"}' });
    await create();
    await service.send({ method: 'DELETE', path: "/Tables('deleted')" });
    service.time.advance(40 * secondMs - 1);
    expect(outcomeOf(await create())).toBe('409 TableBeingDeleted');
    service.time.advance(1);
    expect((await create()).status).toBe(201);
  });

  it('the last synchronization of the secondary', async () => {
    const service = await startTimed({ lagMs: hourMs });
    const lastSync = async (): Promise<string | undefined> => {
      const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
      const { body } = await secondary.send({ method: 'GET', path: statsPath });
      return /<LastSyncTime>([^<]*)</.exec(body)?.[1];
    };
    expect(await lastSync()).toBe('Wed, 01 May 2041 09:00:00 GMT');
    service.time.advance(24 * hourMs);
    expect(await lastSync()).toBe('Thu, 02 May 2041 09:00:00 GMT');
  });
});

it('Model time leaves the age of a signed request to the clock of the machine', async () => {
  const service = await startTimed();
  const dated = (ms: number) => ({ 'x-ms-date': new Date(Date.now() + ms).toUTCString() });
  for (const yearMs of [startMs, Date.UTC(1700, 0), Date.UTC(9998, 0)]) {
    service.time.set(yearMs);
    expect((await service.get('/Tables')).status).toBe(200);
    expect((await service.get('/Tables', dated(-14 * minuteMs))).status).toBe(200);
    expect(outcomeOf(await service.get('/Tables', dated(-16 * minuteMs)))).toBe('403 AuthenticationFailed');
  }
});

describe('Model time drives capacity', () => {
  it('budgets refill, and a request that was refused succeeds when it is repeated', async () => {
    const service = await startTimed({ capacity: { throttle: 'enforce', partitionTarget: 2, queueLength: 0 } });
    await service.createTable('retried');
    const statuses: number[] = [];
    for (const row of ['a', 'b', 'c', 'd']) {
      for (let tries = 0; tries < 3; tries++) {
        const { status } = await insertInto(service, 'retried', row);
        statuses.push(status);
        if (status === 201) break;
        service.time.advance(500);
      }
    }
    expect(statuses).toEqual([201, 201, 503, 201, 503, 201]);
  });

  it('a waiting request is carried out, or times out', async () => {
    const service = await startTimed({ capacity: { throttle: 'enforce', partitionTarget: 1 } });
    await service.createTable('waits');
    await insertInto(service, 'waits', 'first');
    const second = insertInto(service, 'waits', 'second');
    await waitingAre(service, 1);
    const late = service.get(`${entityPath('waits', 'p', 'second')}?timeout=1`);
    await waitingAre(service, 2);
    service.time.advance(1_000);
    expect((await second).status).toBe(201);
    expect(outcomeOf(await late)).toBe('500 OperationTimedOut');
  });

  it('refusals are logged when their second is over, and the report says how long ago they were', async () => {
    const service = await startTimed({ capacity: { throttle: 'enforce', accountTarget: 1, queueLength: 0 } });
    for (const expected of [200, 503, 503]) expect((await service.get('/Tables')).status).toBe(expected);
    service.time.advance(999);
    expect(service.warnings).toEqual([]);
    service.time.advance(1);
    expect(service.warnings).toMatchObject([{ operation: 'Capacity', refused: 2 }]);
    service.time.advance(minuteMs);
    expect((await capacityOf(service)).recentRefusals).toMatchObject([{ secondsAgo: 61, refused: 2 }]);
  });

  it('a hot range splits, is available again, and merges when it is idle', async () => {
    const times = { splitAfterMs: 2_000, moveMs: 1_000, mergeAfterMs: 60_000 };
    const service = await startTimed({ capacity: { throttle: 'enforce', rangeTarget: 10, queueLength: 0, ...times } });
    await service.createTable('splits');
    const tableReport = async () => (await accountOf(service)).tables[0];
    const read = (at: number): Promise<WireAnswer> => service.get(entityPath('splits', `p${at % 10}`, 'r'));
    for (let second = 0; second < 20 && (await tableReport())?.splits !== 1; second++) {
      for (let at = 0; at < 12; at++) await read(at);
      service.time.advance(secondMs);
    }
    expect((await tableReport())?.ranges.map(({ isMoving }) => isMoving)).toEqual([true, true]);
    expect(outcomeOf(await read(0))).toBe('503 ServerBusy');
    service.time.advance(times.moveMs);
    expect((await tableReport())?.ranges.map(({ isMoving }) => isMoving)).toEqual([false, false]);
    expect(outcomeOf(await read(0))).toBe('404 ResourceNotFound');
    // A range is idle when the capacity window of ten seconds no longer contains its load.
    service.time.advance(10 * secondMs + times.mergeAfterMs);
    expect(await tableReport()).toMatchObject({ merges: 1, ranges: [{ from: '', before: null }] });
  });
});
