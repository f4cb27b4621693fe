// Rules about load and the scalability targets. For each rule, one trace raises it, and a similar one does not.

import { describe, expect, it } from 'vitest';
import { defaultEmulatorSettings } from '../../../src/emulator.ts';
import { type Key, startAdvised } from '../../support/advised.ts';

// A tenth of Azure's targets: 200 entities per second in a partition, 2,000 in an account.
const app = await startAdvised({ capacity: { ...defaultEmulatorSettings.capacity, scale: 0.1 } });
await app.create('Events');

async function write(partitions: number, each: number): Promise<void> {
  for (let at = 0; at < partitions; at++) await app.fill('Events', `p${at}`, each);
}

describe('partition-target', () => {
  it('is raised by a partition that reaches its target, which the settings scale', async () => {
    await write(1, 200);
    expect(await app.raised()).toEqual(['partition-target Events']);
    expect(await app.finding('partition-target')).toMatchObject({
      severity: 'warning',
      evidence: { entitiesInASecond: 200, target: 200, partitionKey: "'p0'" },
    });
  });

  it('is a note at half the target', async () => {
    await write(1, 100);
    expect(await app.finding('partition-target')).toMatchObject({ severity: 'note', count: 1 });
  });

  it('is not raised by a load below half the target, nor by a load over several partitions or seconds', async () => {
    await write(5, 90);
    app.time.advance(1_000);
    await write(1, 90);
    expect(await app.raised()).toEqual([]);
  });
});

describe('account-target', () => {
  it('is raised by an account that reaches its target', async () => {
    await write(25, 80);
    expect(await app.raised()).toEqual(['account-target –']);
    expect(await app.finding('account-target')).toMatchObject({ severity: 'warning', evidence: { target: 2_000 } });
  });

  it('is not raised below half its target', async () => {
    await write(11, 80);
    expect(await app.raised()).toEqual([]);
  });
});

describe('hot-partition', () => {
  const read = async (hot: number, others: number): Promise<void> => {
    for (let at = 0; at < hot + others; at++) {
      await app.get('Events', [at < hot ? 'hot' : `p${at % 10}`, `r${at}`]);
      app.time.advance(20);
    }
  };

  it('is raised by a partition that takes most of a thousand requests', async () => {
    await read(520, 480);
    expect(await app.raised()).toEqual(['hot-partition Events']);
    expect((await app.finding('hot-partition'))?.evidence).toMatchObject({
      requests: 520,
      ofRequests: 1_000,
      partitions: 11,
    });
  });

  it('is raised by reads that are so fast that only a sample is judged', async () => {
    const keys = Array.from({ length: 11 }, (_, at): Key => [`p${at}`, 'r']);
    for (const key of keys) await app.insert('Events', key);
    for (let at = 0; at < 1_500; at++) await app.get('Events', keys[at < 900 ? 0 : 1 + (at % 10)] as Key);
    expect(await app.raised()).toContain('hot-partition Events');
    const { requests, ofRequests } = (await app.finding('hot-partition'))?.evidence ?? {};
    expect(Math.abs(Number(requests) - 901)).toBeLessThan(64);
    expect(Math.abs(Number(ofRequests) - 1_511)).toBeLessThan(64);
    expect((await app.report()).tables).toMatchObject([{ table: 'Events', billableTransactions: 1_511 }]);
  });

  it('is not raised by a partition with half of the requests, nor by fewer requests', async () => {
    await read(500, 500);
    expect(await app.raised()).toEqual([]);
  });
});

describe('burst', () => {
  /** Each round fills a partition, and takes a second. */
  const pace = async (seconds: number, each: number): Promise<void> => {
    for (let at = 0; at < seconds; at++) {
      await app.fill('Events', `p${at}`, each);
      app.time.advance(1_000);
    }
  };

  it('is raised by ten times the usual load, near a target', async () => {
    await pace(61, 5);
    await app.fill('Events', 'p', 60);
    expect(await app.raised()).toEqual(['burst Events']);
    expect((await app.finding('burst'))?.evidence).toMatchObject({ entitiesInASecond: 60, usualInASecond: 5 });
  });

  it('is not raised by a growing load, in the first minute, nor far below a target', async () => {
    await app.fill('Events', 'p', 60);
    await pace(61, 4);
    await app.fill('Events', 'p', 39);
    app.time.advance(1_000);
    await app.fill('Events', 'p', 49);
    expect(await app.raised()).toEqual([]);
  });
});
