import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { ask } from '../../support/control-plane.ts';
import { signedHead } from '../../support/raw-socket.ts';
import { startService } from '../../support/service.ts';

const service = await startService({ throttle: 'enforce', capacity: { partitionTarget: 2, queueLength: 0 } });
await service.createTable('Pets');
await service.insert('Pets', { RowKey: 'a' });
await service.insert('Pets', { RowKey: 'b' });
const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'c' });
const busy = (await service.send({ method: 'POST', path: '/Pets', body })).status;
await service.get('/Pets()?$top=1');

/** The samples, by their name and labels as text. */
async function samples(): Promise<Map<string, number>> {
  const { status, text, headers } = await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^([a-z\d_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      expect(name, line).toMatch(/^(tanzanite|process)_/);
      return [name, Number(value)];
    }),
  );
}

describe('Metrics', () => {
  it('count requests by operation and status, with their durations', async () => {
    const found = await samples();
    expect(busy).toBe(503);
    expect(found.get('tanzanite_requests_total{operation="InsertEntity",status="201"}')).toBe(2);
    expect(found.get('tanzanite_requests_total{operation="InsertEntity",status="503"}')).toBe(1);
    expect(found.get('tanzanite_request_duration_seconds_count{operation="InsertEntity"}')).toBe(3);
    expect(found.get('tanzanite_request_duration_seconds_bucket{operation="InsertEntity",le="+Inf"}')).toBe(3);
    expect(found.get('tanzanite_request_duration_seconds_sum{operation="InsertEntity"}')).toBeGreaterThan(0);
  });

  it('have no counter of spans if none are sent', async () => {
    expect([...(await samples()).keys()].filter((name) => name.includes('span'))).toEqual([]);
  });

  it('have bucket counters that never decrease', async () => {
    const found = await samples();
    const buckets = [...found].filter(([name]) => name.includes('_bucket{operation="CreateTable"'));
    expect(buckets.length).toBeGreaterThan(10);
    for (const [at, [, value]] of buckets.entries()) expect(value).toBeGreaterThanOrEqual(buckets[at - 1]?.[1] ?? 0);
  });

  it('count queries by plan, with the entities visited and returned', async () => {
    const found = await samples();
    expect(found.get('tanzanite_queries_total{plan="table scan"}')).toBe(1);
    expect(found.get('tanzanite_entities_visited_total{plan="table scan"}')).toBe(1);
    expect(found.get('tanzanite_entities_returned_total{plan="table scan"}')).toBe(1);
  });

  it('count units and throttled requests, by limit and outcome', async () => {
    const found = await samples();
    expect(found.get('tanzanite_entity_units_total')).toBe(5);
    expect(found.get('tanzanite_throttled_total{limit="partition",outcome="busy"}')).toBe(1);
    expect(found.get('tanzanite_throttled_total{limit="account",outcome="wouldThrottle"}')).toBe(0);
    expect([...found.keys()].filter((name) => name.includes('spared'))).toEqual([]);
  });

  it('do not change between two requests', async () => {
    const [first, second] = [await samples(), await samples()];
    const counters = (found: Map<string, number>): [string, number][] =>
      [...found].filter(([name]) => /^tanzanite_.*_total/.test(name));
    expect(counters(second)).toEqual(counters(first));
  });

  it('describe the process and its event loop', async () => {
    const found = await samples();
    expect(found.get('tanzanite_requests_in_flight')).toBe(0);
    expect(found.get('tanzanite_overloaded_total')).toBe(0);
    expect(found.get('tanzanite_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(found.get('tanzanite_event_loop_utilization')).toBeLessThanOrEqual(1);
    expect(found.get('tanzanite_event_loop_delay_p99_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('name the program that runs, and describe the process under the names that dashboards use', async () => {
    const found = await samples();
    expect([...found].filter(([name]) => name.startsWith('tanzanite_build_info'))).toEqual([
      [`tanzanite_build_info{version="${manifest.version}",node="${process.version}"}`, 1],
    ]);
    expect(found.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(Math.abs((found.get('process_start_time_seconds') ?? 0) - performance.timeOrigin / 1000)).toBeLessThan(1);
    if (process.platform === 'linux') expect(found.get('process_open_fds')).toBeGreaterThan(2);
  });

  it('are exactly those that docs/operations.md lists', async () => {
    const { text } = await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' });
    const exposed = [...text.matchAll(/^# TYPE tanzanite_(\S+)/gm)].map(([, name]) => name);
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const table = /^\| metric, prefixed with `tanzanite_`[^\n]*\n\| -[^\n]*\n((?:\|[^\n]*\n)+)/m.exec(page)?.[1] ?? '';
    const listed = table.split('\n').flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
    expect(listed.map(([, name]) => name).sort()).toEqual(exposed.sort());
  });

  it('contain no names that clients choose', async () => {
    const before = (await samples()).size;
    await Promise.all(Array.from({ length: 200 }, (_, at) => service.get(`/nobody${at}()`)));
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        service
          .with({ prefix: `/nobody${at}` })
          .send({ method: 'BREW', path: '/x' })
          .catch(() => undefined),
      ),
    );
    // Each requested operation adds at most one sample with its status.
    expect((await samples()).size).toBeLessThan(before + 60);
    expect([...(await samples()).keys()].join()).not.toContain('nobody');
  });
});

describe('Counters', () => {
  it('never decrease: they include accounts that were reset, and all accounts even if there are many', async () => {
    const many = await startService({ accounts: 'any' });
    const unitsOf = async (): Promise<number> => {
      const { text } = await ask(many.origin, { method: 'GET', path: '/_emulator/metrics' });
      return Number(/^tanzanite_entity_units_total (\d+)$/m.exec(text)?.[1]);
    };
    for (let at = 0; at < 40; at++) {
      const account = `worker${at}`;
      await many.with({ account, prefix: `/${account}` }).send({ method: 'GET', path: '/Tables' });
    }
    expect(await unitsOf()).toBe(40);
    await ask(many.origin, { path: '/_emulator/reset', body: {} });
    expect(await unitsOf()).toBe(40);
  });
});

describe('Overload', () => {
  it('has its own counter of requests refused because too many were in flight', async () => {
    const service = await startService({ requestsInFlightMax: 1 });
    const metric = async (name: string): Promise<number> => {
      const { text } = await ask(service.origin, { method: 'GET', path: '/_emulator/metrics' });
      return Number(new RegExp(`^tanzanite_${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    const overloaded = (): Promise<number> => metric('overloaded_total');
    expect((await service.get('/Tables')).status).toBe(200);
    expect(await overloaded()).toBe(0);
    const { hostname, port, host } = new URL(service.origin);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    // A request is in flight until its body is complete.
    const headers = { Host: host, 'Content-Type': 'application/json', 'Content-Length': '100' };
    socket.write(`${signedHead({ method: 'POST', target: '/devstoreaccount1/Tables', headers })}{"TableName":`);
    await vi.waitFor(async () => expect(await metric('requests_in_flight')).toBe(1), { timeout: 60_000 });
    expect((await service.get('/Tables')).status).toBe(503);
    const before = await overloaded();
    await service.get('/Tables');
    expect([before, await overloaded()]).toEqual([1, 2]);
  });
});
