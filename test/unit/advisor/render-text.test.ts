import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/advisor/render-text.ts';
import type { AdvisorReport } from '../../../src/advisor/report.ts';
import { fullReport } from './reports.ts';

const long = 'some words that say what is wrong and what to do instead of it '.repeat(5).trim();
const report: AdvisorReport = {
  ...fullReport,
  findings: fullReport.findings.map((finding) => ({ ...finding, why: long, advice: long })),
  ignored: fullReport.findings.slice(0, 1).map((finding) => ({ ...finding, reason: long })),
};

const words = (text: string): string => text.split(/\s+/).join(' ');

describe('A report as text', () => {
  it.each([80, 100, 160])('uses %i columns and no more', (columns) => {
    const lengths = renderText(report, columns)
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(columns);
    expect(Math.max(...lengths)).toBeGreaterThan(columns - 10);
  });

  it('contains the same text at every width', () => {
    for (const columns of [60, 160]) expect(words(renderText(report, columns))).toBe(words(renderText(report)));
  });
});
