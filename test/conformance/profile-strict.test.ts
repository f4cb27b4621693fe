// The settings of the profile strict, as clients notice them, and the settings that override them.

import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings, runEmulator } from '../../src/emulator.ts';
import { readOptions } from '../../src/library/read-options.ts';
import { createAdjustableTime } from '../../src/model/adjustable-time.ts';
import { ask } from '../support/control-plane.ts';
import { accepting } from '../support/expect-success.ts';
import { statsPath } from '../support/expect-xml.ts';
import { type Service, serviceAt, startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';
import { outcomeOf } from './differences/outcome.ts';

const profile = 'strict';
const { accounts } = defaultEmulatorSettings;
/** One request of a partition is allowed. The next one would have to wait for 100 seconds. */
const capacity = { partitionTarget: 0.01, rangeTarget: 1e6, accountTarget: 1e6, queueLength: 0 };

const strict = await startService({ profile });
const usual = await startService();
const overruled = await startService({
  profile,
  apiVersions: 'newer',
  tableDeleteDelayMs: 0,
  pageBoundaries: 'none',
  replicaLagMs: 0,
  throttle: 'observe',
  capacity,
});

const versionOf = async (service: Service, version: string): Promise<number> =>
  (await service.get('/Tables', { 'x-ms-version': version })).status;

async function createAgain(service: Service, name: string): Promise<string> {
  await service.createTable(name);
  await service.send({ method: 'DELETE', path: `/Tables('${name}')` });
  return create(service, name);
}

const create = async (service: Service, name: string): Promise<string> =>
  outcomeOf(await service.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) }));

/** Queries a table with an entity in each of two partitions, and returns the first page. */
async function firstPage(service: Service, table: string): Promise<readonly [count: number, next: string | undefined]> {
  await service.createTable(table);
  for (const PartitionKey of ['a', 'b']) await service.insert(table, { PartitionKey });
  const answer = await service.get(`/${table}()`, accepting('nometadata'));
  return [JSON.parse(answer.body).value.length, answer.header('x-ms-continuation-nextpartitionkey')];
}

async function lagMsOf(service: Service): Promise<number> {
  const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
  const { body } = await secondary.send({ method: 'GET', path: statsPath });
  const [, lastSync = ''] = /<LastSyncTime>([^<]*)</.exec(body) ?? [];
  return Date.now() - Date.parse(lastSync);
}

const insert = async (service: Service, RowKey: string): Promise<WireAnswer> =>
  service.send({ method: 'POST', path: '/busy', body: JSON.stringify({ PartitionKey: 'p', RowKey }) });

async function insertTwice(service: Service): Promise<string[]> {
  await service.createTable('busy');
  return [outcomeOf(await insert(service, '1')), outcomeOf(await insert(service, '2'))];
}

describe('With the profile strict', () => {
  it('a version that the service does not have is refused', async () => {
    expect(await versionOf(strict, '2099-12-31')).toBe(400);
    expect(await versionOf(usual, '2099-12-31')).toBe(200);
    expect(await versionOf(strict, '2019-02-02')).toBe(200);
  });

  it('the name of a deleted table is blocked for 40 seconds', async () => {
    const time = createAdjustableTime();
    const { tls: _tls, ...settings } = readOptions({ profile, accounts }).settings;
    const emulator = await runEmulator({ ...defaultEmulatorSettings, ...settings, accounts, modelTime: time });
    const service = serviceAt(emulator.url, () => emulator.close());
    time.freeze();
    expect(await createAgain(service, 'held')).toBe('409 TableBeingDeleted');
    time.advance(39_999);
    expect(await create(service, 'held')).toBe('409 TableBeingDeleted');
    time.advance(1);
    expect(await create(service, 'held')).toBe('201');
  });

  it('a page ends at the end of a partition', async () => {
    expect(await firstPage(strict, 'pages')).toEqual([1, expect.any(String)]);
    expect(await firstPage(usual, 'pages')).toEqual([2, undefined]);
  });

  it('the secondary is 15 minutes behind', async () => {
    const minuteMs = 60_000;
    expect(Math.floor((await lagMsOf(strict)) / minuteMs)).toBe(15);
    expect(Math.floor((await lagMsOf(usual)) / minuteMs)).toBe(0);
  });

  it('requests over the target of a partition are refused', async () => {
    const small = await startService({ profile, capacity });
    expect(await insertTwice(small)).toEqual(['201', '503 ServerBusy']);
  });

  it('every option that is given overrides the profile', async () => {
    expect(await versionOf(overruled, '2099-12-31')).toBe(200);
    expect(await createAgain(overruled, 'again')).toBe('201');
    expect(await firstPage(overruled, 'pages')).toEqual([2, undefined]);
    expect(await lagMsOf(overruled)).toBeLessThan(60_000);
    expect(await insertTwice(overruled)).toEqual(['201', '201']);
  });
});

describe('GET /_emulator/settings', () => {
  it('names the profile as the origin of its values, and the option as the origin of overriding values', async () => {
    const originsAt = async ({ origin }: Service): Promise<Record<string, object>> => {
      const { json } = await ask(origin, { method: 'GET', path: '/_emulator/settings' });
      const { settings } = json as { settings: { name: string; value: unknown; from: object }[] };
      return Object.fromEntries(settings.map(({ name, value, from }) => [name, { value, from }]));
    };
    const from = { kind: 'profile', name: 'strict' };
    expect(await originsAt(strict)).toMatchObject({
      profile: { value: 'strict', from: { kind: 'option', name: 'profile' } },
      apiVersions: { value: 'known', from },
      tableDeleteDelayMs: { value: 40_000, from },
      pageBoundaries: { value: 'partition', from },
      replicaLagMs: { value: 900_000, from },
      throttle: { value: 'enforce', from },
      host: { from: { kind: 'default' } },
    });
    expect(await originsAt(overruled)).toMatchObject({
      throttle: { value: 'observe', from: { kind: 'option', name: 'throttle' } },
      'capacity.queueLength': { from: { kind: 'option' } },
    });
    expect(await originsAt(usual)).toMatchObject({ profile: { value: 'default', from: { kind: 'default' } } });
  });
});
