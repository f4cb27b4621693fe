import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AccountReport, CapacityReport, RangeReport, TableReport } from '../../../src/capacity/capacity-report.ts';
import type { RefusalSecond } from '../../../src/capacity/refusal-journal.ts';
import { askEmulator } from '../../../src/cli/ask-emulator.ts';
import { columnsOf } from '../../../src/cli/columns.ts';
import { renderCapacity, showLoad } from '../../../src/cli/top.ts';
import { describeRates, readTraffic } from '../../../src/cli/traffic-rates.ts';
import { windowSize } from '../../../src/cli/watch-load.ts';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { openClient } from '../../support/table-client.ts';

const none = { busy: 0, timedOut: 0, wouldThrottle: 0 };
const report: CapacityReport = {
  throttle: 'enforce',
  scale: 0.1,
  targets: { account: 2_000, range: 800, partition: 200 },
  queueLength: 32,
  waitMsMax: 5_000,
  accounts: [
    {
      account: 'devstoreaccount1',
      units: 1_234_567,
      unitsPerSecond: 500,
      history: [],
      budget: 1_500,
      waiting: 3,
      pagesCut: 39,
      refusals: { account: none, range: none, partition: { ...none, busy: 4, timedOut: 3 }, moving: none },
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
      wouldThrottle: 0,
      pagesCut: 39,
      places: [{ account: 'devstoreaccount1', table: 'orders', partitionKey: 'z', limit: 'partition', requests: 7 }],
    },
  ],
};

const [account] = report.accounts as [AccountReport];
const [table] = account.tables as [TableReport];
const [, lastRange] = table.ranges as [RangeReport, RangeReport];
const observedSecond: RefusalSecond = { ...report.recentRefusals[0]!, refused: 0, wouldThrottle: 7 };
const terminal = windowSize({ columns: 80, rows: 24 });
const linesOf = (shown: CapacityReport, size = terminal): string[] => renderCapacity(shown, size).split('\n');

/** A report that does not fit into a window. */
function fullReport(): CapacityReport {
  const ranges = ['a', 'b', 'c', 'd', 'e'].map((from, at) => ({ ...lastRange, from, ofTarget: at / 10, refused: 0 }));
  const tables = ['one', 'two', 'three'].map((name) => ({ ...table, table: name, ranges }));
  const hotPartitions = Array.from({ length: 8 }, (_, at) => ({
    ...account.hotPartitions[0]!,
    partitionKey: `p${at}`,
    ofTarget: at === 7 ? 2 : 0.1,
    refused: at === 7 ? 120 : 0,
  }));
  const accounts = ['first', 'second'].map((name) => ({ ...account, account: name, tables, hotPartitions }));
  const recentRefusals = Array.from({ length: 60 }, (_, secondsAgo) => ({ ...observedSecond, secondsAgo }));
  return { ...report, throttle: 'observe', accounts, recentRefusals };
}

describe('A frame of top', () => {
  it('shows refusals, loads as a share of their targets, ranges and hot partitions', () => {
    expect(linesOf(report, { columns: 120, rows: 40 })).toEqual([
      'throttle enforce · scale 0.1 · account 2,000, range 800, partition 200: targets in units of 1 KiB a second',
      'refused, or ended early:',
      '  2 s ago  7 requests, 39 pages: partition "z" of orders is over the target of a partition (7)',
      '',
      'account   [#####···············]   25 %     500/s  devstoreaccount1, 3 waiting; so far 7 refused and 39 pages cut',
      '  table orders: 500/s in 2 ranges, 1 split, 0 merges, keys: append-only (append-only-keys)',
      '    range     [····················]    0 %       0/s  from "" before "m", moving',
      '    range     [#############·······]   63 %     500/s  from "m", 7 refused, cannot split',
      '    partition [####################]  200 %     400/s  "z\\u001b[2J\\n" of orders, 7 refused',
    ]);
  });

  it.each([40, 60, 80])('keeps the count at the end of a refusal at %i columns', (columns) => {
    const line = linesOf(report, { columns, rows: 40 }).find((one) => one.includes(' s ago ')) ?? '';
    expect(line).toMatch(/^ {2}2 s ago {2}7 requests, .*… \(7\)$/);
    expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  it.each([40, 80, 100])('shows the targets at %i columns', (columns) => {
    const lines = linesOf(report, { columns, rows: 40 });
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain('partition 200: targets in units of 1 KiB a second refused');
  });

  it('shows a hot partition below its table, and those of omitted tables at the end', () => {
    const tables = ['one', 'two'].map((name) => ({ ...account.tables[0]!, table: name }));
    const hotPartitions = ['absent', 'two', 'one'].map((name) => ({ ...account.hotPartitions[0]!, table: name }));
    const lines = linesOf({ ...report, accounts: [{ ...account, tables, hotPartitions }] }, { columns: 120, rows: 40 });
    const order = lines.flatMap((line) => /table (\w+):|" of (\w+),/.exec(line)?.slice(1).filter(Boolean) ?? []);
    expect(order).toEqual(['one', 'one', 'two', 'two', 'absent']);
  });

  it('does not report a request as refused if it only would have been refused', () => {
    const observed = { ...report, throttle: 'observe', recentRefusals: [observedSecond] } as const;
    expect(linesOf(observed, { columns: 120, rows: 40 })).toEqual([
      expect.stringMatching(/^throttle observe · /),
      'production would have refused, or ended early:',
      '  2 s ago  7 requests, 39 pages: partition "z" of orders is over the target of a partition (7)',
      '',
      expect.stringMatching(/devstoreaccount1, 3 waiting$/),
      '  so far 7 would be refused and 39 pages cut',
      expect.stringMatching(/^ {2}table orders/),
      expect.stringMatching(/from "" before "m", moving$/),
      expect.stringMatching(/from "m", 7 would be refused, cannot split$/),
      expect.stringMatching(/of orders, 7 would be refused$/),
    ]);
  });

  it('shows cut pages if there are no refusals', () => {
    const { refusals: _refusals, ...rest } = account;
    const cut = { ...rest, refusals: { account: none, range: none, partition: none, moving: none }, pagesCut: 1 };
    const of = (throttle: 'observe' | 'enforce') =>
      renderCapacity({ ...report, throttle, accounts: [cut] }, { columns: 200, rows: 40 });
    expect(of('observe')).toContain('; so far 1 page would be cut\n');
    expect(of('enforce')).toContain('; so far 1 page cut\n');
  });

  it('shows refusals and every account in a window of 80 by 24, and says what it omits', () => {
    const lines = linesOf(fullReport());
    expect(lines).toHaveLength(23);
    expect(lines.slice(2, 7)).toEqual([
      'production would have refused, or ended early:',
      expect.stringMatching(/^ {2}0 s ago {2}7 requests, 39 pages: /),
      expect.stringMatching(/^ {2}1 s ago /),
      expect.stringMatching(/^ {2}2 s ago /),
      '',
    ]);
    for (const name of ['first', 'second']) expect(lines.join('\n')).toMatch(new RegExp(`^account .*  ${name}`, 'm'));
    // Such a small window has no lines for two of the seconds.
    const all = linesOf(fullReport(), { columns: 80, rows: 200 }).length - 2;
    expect(lines.at(-1)).toBe(`… ${all - 22} more lines; make the window taller or use --json`);
  });

  it('omits the least busy tables first, and ranges before their table', () => {
    const lines = linesOf(fullReport());
    const kept = lines.filter((line) => line.includes('partition ['));
    expect(kept).toHaveLength(2);
    for (const line of kept) expect(line).toMatch(/"p7" of orders, 120 would be refused$/);
    const ranges = lines.filter((line) => line.includes('range     ['));
    expect(ranges.length).toBeGreaterThan(0);
    for (const line of ranges) expect(line).toMatch(/ 40 % .* from "e"/);
    expect(lines[lines.indexOf(ranges[0]!) - 1]).toMatch(/^ {2}table one: /);
  });

  it('shows more seconds in a taller window, and everything in a window that is tall enough', () => {
    const lines = linesOf(fullReport(), { columns: 80, rows: 200 });
    expect(lines.filter((line) => line.includes(' s ago '))).toHaveLength(5);
    expect(lines.join('\n')).not.toContain('more line');
  });

  it('counts the accounts that it does not show', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...account, account: name }));
    const last = (accountsLeftOut: number, accounts = many): string | undefined =>
      linesOf({ ...report, accounts, accountsLeftOut }, { columns: 80, rows: 200 }).at(-1);
    expect(last(12)).toBe('… and 14 more accounts');
    expect(last(0, many.slice(0, 4))).toBe('… and 1 more account');
    expect(last(0, many.slice(0, 3))).not.toContain('more account');
  });

  it('fits the window', () => {
    const lines = linesOf(report, { columns: 30, rows: 4 });
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(30);
  });

  it('fits keys of double width, and keeps their figures', () => {
    const ranges = [{ ...lastRange, from: '東京タワー'.repeat(8), before: '東京😀'.repeat(12), refused: 1_234 }];
    const hotPartitions = [{ ...account.hotPartitions[0]!, partitionKey: '😀'.repeat(30), refused: 1_234 }];
    const accounts = [{ ...account, tables: [{ ...table, ranges }], hotPartitions }];
    const lines = linesOf({ ...report, throttle: 'observe', accounts });
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(lines.join('\n')).not.toMatch(/\p{Surrogate}/u);
    expect(lines.filter((line) => line.includes('…, 1,234 would be refused'))).toHaveLength(2);
  });

  it('says so if there were no requests', () => {
    const text = renderCapacity({ ...report, accounts: [], recentRefusals: [] }, { columns: 80, rows: 40 });
    expect(text).toContain('no requests yet');
    expect(text).toContain('no refusals');
  });

  it('says so if capacity is not counted', () => {
    const off = { ...report, throttle: 'off', accounts: [], recentRefusals: [] } as const;
    expect(linesOf(off)).toEqual(['throttle off', '', 'nothing is counted: the emulator runs with --throttle off']);
  });
});

describe('describeRates', () => {
  const reading = (requests: number, uptimeSeconds: number, quick: number) => ({
    requests,
    refused: requests / 10,
    failed: 0,
    upTo: new Map([
      [0.001, quick],
      [2.5, requests - 1],
      [Number.POSITIVE_INFINITY, requests],
    ]),
    uptimeSeconds,
  });

  it('shows rates, and the limits within which requests were answered', () => {
    const [before, after] = [reading(100, 10, 60), reading(300, 12, 200)];
    const rates = '100 requests/s, 10/s refused (4xx), 0/s failed (5xx)';
    expect(describeRates(before, after)).toBe(`${rates}; half within 1 ms, 99 % within 2.5 s`);
    expect(describeRates(before, { ...after, upTo: new Map([[0.5, 60]]) })).toBe(
      `${rates}; half over 0.5 s, 99 % over 0.5 s`,
    );
  });

  it('shows no rates before the second reading and directly after a restart', () => {
    expect(describeRates(undefined, reading(100, 10, 60))).toBeUndefined();
    expect(describeRates(reading(100, 10, 60), reading(0, 1, 0))).toBeUndefined();
  });
});

describe('windowSize', () => {
  it.each([
    [
      { columns: 120, rows: 50 },
      { columns: 120, rows: 49 },
    ],
    [
      { columns: 0, rows: 0 },
      { columns: 80, rows: 23 },
    ],
    [{}, { columns: 80, rows: 23 }],
  ])('leaves a row for the cursor, and is 80 by 24 if the terminal has no size: %o', (terminalSize, size) => {
    expect(windowSize(terminalSize)).toEqual(size);
  });
});

describe('A large report', () => {
  let large: Server;
  let address: { readonly url: string };
  const accounts = Array.from({ length: 20 }, (_, at) => ({ ...account, account: `${at}${'x'.repeat(100_000)}` }));

  beforeAll(async () => {
    large = createServer((_request, response) => response.end(JSON.stringify({ ...report, accounts })));
    await new Promise<void>((resolve) => large.listen(0, '127.0.0.1', resolve));
    address = { url: `http://127.0.0.1:${(large.address() as AddressInfo).port}` };
  });
  afterAll(() => new Promise((resolve) => large.close(resolve)));

  it('is shown', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await showLoad(address, { json: true, once: true, interval: 1_000 });
      expect(JSON.parse(String(write.mock.calls[0]?.[0]))).toMatchObject({ accounts });
    } finally {
      write.mockRestore();
    }
  });

  it('is refused if it is the response to another request', async () => {
    const question = { method: 'GET', path: 'health', expects: 'accounts' } as const;
    await expect(askEmulator(question, address)).rejects.toThrow('the response has more than 1048576 bytes');
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

  it('prints one frame to a pipe', async () => {
    const { code, stdout } = await runCommand(['top', '--url', emulator.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^throttle observe · scale 1 · [^\n]+\nno refusals\n\naccount {3}\[/);
    expect(stdout).toContain('devstoreaccount1');
  });

  it('reads requests, errors and latencies from the metrics of an emulator', async () => {
    const read = async () => readTraffic(await (await fetch(`${emulator.url}/_emulator/metrics`)).text());
    const before = await read();
    const client = openClient(emulator.url);
    for (const path of ['/Tables', '/Tables', "/Tables('absent')"]) await client.send({ method: 'GET', path });
    await client.close();
    const after = await read();
    expect([after.requests - before.requests, after.refused - before.refused, after.failed]).toEqual([3, 1, 0]);
    expect(after.upTo.get(Number.POSITIVE_INFINITY)).toBe(after.requests);
    expect(describeRates(before, after)).toMatch(
      /^\S+ requests\/s, \S+\/s refused \(4xx\), 0\/s failed \(5xx\); half within /,
    );
  });

  it('prints the report as JSON', async () => {
    const { code, stdout } = await runCommand(['top', '--json', '--url', emulator.url]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ throttle: 'observe', accounts: [{ account: 'devstoreaccount1' }] });
  });

  it('exits with 1 and one line if there is no answer', async () => {
    const { code, stdout, stderr } = await runCommand(['top', '--url', 'http://127.0.0.1:1']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tanzanite: no emulator answers at http:\/\/127\.0\.0\.1:1: [^\n]+\n$/);
  });
});
