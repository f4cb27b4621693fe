// @azure/data-tables, with its own retries, against an emulator that enforces the targets of the service.
// THROTTLED_INSERTS sets how many entities one partition gets; 2500 take about a minute.

import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';

const inserts = Number(process.env.THROTTLED_INSERTS ?? 300);
/** Few: the SDK gives up after three retries, and each of them competes with all others. */
const workers = 5;
/** Low, so that even a machine with much else to do is beyond the targets. */
const scale = 0.02;

/** When each attempt of a request was sent, by the id that all its attempts share. */
const tries = new Map<string, number[]>();
let busy = 0;
let emulator: Emulator;

beforeAll(async () => {
  // The emulator holds no request: every wait is the client's own.
  emulator = await startEmulator({ throttle: 'enforce', capacity: { scale, queueLength: 0 } });
});
afterAll(() => emulator?.close());

function clientOf(table: string): TableClient {
  const client = TableClient.fromConnectionString(emulator.connectionString, table, { allowInsecureConnection: true });
  client.pipeline.addPolicy(
    {
      name: 'notes tries',
      async sendRequest(request, next) {
        const sent = tries.get(request.requestId) ?? [];
        tries.set(request.requestId, [...sent, performance.now()]);
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
  it('completes more inserts into one partition than its target allows, with increasing delays', async () => {
    const client = clientOf('onePartition');
    await client.createTable();
    busy = 0;
    tries.clear();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let row = next++; row < inserts; row = next++) {
        await client.createEntity({ partitionKey: 'hot', rowKey: String(row).padStart(6, '0') });
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    expect(busy).toBeGreaterThan(0);
    const rows: string[] = [];
    for await (const { rowKey = '' } of reader('onePartition').listEntities()) rows.push(rowKey);
    expect(rows).toHaveLength(inserts);
    const gaps = [...tries.values()].filter((sent) => sent.length > 1).map(gapsIn);
    expect(gaps.length).toBeGreaterThan(0);
    for (const [first = 0] of gaps) expect(first).toBeGreaterThan(400);
    const growing = gaps.filter((gap) => gap.every((ms, at) => at === 0 || ms > (gap[at - 1] ?? 0)));
    // A timer may fire late, so that a gap or two may not have grown.
    expect(growing.length).toBeGreaterThanOrEqual(0.9 * gaps.length);
  }, 240_000);

  it('gets no error if the load is spread over 50 partitions and below the target of the account', async () => {
    const client = clientOf('spread');
    await client.createTable();
    await sleep(1_000);
    busy = 0;
    const perSecond = 0.25 * 20_000 * scale;
    const startedMs = performance.now();
    for (let row = 0; row < 500; row++) {
      const early = (row / perSecond) * 1_000 - (performance.now() - startedMs);
      if (early > 0) await sleep(early);
      await client.createEntity({ partitionKey: `p${row % 50}`, rowKey: String(row) });
    }
    expect(busy).toBe(0);
  }, 60_000);
});

/** Reads pages again while the partition is over its target. */
function reader(table: string): TableClient {
  const retryOptions = { maxRetries: 20, retryDelayInMs: 100, maxRetryDelayInMs: 500 };
  return TableClient.fromConnectionString(emulator.connectionString, table, {
    allowInsecureConnection: true,
    retryOptions,
  });
}

const gapsIn = (sent: readonly number[]): number[] => sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
