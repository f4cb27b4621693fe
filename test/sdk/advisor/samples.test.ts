// Runs the advisor on two sample applications that use the JavaScript SDK. The advisor must find nothing in the good
// sample, and every fault of the bad sample. UPDATE_DOCS=1 writes the example in docs/advise.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/advisor/render-text.ts';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { runBadSample } from './bad-sample.ts';
import { runGoodSample } from './good-sample.ts';

/** Targets that cannot be reached: how much work is done in a second depends on the machine. */
const capacity = { scale: 1_000 };

const tableOf = ({ connectionString }: Emulator, name: string): TableClient =>
  TableClient.fromConnectionString(connectionString, name, { allowInsecureConnection: true });

describe('the sample that follows the guides', () => {
  it('has no finding at all', async () => {
    await using emulator = await startEmulator({ capacity });
    await runGoodSample({ people: tableOf(emulator, 'People') });
    const { findings, checklist } = await emulator.advisor.report();
    expect(findings.map(({ rule, table, evidence }) => ({ rule, table, evidence }))).toEqual([]);
    expect(checklist.filter(({ status }) => status === 'kept').length).toBeGreaterThan(10);
  });
});

/** All that is wrong with the bad sample. */
const wrongs = [
  'chained-reads Visits',
  'client-side-filter People',
  'create-table-each-call People',
  'high-volume-delete Visits',
  'low-density People',
  'missing-projection People',
  'or-of-keys People',
  'read-before-write People',
  'repeated-property-scan People',
  'replace-for-merge People',
  'row-key-only-filter People',
  'scan-to-modify People',
  'single-writes People',
  'single-writes Visits',
  'table-scan People',
];

/** Matches in docs/advise.md the text before the example, and the example. */
const block = /(<!-- the advisor's report -->\n```text\n)[\s\S]*?```/;

/**
 * The rules whose findings docs/advise.md shows. The page leaves out user agents, and figures that depend on the
 * machine.
 */
const shown = ['table-scan', 'client-side-filter', 'read-before-write', 'or-of-keys'];

describe('the sample with a relational design', async () => {
  await using emulator = await startEmulator({ capacity });
  await runBadSample({ people: tableOf(emulator, 'People'), visits: tableOf(emulator, 'Visits') });
  const report = await emulator.advisor.report();

  it('has a finding for each thing that is wrong, and no other finding', () => {
    const found = report.findings.map(({ rule, table }) => `${rule} ${table}`).sort();
    expect(found).toEqual(wrongs);
    expect(new Set(report.findings.map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(12);
  });

  it('has the report of which docs/advise.md shows a part', () => {
    const text = renderText({ ...report, findings: report.findings.filter(({ rule }) => shown.includes(rule)) });
    const masked = text.replaceAll(/,? ?user\s+agent\s[^;]*;\s+x64\)/g, '').replace(/^.*\n/, '');
    const file = new URL('../../../docs/advise.md', import.meta.url);
    const page = readFileSync(file, 'utf8');
    const example = `four of the ${report.findings.length} findings about this program`;
    const written = page
      .replace(/four of the \d+ findings about this program/, () => example)
      .replace(block, (_all, before: string) => `${before}${masked.trimStart()}\`\`\``);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, written);
    else expect(page, 'run: UPDATE_DOCS=1 npx vitest run test/sdk/advisor').toBe(written);
    expect(written).toMatch(block);
    expect(written).toContain(example);
  });
});
