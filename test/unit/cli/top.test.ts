import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapacityReport } from '../../../src/capacity/capacity-report.ts';
import { renderCapacity } from '../../../src/cli/render-capacity.ts';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { openClient } from '../../conformance/client.ts';
import { runCommand } from './run-command.ts';

const refusals = { busy: 0, timedOut: 0, spared: 0 };
const report: CapacityReport = {
  throttle: 'enforce',
  scale: 0.1,
  targets: { account: 2_000, range: 800, partition: 200 },
  queueLength: 32,
  accounts: [
    {
      account: 'devstoreaccount1',
      units: 1_234_567,
      unitsPerSecond: 500,
      budget: 1_500,
      waiting: 3,
      pagesCut: 0,
      refusals: { account: refusals, range: refusals, partition: { ...refusals, busy: 7 }, moving: refusals },
      tables: [
        {
          table: 'orders',
          units: 1_000,
          unitsPerSecond: 500,
          keyPattern: 'append-only',
          splits: 1,
          merges: 0,
          ranges: [
            { from: '', before: 'm', unitsPerSecond: 0, ofTarget: 0, isMoving: true, isLone: false, refused: 0 },
            {
              from: 'm',
              before: null,
              unitsPerSecond: 500,
              ofTarget: 0.625,
              isMoving: false,
              isLone: true,
              refused: 7,
            },
          ],
        },
      ],
      tablesLeftOut: 0,
      hotPartitions: [{ table: 'orders', partitionKey: 'z\u001b[2J\n', unitsPerSecond: 400, ofTarget: 2, refused: 7 }],
    },
  ],
  accountsLeftOut: 0,
  recentRefusals: [
    {
      secondsAgo: 2,
      refused: 7,
      spared: 0,
      places: [{ account: 'devstoreaccount1', table: 'orders', partitionKey: 'z', limit: 'partition', requests: 7 }],
    },
  ],
};

describe('A frame of top', () => {
  it('shows loads against targets, ranges, hot partitions and refusals', () => {
    expect(renderCapacity(report, { columns: 120, rows: 40 }).split('\n')).toEqual([
      'throttle enforce · scale 0.1 · targets in units of 1 KiB a second: account 2,000, range 800, partition 200',
      '',
      'account   [#####···············]   25 %      500/s  devstoreaccount1, 3 waiting',
      '  table orders: 500/s in 2 ranges, 1 splits, 0 merges, keys: append-only',
      '    range     [····················]    0 %        0/s  from "" before "m", moving',
      '    range     [#############·······]   63 %      500/s  from "m", cannot split, 7 refused',
      '    partition [####################]  200 %      400/s  "z\\u001b[2J\\n" of orders, 7 refused',
      '',
      'refusals',
      '     2 s ago  7 requests refused for capacity: partition "z" of orders is over the target of a partition (7)',
    ]);
  });

  it('fits into the window it is given', () => {
    const lines = renderCapacity(report, { columns: 30, rows: 4 }).split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
  });

  it('says so where nothing was asked for', () => {
    const text = renderCapacity({ ...report, accounts: [], recentRefusals: [] }, { columns: 80, rows: 40 });
    expect(text).toContain('nothing was asked for yet');
    expect(text).toContain('no refusals');
  });
});

describe('top', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
    const client = openClient(emulator.url);
    await client.send({ method: 'GET', path: '/Tables' });
    await client.close();
  });
  afterAll(() => emulator?.close());

  it('prints one frame into a pipe', async () => {
    const { code, stdout } = await runCommand(['top', '--url', emulator.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^throttle observe · scale 1 · [^\n]+\n\naccount {3}\[/);
    expect(stdout).toContain('devstoreaccount1');
  });

  it('prints the report as JSON', async () => {
    const { code, stdout } = await runCommand(['top', '--json', '--url', emulator.url]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ throttle: 'observe', accounts: [{ account: 'devstoreaccount1' }] });
  });

  it('ends with code 1 and one line where nobody answers', async () => {
    const { code, stdout, stderr } = await runCommand(['top', '--url', 'http://127.0.0.1:1']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tanzanite: no emulator answers at http:\/\/127\.0\.0\.1:1: [^\n]+\n$/);
  });
});
