// The advisor on two sample applications that use the JavaScript SDK: nothing to say of the one, right things of the other.

import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/index.ts';
import { runBadSample } from './bad-sample.ts';
import { runGoodSample } from './good-sample.ts';

/** Out of reach: how much is done in a second depends on the machine. */
const capacity = { scale: 1_000 };

const tableOf = ({ connectionString }: Emulator, name: string): TableClient =>
  TableClient.fromConnectionString(connectionString, name, { allowInsecureConnection: true });

describe('the sample by the guides', () => {
  it('has no finding at all', async () => {
    await using emulator = await startEmulator({ capacity });
    await runGoodSample({ people: tableOf(emulator, 'People') });
    const { findings, checklist } = await emulator.advisor.report();
    expect(findings.map(({ rule, table, evidence }) => ({ rule, table, evidence }))).toEqual([]);
    expect(checklist.filter(({ status }) => status === 'kept').length).toBeGreaterThan(10);
  });
});

/** What is wrong with the other one, and nothing else. */
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

describe('the sample by a relational habit', () => {
  it('has a finding for each thing that is wrong, and no other', async () => {
    await using emulator = await startEmulator({ capacity });
    await runBadSample({ people: tableOf(emulator, 'People'), visits: tableOf(emulator, 'Visits') });
    const { findings } = await emulator.advisor.report();
    const found = findings.map(({ rule, table }) => `${rule} ${table}`).sort();
    expect(found).toEqual(wrongs);
    expect(new Set(findings.map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(12);
  });
});
