// Changes to the clock of a running emulator, and their effects on clients. The clients date and sign their requests by
// the machine's clock. No test waits for time to pass.

import { describe, expect, it, vi } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import type { StartOptions } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { etagOf } from '../support/expect-success.ts';
import { aclPath, expectStored, putXml, statsPath } from '../support/expect-xml.ts';
import { ManualTime } from '../support/manual-time.ts';
import { entityPath, type Service, serviceAt, startService } from '../support/service.ts';
import { accountToken, holderOf, momentAt, tableToken } from '../support/shared-access-tokens.ts';
import type { WireAnswer } from '../support/table-client.ts';
import { outcomeOf } from './differences/outcome.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface Clocked extends Service {
  turn(body: object): Promise<string>;
  release(): Promise<void>;
}

const clocked = (service: Service): Clocked => ({
  ...service,
  async turn(body) {
    const { status, text, json } = await ask(service.origin, { path: '/_emulator/clock', body });
    expect(status, text).toBe(200);
    return (json as { now: string }).now;
  },
  async release() {
    expect((await ask(service.origin, { method: 'DELETE', path: '/_emulator/clock' })).status).toBe(200);
  },
});

const start = async (options: StartOptions = {}): Promise<Clocked> => clocked(await startService(options));

const write = (service: Service, table: string, rowKey: string, partitionKey = 'p'): Promise<WireAnswer> =>
  service.send({ method: 'PUT', path: entityPath(table, partitionKey, rowKey), body: '{}' });

const timestampOf = async (service: Service, table: string, rowKey: string): Promise<string> =>
  JSON.parse((await service.get(entityPath(table, 'p', rowKey))).body).Timestamp;

interface TableOfReport {
  readonly splits: number;
  readonly merges: number;
}

interface AccountOfReport {
  readonly waiting: number;
  readonly tables: readonly TableOfReport[];
}

async function accountIn(service: Service): Promise<AccountOfReport | undefined> {
  const { json } = await ask(service.origin, { method: 'GET', path: '/_emulator/capacity' });
  return (json as { accounts: readonly AccountOfReport[] }).accounts[0];
}

const waitingAre = (service: Service, count: number): Promise<void> =>
  vi.waitFor(async () => expect((await accountIn(service))?.waiting).toBe(count), { timeout: 60_000 });

describe('Turning the clock', () => {
  it.each([
    ['a table', () => tableToken('signed', { sp: 'r', st: momentAt(minuteMs), se: momentAt(hourMs) })],
    ['an account', () => accountToken({ sp: 'rl', st: momentAt(minuteMs), se: momentAt(hourMs) })],
  ])('begins and ends a shared access signature of %s, while the account key stays valid', async (_, token) => {
    const service = await start();
    await service.createTable('signed');
    const holder = holderOf(service, token());
    const statuses = async (): Promise<number[]> => [
      (await holder.send({ method: 'GET', path: '/signed()' })).status,
      (await service.get('/signed()')).status,
    ];
    const seen = [await statuses()];
    for (const advanceMs of [2 * minuteMs, hourMs]) {
      await service.turn({ advanceMs });
      seen.push(await statuses());
    }
    await service.release();
    seen.push(await statuses());
    await service.turn({ now: momentAt(5 * minuteMs) });
    seen.push(await statuses());
    expect(seen).toEqual([
      [403, 200],
      [200, 200],
      [403, 200],
      [403, 200],
      [200, 200],
    ]);
  });

  it('begins and ends a stored access policy', async () => {
    const service = await start();
    await service.createTable('policed');
    const times = `<Start>${momentAt(minuteMs)}</Start><Expiry>${momentAt(hourMs)}</Expiry>`;
    const policy = `<AccessPolicy>${times}<Permission>r</Permission></AccessPolicy>`;
    const acl = `<SignedIdentifiers><SignedIdentifier><Id>id</Id>${policy}</SignedIdentifier></SignedIdentifiers>`;
    expectStored(await putXml(service, aclPath('policed'), acl), 204);
    const holder = holderOf(service, tableToken('policed', { si: 'id', se: undefined }));
    const seen: number[] = [];
    for (const advanceMs of [0, 2 * minuteMs, hourMs]) {
      await service.turn({ advanceMs });
      seen.push((await holder.send({ method: 'GET', path: '/policed()' })).status);
    }
    expect(seen).toEqual([403, 200, 403]);
  });

  it('frees the name of a deleted table, and the name of a table deleted in a future that was taken back', async () => {
    const service = await start({ tableDeleteDelayMs: 40 * secondMs });
    await service.turn({ freeze: true });
    const create = (): Promise<WireAnswer> =>
      service.send({ method: 'POST', path: '/Tables', body: '{"TableName":"deleted"}' });
    const remove = (): Promise<WireAnswer> => service.send({ method: 'DELETE', path: "/Tables('deleted')" });
    await create();
    await remove();
    await service.turn({ advanceMs: 39 * secondMs });
    expect(outcomeOf(await create())).toBe('409 TableBeingDeleted');
    await service.turn({ advanceMs: secondMs });
    expect((await create()).status).toBe(201);
    await service.turn({ advanceMs: 365 * dayMs });
    await remove();
    expect(outcomeOf(await create())).toBe('409 TableBeingDeleted');
    await service.release();
    await service.turn({ advanceMs: 41 * secondMs });
    expect((await create()).status).toBe(201);
  });

  it('moves the last synchronization of the secondary', async () => {
    const service = await start({ replicaLagMs: hourMs });
    await service.turn({ freeze: true });
    await service.turn({ now: '2041-05-01T10:00:00Z' });
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    const { body } = await secondary.send({ method: 'GET', path: statsPath });
    expect(body).toContain('<LastSyncTime>Wed, 01 May 2041 09:00:00 GMT<');
  });

  it('moves timestamps and ETags, which increase by a tick while the clock is set back', async () => {
    const service = await start();
    await service.createTable('stamped');
    await service.turn({ freeze: true });
    await service.turn({ now: '2041-05-01T10:00:00Z' });
    await write(service, 'stamped', 'a');
    expect(await timestampOf(service, 'stamped', 'a')).toBe('2041-05-01T10:00:00Z');
    await service.turn({ now: '1999-12-31T00:00:00Z' });
    const etags: string[] = [];
    for (let at = 0; at < 3; at++) etags.push(etagOf(await write(service, 'stamped', 'a')) ?? '');
    expect(etags).toEqual([1, 2, 3].map((tick) => `W/"datetime'2041-05-01T10%3A00%3A00.000000${tick}Z'"`));
    await service.release();
    await write(service, 'stamped', 'a');
    expect(await timestampOf(service, 'stamped', 'a')).toBe('2041-05-01T10:00:00.0000004Z');
    await service.turn({ freeze: true });
    await service.turn({ now: '2041-05-01T10:00:01Z' });
    await write(service, 'stamped', 'a');
    expect(await timestampOf(service, 'stamped', 'a')).toBe('2041-05-01T10:00:01Z');
  });

  it('to the end of the year 9999 still leaves timestamps for writes, before and after a reset', async () => {
    const service = await start();
    await service.createTable('last');
    await service.turn({ now: '9999-12-31T23:59:59.999Z' });
    const stamps: string[] = [];
    for (let at = 0; at < 3; at++) {
      if (at === 2) await service.release();
      expect((await write(service, 'last', 'a')).status).toBe(204);
      stamps.push(await timestampOf(service, 'last', 'a'));
    }
    expect(stamps).toEqual(['', '.0000001', '.0000002'].map((ticks) => `9999-12-31T00:00:00${ticks}Z`));
  });
});

describe('Capacity, when the clock is changed', () => {
  const enforced = { throttle: 'enforce' } as const;

  it('refills its buckets', async () => {
    const service = await start({ ...enforced, capacity: { partitionTarget: 2, queueLength: 0 } });
    await service.turn({ freeze: true });
    await service.createTable('retried');
    const statuses: number[] = [];
    for (const row of ['a', 'b', 'c', 'd']) {
      for (let tries = 0; tries < 3; tries++) {
        const { status } = await write(service, 'retried', row);
        statuses.push(status);
        if (status === 204) break;
        await service.turn({ advanceMs: 500 });
      }
    }
    expect(statuses).toEqual([204, 204, 503, 204, 503, 204]);
  });

  it('splits a hot range and merges idle ones', async () => {
    const times = { splitAfterMs: 2_000, moveMs: 1_000, mergeAfterMs: 60_000 };
    const service = await start({ ...enforced, capacity: { rangeTarget: 10, queueLength: 0, ...times } });
    await service.turn({ freeze: true });
    await service.createTable('splits');
    const tableOf = async (): Promise<TableOfReport | undefined> => (await accountIn(service))?.tables[0];
    for (let second = 0; second < 20 && (await tableOf())?.splits !== 1; second++) {
      for (let at = 0; at < 12; at++) await service.get(entityPath('splits', `p${at % 10}`, 'r'));
      await service.turn({ advanceMs: secondMs });
    }
    expect(await tableOf()).toMatchObject({ splits: 1, merges: 0 });
    await service.turn({ advanceMs: 10 * secondMs + times.moveMs + times.mergeAfterMs });
    expect(await tableOf()).toMatchObject({ splits: 1, merges: 1 });
  });

  it('lets requests that wait in frozen time continue; `advanceMs` is answered when they are answered', async () => {
    const answered: string[] = [];
    const service = await start({
      ...enforced,
      capacity: { partitionTarget: 1 },
      onRequest: ({ rowKey, status }) => void (rowKey !== undefined && answered.push(`${rowKey} ${status}`)),
    });
    await service.createTable('waits');
    await service.turn({ freeze: true });
    await write(service, 'waits', 'first');
    const waiting: Promise<WireAnswer>[] = [];
    for (const row of ['a', 'b', 'c']) {
      waiting.push(write(service, 'waits', row));
      await waitingAre(service, waiting.length);
    }
    expect(answered).toEqual(['first 204']);
    await service.turn({ advanceMs: 2 * secondMs });
    expect(answered).toEqual(['first 204', 'a 204', 'b 204']);
    expect((await accountIn(service))?.waiting).toBe(1);
    await service.turn({ now: '2990-01-01' });
    expect(answered).toEqual(['first 204', 'a 204', 'b 204', 'c 204']);
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(204);
  });

  it('times out requests that wait in frozen time after 30 seconds of machine time', async () => {
    const machineTime = new ManualTime();
    const emulator = await runEmulator({
      ...defaultEmulatorSettings,
      port: 0,
      machineTime,
      throttle: 'enforce',
      capacity: { ...defaultEmulatorSettings.capacity, partitionTarget: 1 },
    });
    const service = serviceAt(emulator.url, () => emulator.close());
    await service.createTable('frozen');
    await emulator.clock.change({ kind: 'freeze' });
    await write(service, 'frozen', 'first');
    const late = write(service, 'frozen', 'late');
    await waitingAre(service, 1);
    machineTime.advance(30 * secondMs);
    expect(outcomeOf(await late)).toBe('500 OperationTimedOut');
    await emulator.clock.change({ kind: 'advance', ms: minuteMs });
    expect(outcomeOf(await service.get(entityPath('frozen', 'p', 'late')))).toBe('404 ResourceNotFound');
  });

  it('ends requests that wait in frozen time when the emulator closes', async () => {
    const emulator = await runEmulator({
      ...defaultEmulatorSettings,
      port: 0,
      throttle: 'enforce',
      capacity: { ...defaultEmulatorSettings.capacity, partitionTarget: 1 },
    });
    const service = serviceAt(emulator.url, () => emulator.close());
    await service.createTable('closes');
    await emulator.clock.change({ kind: 'freeze' });
    await write(service, 'closes', 'first');
    const waiting = write(service, 'closes', 'waits');
    await waitingAre(service, 1);
    const advance = emulator.clock.change({ kind: 'advance', ms: 0 });
    await emulator.close();
    expect(outcomeOf(await waiting)).toBe('503 ServerBusy');
    await expect(advance).resolves.toMatchObject({ isFrozen: true });
  });
});
