// Measurements are turned into the figures, the table and the picture of docs/benchmarks.md.
import { describe, expect, it } from 'vitest';
import { renderPage } from './page.mjs';
import { drawPicture } from './picture.mjs';
import { type Results, renderReport } from './report.mjs';
import { geometricMean, median, quartiles } from './statistics.mjs';

const compared = (middle: number) => {
  const figures = { low: middle / 2, middle, high: middle * 2 };
  return { rate: figures, time: figures };
};
const server = { ratePerSecond: 1234, userUs: 70.4, systemUs: 9.6 };

const results: Results = {
  machine: {
    date: '2026-01-02',
    commit: 'abc',
    node: 'v20',
    processor: '2 × X',
    memoryGib: 8,
    system: 'Linux',
    loadBefore: 0,
  },
  generator: 'wrk 4.1',
  minutes: 17,
  options: { sizes: [20_000, 200_000], rounds: 10, seconds: 2, isQuick: false },
  rows: [
    {
      title: 'point reads',
      entities: 20_000,
      targets: { ofCeiling: 0.8, timesAzurite: 4 },
      ofCeiling: compared(0.7),
      timesAzurite: compared(5),
      servers: { Tanzanite: server, ceiling: server, Azurite: server },
    },
    {
      title: 'scans',
      entities: 20_000,
      targets: { timesAzurite: 7 },
      timesAzurite: compared(20),
      servers: { Tanzanite: server, Azurite: { ...server, userUs: Number.NaN, systemUs: Number.NaN } },
    },
  ],
  notMeasured: [{ what: 'memory', why: 'there is no /proc' }],
};

describe('statistics', () => {
  it('take the median as the middle value, or as the mean of the two middle values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('interpolate quartiles between neighbouring values', () => {
    expect(quartiles([5, 4, 3, 2, 1])).toEqual({ low: 2, middle: 3, high: 4 });
    expect(quartiles([1, 2])).toEqual({ low: 1.25, middle: 1.5, high: 1.75 });
  });

  it('give the same mean of ratios in any order', () => {
    expect(geometricMean([2, 8])).toBeCloseTo(4);
    expect(geometricMean([0.5, 2])).toBeCloseTo(1);
  });
});

describe('the report', () => {
  const report = renderReport(results);

  it('gives each ratio with its quartiles, and says if it misses its goal', () => {
    expect(report).toContain(
      '| point reads | 20,000 | 70 % (35 % to 140 %) | ≥ 80 %, missed | 5.0× (2.5× to 10.0×) | ≥ 4 |',
    );
    expect(report).toContain('| scans | 20,000 | – | – | 20× (10.0× to 40×) | ≥ 7 |');
  });

  it('gives rate and processor time of each server, or the rate if the system reports only that', () => {
    expect(report).toContain('| point reads | 20,000 | 1,234/s; 70.4 + 9.6 |');
    expect(report).toContain('| scans | 20,000 | 1,234/s; 70.4 + 9.6 | – | 1,234/s |');
  });

  it('gives a geometric mean for each size that was measured', () => {
    expect(report).toContain('at 20,000 entities (2 rows): **10.0×** (goal ≥ 6.5).');
    expect(report).not.toContain('at 200,000 entities');
  });

  it('has a goal for the start from Node 22.8 on', () => {
    const start = { Tanzanite: { low: 240, middle: 250, high: 260 } };
    const reportOf = (node: string) => renderReport({ ...results, machine: { ...results.machine, node }, start });
    expect(reportOf('v20.1.0')).toContain('Tanzanite 250 (240 to 260) ms (goal ≤ 200 ms from Node 22.8 on).');
    expect(reportOf('v22.7.0')).not.toContain('missed).');
    for (const node of ['v22.8.0', 'v24.0.0'])
      expect(reportOf(node)).toContain('Tanzanite 250 (240 to 260) ms (goal ≤ 200 ms from Node 22.8 on, missed).');
  });

  it('compares the executable with the package of Azurite, if that is there', () => {
    const times = (middle: number) => ({ low: middle - 1, middle, high: middle + 1 });
    const own = {
      starts: { first: times(400), later: times(250) },
      sizes: { bytes: 110e6, compressed: 41.5e6, files: 1 },
    };
    const azurite = { starts: times(500), sizes: { bytes: 90e6, compressed: 15e6, files: 9_000 } };
    const both = renderReport({ ...results, executable: { own, azurite } });
    expect(both).toContain(
      '400 (399 to 401) ms at the first start on a machine, 250 (249 to 251) ms at later starts. The size of the executable is 41.5 MB',
    );
    expect(both).toContain(
      '500 (499 to 501) ms at each start. The size of the package with its dependencies is 15 MB compressed, and 90 MB unpacked in 9,000 files, without Node.',
    );
    expect(renderReport({ ...results, executable: { own } })).not.toContain('without Node');
  });

  it('names the Node that runs Azurite if it is not the Node of the run', () => {
    const on = (node: string) => {
      const machine = { ...results.machine, node: 'v20', azurite: { version: '3.37.0', node } };
      return renderReport({ ...results, machine });
    };
    expect(on('v22')).toContain(' Node v20, Azurite 3.37.0 on Node v22, ');
    expect(on('v20')).toContain(' Node v20, Azurite 3.37.0, ');
  });

  it('counts only rows without HTTPS in the geometric mean', () => {
    const rows = results.rows.map((row, at) => ({ ...row, isSecure: at > 0 }));
    expect(renderReport({ ...results, rows })).toContain('at 20,000 entities (1 row): **5.0×**');
  });

  it('says what was not measured and why', () => {
    expect(report).toContain('- Not measured: memory: there is no /proc.');
  });

  it('has no goals in a smoke run', () => {
    const quick = renderReport({
      ...results,
      options: { ...results.options, isQuick: true },
      rows: results.rows.map((row) => ({ ...row, targets: {} })),
    });
    expect(quick).not.toMatch(/≥|missed/);
  });
});

describe('the page', () => {
  const slower = {
    ...results,
    machine: { ...results.machine, node: 'v22' },
    rows: results.rows.map((row) => ({ ...row, timesAzurite: compared(3) })),
  };
  const page = renderPage([results, slower]);

  it('has a column for each Node, and says which goal is missed on which', () => {
    expect(page).toContain('| medians | entities | Node 20 | Node 22 | goal |');
    expect(page).toContain('| point reads, times Azurite | 20,000 | 5.0× | 3.0×, missed | ≥ 4 |');
    expect(page).toContain('| point reads, of the ceiling | 20,000 | 70 %, missed | 70 %, missed | ≥ 80 % |');
    expect(page).toContain('| geometric mean, times Azurite | 20,000 | 10.0× | 3.0×, missed | ≥ 6.5 |');
  });

  it('has the report of each run below the table', () => {
    expect(page.match(/### Node 2\d/g)).toEqual(['### Node 20', '### Node 22']);
    expect(page).toContain(renderReport(results));
  });

  it('leaves a cell empty where a run lacks the row', () => {
    const [first] = slower.rows;
    if (!first) throw new Error('there is a row');
    expect(renderPage([results, { ...slower, rows: [first] }])).toContain(
      '| scans, times Azurite | 20,000 | 20× | – | ≥ 7 |',
    );
  });

  it('compares memory and the library between the runs', () => {
    const memory = { afterWrites: 140 * 2 ** 20, idle: 1, table: 1, account: 1 };
    const library = { start: quartiles([300]), account: quartiles([2]), restore: quartiles([0.5]) };
    const options = { ...results.options, writes: 40_000 };
    const both = renderPage([{ ...results, options, memory, library }, slower]);
    expect(both).toContain('| resident memory ten seconds after the inserts | – | 140 MiB, missed | – | ≤ 135 MiB |');
    expect(both).toContain('| library: import and start | – | 300.0 ms | – | – |');
  });
});

describe('the picture', () => {
  const picture = drawPicture([results]);
  const widthsOf = (kind: string) =>
    [...picture.matchAll(new RegExp(`<rect class="${kind}"[^>]* width="([\\d.]+)"`, 'g'))].map(([, width]) =>
      Number(width),
    );

  it('has a bar for each row that is compared with Azurite, and one for their mean', () => {
    const [pointReads = 0, scans = 0, ...others] = widthsOf('bar');
    expect(others).toEqual([]);
    expect(scans).toBeGreaterThan(pointReads);
    expect(widthsOf('mean')).toHaveLength(1);
  });

  it('shows the lowest value of several runs', () => {
    const faster = { ...results, rows: results.rows.map((row) => ({ ...row, timesAzurite: compared(100) })) };
    expect(drawPicture([faster, results])).toBe(drawPicture([results, faster]));
    expect(drawPicture([faster, results])).toContain('>5.0×<');
  });

  it('loads no other file and follows the reader’s colour scheme', () => {
    expect(picture).toContain('prefers-color-scheme: dark');
    expect(picture).not.toMatch(/href|url\(|@import|@font-face/);
  });
});
