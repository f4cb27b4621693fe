import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, type ControlAnswer, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startTimedService } from '../../support/timed-service.ts';

const { service, time } = await startTimedService();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const entities = { 'Content-Type': 'application/x-ndjson' };
const idleMsMax = 60_000;
const loadsMax = 16;

const send = (method: string, path: string, body?: object | string): Promise<ControlAnswer> =>
  ask(service.origin, {
    method,
    path: `/_emulator/seed${path}`,
    body: body ?? (method === 'POST' ? '{}' : undefined),
    ...(typeof body === 'string' ? { headers: entities } : {}),
  });

async function begin(): Promise<string> {
  const { status, json } = await send('POST', '', {});
  expect(status).toBe(200);
  return (json as { load: string }).load;
}

describe('a load', () => {
  it('without a request for a minute is discarded with all its data', async () => {
    const load = await begin();
    expect((await send('PUT', `/${load}/tables/Slow`, {})).status).toBe(200);
    time.advance(idleMsMax - 1);
    const line = '{"PartitionKey":"p","RowKey":"r"}\n';
    expect((await send('POST', `/${load}/tables/Slow`, line)).json).toEqual({ table: 'Slow', entities: 1, added: 1 });
    time.advance(idleMsMax - 1);
    expect((await send('PUT', `/${load}/tables/Other`, {})).status).toBe(200);
    time.advance(idleMsMax);
    const late = await send('POST', `/${load}/finish`);
    expect({ status: late.status, code: codeOf(late) }).toEqual({ status: 404, code: 'LoadNotFound' });
    expect((await service.get('/Slow()')).status).toBe(404);
  });

  it('is refused while the maximum number is in progress, and begins when one has ended', async () => {
    const loads = await Promise.all(Array.from({ length: loadsMax }, begin));
    const refused = await send('POST', '', {});
    expect({ status: refused.status, code: codeOf(refused) }).toEqual({ status: 429, code: 'TooManyLoads' });
    expect((await send('DELETE', `/${loads[0]}`)).status).toBe(204);
    loads[0] = await begin();
    for (const load of loads) expect((await send('DELETE', `/${load}`)).status).toBe(204);
  });
});

describe('a load that keeps timestamps', () => {
  const kept = ['1601-01-01T00:00:00Z', '1969-12-31T23:59:59.9999999Z', '2024-05-01T10:00:00.1234567Z'];
  const early = ['0001-01-01T00:00:00Z', '0317-01-01T00:00:00Z', '1600-12-31T23:59:59.9999999Z'];
  const late = ['9999-12-31T23:59:59.9999999Z'];

  it('keeps timestamps that the service can have issued, and replaces others: every page can be read', async () => {
    const load = await begin();
    expect((await send('PUT', `/${load}/tables/Dated`, { keepsTimestamps: true })).status).toBe(200);
    const given = [...kept, ...early, ...late];
    const lines = given.map((Timestamp) => `${JSON.stringify({ PartitionKey: 'p', RowKey: Timestamp, Timestamp })}\n`);
    expect((await send('POST', `/${load}/tables/Dated`, lines.join(''))).json).toMatchObject({ added: given.length });
    expect((await send('POST', `/${load}/finish`)).status).toBe(200);
    const page = JSON.parse((await service.get('/Dated()')).body) as { value: { RowKey: string; Timestamp: string }[] };
    expect(page.value).toHaveLength(given.length);
    const same = page.value.filter(({ RowKey, Timestamp }) => RowKey === Timestamp).map(({ RowKey }) => RowKey);
    expect(same.sort()).toEqual(kept);
    const filter = encodeURIComponent("Timestamp lt datetime'1970-01-01T00:00:00Z'");
    const before = JSON.parse((await service.get(`/Dated()?$filter=${filter}`)).body) as { value: unknown[] };
    expect(before.value).toHaveLength(2);
  });
});

describe('with accounts any', () => {
  const beginAt = (origin: string, account: string): Promise<ControlAnswer> =>
    ask(origin, { method: 'POST', path: '/_emulator/seed', body: { account } });

  it('a load fills an account of any valid name before its first request, and refuses invalid names', async () => {
    const open = await startService({ accounts: 'any' });
    expect(await beginAt(open.origin, 'worker1')).toMatchObject({ status: 200, json: { account: 'worker1' } });
    for (const [origin, name] of [
      [open.origin, 'No-Account'],
      [service.origin, 'worker1'],
    ] as const) {
      const refused = await beginAt(origin, name);
      expect({ status: refused.status, code: codeOf(refused) }).toEqual({ status: 404, code: 'AccountNotFound' });
    }
  });
});

describe('startEmulator', () => {
  it('accepts a folder as seed, for an empty account or to replace its data', async () => {
    const path = join(folder.path, 'seed');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'Pets.ndjson'), '{"PartitionKey":"p","RowKey":"r"}\n');
    for (const options of [{ seed: path }, { seedAlways: path }]) {
      const seeded = await startEmulator(options);
      const out = join(folder.path, 'out');
      expect(await seeded.export(out)).toEqual({ tables: [{ name: 'Pets', entities: 1 }], obsolete: [] });
      await seeded.close();
    }
    writeFileSync(join(path, 'Pets.ndjson'), '{}\n');
    await expect(startEmulator({ seed: path })).rejects.toThrow(/Pets\.ndjson:1: PartitionKey is missing/);
  });
});
