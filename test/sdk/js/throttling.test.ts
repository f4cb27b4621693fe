// Tests @azure/data-tables, with its own retries, against an emulator that enforces the scalability targets.
// THROTTLED_INSERTS sets how many entities the test inserts into one partition. 2500 inserts take about a minute.

import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyConnectionString } from '../../../src/auth/connection-string.ts';
import { defaultEmulatorSettings, type RunningEmulator, runEmulator } from '../../../src/emulator.ts';
import { createAdjustableTime } from '../../../src/model/adjustable-time.ts';
import { developmentKey } from '../../support/table-client.ts';

const inserts = Number(process.env.THROTTLED_INSERTS ?? 300);
/** There are only few: the SDK gives up after three retries, and each retry competes with all workers. */
const workers = 2;
/** The targets are low, so that even a busy machine exceeds them. */
const scale = 0.02;

let [sent, busy] = [0, 0];
const time = createAdjustableTime();
let emulator: RunningEmulator;

beforeAll(async () => {
  // The emulator does not hold requests, so that only the client waits.
  const capacity = { ...defaultEmulatorSettings.capacity, scale, queueLength: 0 };
  emulator = await runEmulator({ ...defaultEmulatorSettings, port: 0, modelTime: time, throttle: 'enforce', capacity });
});
afterAll(() => emulator?.close());

const connectionString = (): string => {
  const name = 'devstoreaccount1';
  return keyConnectionString({ name, key: developmentKey, url: `${emulator.url}/${name}` });
};

function clientOf(table: string): TableClient {
  const client = TableClient.fromConnectionString(connectionString(), table, { allowInsecureConnection: true });
  client.pipeline.addPolicy(
    {
      name: 'counts tries',
      async sendRequest(request, next) {
        sent++;
        const answer = await next(request);
        if (answer.status === 503) busy++;
        return answer;
      },
    },
    { afterPhase: 'Retry' },
  );
  return client;
}

describe('The SDK against an enforced target', () => {
  it('completes more inserts into a partition than its target allows, by sending refused requests again', async () => {
    const client = clientOf('onePartition');
    await client.createTable();
    [sent, busy] = [0, 0];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let row = next++; row < inserts; row = next++) {
        await client.createEntity({ partitionKey: 'hot', rowKey: String(row).padStart(6, '0') });
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    expect(busy).toBeGreaterThan(0);
    expect(sent).toBe(inserts + busy);
    const rows: string[] = [];
    for await (const { rowKey = '' } of reader('onePartition').listEntities()) rows.push(rowKey);
    expect(rows).toHaveLength(inserts);
  }, 240_000);

  it('gets no error if the load is spread over 50 partitions and below the target of the account', async () => {
    const client = clientOf('spread');
    await client.createTable();
    time.advance(1_000);
    busy = 0;
    const perSecond = 0.25 * 20_000 * scale;
    for (let row = 0; row < 500; row++) {
      time.advance(1_000 / perSecond);
      await client.createEntity({ partitionKey: `p${row % 50}`, rowKey: String(row) });
    }
    expect(busy).toBe(0);
  }, 60_000);
});

/** Reads pages, and repeats requests while the partition is over its target. */
function reader(table: string): TableClient {
  const retryOptions = { maxRetries: 20, retryDelayInMs: 100, maxRetryDelayInMs: 500 };
  return TableClient.fromConnectionString(connectionString(), table, {
    allowInsecureConnection: true,
    retryOptions,
  });
}
