// A rule with a probability strikes the same requests again, even over real connections.

import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { openClient } from '../../support/table-client.ts';
import { testSeed } from '../../support/test-seed.ts';

const keys = Array.from({ length: 2_000 }, (_, at) => `key${at}`);
const connections = 16;

/**
 * Returns the keys of the requests that a fault struck. The requests use many connections, so that their order differs
 * from run to run.
 */
async function struckWith(faultSeed: number, order: readonly string[]): Promise<string[]> {
  await using emulator = await startEmulator({ faultSeed });
  await emulator.faults.add({
    name: 'some',
    match: { operation: 'GetEntity' },
    when: { probability: 0.1 },
    fault: { kind: 'error', code: 'ServerBusy' },
  });
  const struck: string[] = [];
  const left = [...order];
  const clients = Array.from({ length: connections }, () => openClient(emulator.url));
  await Promise.all(
    clients.map(async (client) => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        const { status } = await client.send({ method: 'GET', path: `/none(PartitionKey='p',RowKey='${key}')` });
        if (status === 503) struck.push(key);
      }
      await client.close();
    }),
  );
  return struck.sort();
}

describe('A probability over 16 connections', { timeout: 120_000 }, () => {
  it('strikes the same keys again with the same seed, and other keys with another seed', async () => {
    const struck = await struckWith(testSeed, keys);
    expect(struck.length).toBeGreaterThan(120);
    expect(struck.length).toBeLessThan(280);
    expect(await struckWith(testSeed, [...keys].reverse())).toEqual(struck);
    const other = new Set(await struckWith((testSeed + 1) % 1_000_000_000, keys));
    expect(struck.filter((key) => other.has(key)).length).toBeLessThan(struck.length / 2);
  });
});
