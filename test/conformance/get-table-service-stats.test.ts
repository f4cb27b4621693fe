import { describe, expect, it } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../src/index.ts';
import { expectServiceRefusal, expectXml, statsPath } from '../support/expect-xml.ts';
import { startService } from '../support/service.ts';
import { openClient, type WireAnswer } from '../support/table-client.ts';

const service = await startService();
const onSecondary = { prefix: '/devstoreaccount1-secondary' };

async function statsWith(options: EmulatorOptions): Promise<WireAnswer> {
  const emulator = await startEmulator(options);
  const client = openClient(emulator.url, onSecondary);
  const answer = await client.send({ method: 'GET', path: statsPath });
  await client.close();
  await emulator.close();
  return answer;
}

const lastSyncIn = ({ body }: WireAnswer): string => /<LastSyncTime>([^<]*)</.exec(body)?.[1] ?? 'none';
const content = (status: string, time: string): string =>
  `<StorageServiceStats><GeoReplication><Status>${status}</Status><LastSyncTime>${time}</LastSyncTime></GeoReplication></StorageServiceStats>`;

/** The time in the answer is cut to the second, so `fromMs` is cut too. */
function expectWithin(timeMs: number, [fromMs, toMs]: readonly [number, number]): void {
  expect(timeMs).toBeGreaterThan(fromMs - 1_000);
  expect(timeMs).toBeLessThanOrEqual(toMs);
}

describe('Get Table Service Stats', () => {
  it('of a live secondary returns its time, to the second', async () => {
    const beforeMs = Date.now();
    const answer = await service.with(onSecondary).send({ method: 'GET', path: statsPath });
    const time = lastSyncIn(answer);
    expect(new Date(time).toUTCString()).toBe(time);
    expectWithin(Date.parse(time), [beforeMs, Date.now()]);
    expectXml(answer, content('live', time));
  });

  it.each(['bootstrap', 'unavailable'] as const)('of a secondary that is %s returns no time', async (secondary) => {
    expectXml(await statsWith({ secondary }), content(secondary, ''));
  });

  it('of a lagging secondary returns an earlier time', async () => {
    const replicaLagMs = 3_600_000;
    const beforeMs = Date.now();
    const answer = await statsWith({ replicaLagMs });
    expectWithin(Date.parse(lastSyncIn(answer)) + replicaLagMs, [beforeMs, Date.now()]);
  });

  it('refuses on the primary: 400 InvalidQueryParameterValue', async () => {
    expectServiceRefusal(await service.get(statsPath), {
      status: 400,
      code: 'InvalidQueryParameterValue',
      message: 'Value for one of the query parameters specified in the request URI is invalid.',
    });
  });

  it('refuses a wrong signature, in the XML of the front end', async () => {
    const headers = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' };
    const answer = await service.with(onSecondary).send({ method: 'GET', path: statsPath, headers });
    expect([answer.status, answer.header('x-ms-error-code')]).toEqual([403, 'AuthenticationFailed']);
  });
});
