import { describe, expect, it } from 'vitest';
import type { RangeReport } from '../../src/capacity/capacity-report.ts';
import { ask } from '../support/control-plane.ts';
import { nextPartition } from '../support/queries.ts';
import { entityPath, type Service, startService } from '../support/service.ts';

/** With these settings, a hot range splits at the next check. Ranges are checked once a second. */
const eager = { rangeTarget: 5, splitAfterMs: 1, mergeAfterMs: 3_600_000, moveMs: 1 };

async function rangesOf({ origin }: Service): Promise<readonly RangeReport[]> {
  const { json } = await ask(origin, { method: 'GET', path: '/_emulator/capacity' });
  return (json as { accounts: { tables: { ranges: RangeReport[] }[] }[] }).accounts[0]?.tables[0]?.ranges ?? [];
}

async function unitsOf({ origin }: Service): Promise<number | undefined> {
  const { json } = await ask(origin, { method: 'GET', path: '/_emulator/capacity' });
  return (json as { accounts: { units: number }[] }).accounts[0]?.units;
}

/** Writes into partitions in turn until the table has at least two ranges. Returns the number of entities. */
async function writeUntilSplit(service: Service): Promise<number> {
  for (let row = 0; ; row++) {
    const PartitionKey = `p${String(row % 30).padStart(2, '0')}`;
    await service.insert('Ranges', { PartitionKey, RowKey: String(row).padStart(6, '0') });
    if (row % 60 === 59 && (await rangesOf(service)).length > 1) return row + 1;
  }
}

/**
 * Writes the same 30 entities again and again until the table has at least two ranges. The table has so few entities
 * that its first range cannot fill a page.
 */
async function rewriteUntilSplit(service: Service): Promise<void> {
  for (let write = 0; ; write++) {
    const path = entityPath('Ranges', `p${String(write % 30).padStart(2, '0')}`, 'r');
    await service.send({ method: 'PUT', path, body: '{}' });
    if (write % 60 === 59 && (await rangesOf(service)).length > 1) return;
  }
}

describe('Pages that end with a range partition', () => {
  it('have a continuation, and contain every entity once', async () => {
    const service = await startService({ pageBoundaries: 'range', capacity: eager });
    await service.createTable('Ranges');
    const count = await writeUntilSplit(service);
    const starts = (await rangesOf(service)).map(({ from }) => from);
    const keys: string[] = [];
    const firstOfPages: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = await service.get(`/Ranges()?${next}`, { 'x-emulator-explain': 'true' });
      const rows: { PartitionKey: string; RowKey: string }[] = JSON.parse(page.body).value;
      keys.push(...rows.map(({ RowKey }) => RowKey));
      firstOfPages.push(rows[0]?.PartitionKey ?? '');
      const [partition, row] = ['Partition', 'Row'].map((kind) => page.header(`x-ms-continuation-Next${kind}Key`));
      next = partition && `NextPartitionKey=${partition}&NextRowKey=${row}`;
      if (next !== undefined) expect(page.header('Server-Timing')).toMatch(/end;desc="(?:boundary|limit)"/);
    }
    expect(new Set(keys).size).toBe(count);
    expect(keys).toHaveLength(count);
    // Each range begins a page. Other pages begin after a full one.
    expect(firstOfPages).toEqual(expect.arrayContaining(starts.slice(1)));
  });

  it('are explained as they were read, and an explanation costs no capacity', async () => {
    const service = await startService({ pageBoundaries: 'range', capacity: eager });
    await service.createTable('Ranges');
    await rewriteUntilSplit(service);
    const before = await unitsOf(service);
    expect(before).toBeGreaterThan(60);
    const { json } = await ask(service.origin, { body: { filter: '', table: 'Ranges' } });
    expect(await unitsOf(service)).toBe(before);
    const page = await service.get('/Ranges()');
    const returned = JSON.parse(page.body).value.length;
    expect(page.header(nextPartition)).toBeDefined();
    expect(json).toMatchObject({ visited: returned, returned, end: 'boundary' });
  });
});
