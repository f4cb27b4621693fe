// Requests that faults struck: what the emulator reports about them, and what it does not count.

import { TableClient } from '@azure/data-tables';
import { describe, expect, it } from 'vitest';
import { type Emulator, type RequestReport, startEmulator } from '../../../src/index.ts';

const clientOf = ({ connectionString }: Emulator, maxRetries = 3): TableClient =>
  TableClient.fromConnectionString(connectionString, 'orders', {
    allowInsecureConnection: true,
    retryOptions: { maxRetries, retryDelayInMs: 1, maxRetryDelayInMs: 5 },
  });

async function metrics({ url }: Emulator): Promise<string> {
  return (await fetch(`${url}/_emulator/metrics`)).text();
}

describe('A request with a staged outcome', () => {
  it('is reported with the rule, and counted only as struck by it', async () => {
    const reports: RequestReport[] = [];
    await using emulator = await startEmulator({ onRequest: (report) => void reports.push(report) });
    const orders = clientOf(emulator);
    await orders.createTable();
    await emulator.faults.add({ name: 'busy', when: { first: 1 }, fault: { kind: 'error', code: 'ServerBusy' } });
    await orders.createEntity({ partitionKey: 'p', rowKey: 'r' });
    expect(reports.map(({ operation, status, fault }) => [operation, status, fault])).toEqual([
      ['CreateTable', 201, undefined],
      ['InsertEntity', 503, { rule: 'busy', kind: 'error' }],
      ['InsertEntity', 204, undefined],
    ]);
    const text = await metrics(emulator);
    expect(text).toContain('tanzanite_faults_total{rule="busy",kind="error"} 1');
    expect(text).toContain('tanzanite_requests_total{operation="InsertEntity",status="204"} 1');
    expect(text).not.toContain('tanzanite_requests_total{operation="InsertEntity",status="503"}');
    expect(text).toContain('tanzanite_request_duration_seconds_count{operation="InsertEntity"} 1');
  });

  it('is ignored by the advisor and the capacity report', async () => {
    await using emulator = await startEmulator();
    const orders = clientOf(emulator, 0);
    await orders.createTable();
    await orders.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const before = await countsOf(emulator);
    await emulator.faults.add({ fault: { kind: 'error', code: 'ServerBusy' } });
    for (let request = 0; request < 20; request++) await orders.getEntity('p', 'r').catch(() => undefined);
    await emulator.faults.clear();
    expect(await countsOf(emulator)).toEqual(before);
  });

  it('counts if only a delay was staged', async () => {
    await using emulator = await startEmulator();
    const orders = clientOf(emulator);
    await orders.createTable();
    await emulator.faults.add({ name: 'slow', fault: { kind: 'delay', ms: 1 } });
    await orders.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const text = await metrics(emulator);
    expect(text).toContain('tanzanite_faults_total{rule="slow",kind="delay"} 1');
    expect(text).toContain('tanzanite_requests_total{operation="InsertEntity",status="204"} 1');
    expect((await emulator.advisor.report()).requests).toBe(2);
  });
});

describe('The advisor', () => {
  it('sees what a client does after a staged failure, and says that the failure was staged', async () => {
    await using emulator = await startEmulator();
    const orders = clientOf(emulator, 0);
    await orders.createTable();
    await orders.createEntity({ partitionKey: 'p', rowKey: 'r' });
    await emulator.faults.add({ name: 'busy', fault: { kind: 'error', code: 'ServerBusy' } });
    // The client tries again without a pause, and continues at a steady pace.
    for (let request = 0; request < 30; request++) await orders.getEntity('p', 'r').catch(() => undefined);
    const { findings } = await emulator.advisor.report();
    const retries = findings.filter(({ rule }) => rule === 'immediate-retry' || rule === 'no-backoff');
    expect(retries.length).toBeGreaterThan(0);
    for (const { evidence } of retries) expect(evidence).toMatchObject({ stagedBy: 'busy' });
    expect(findings.map(({ rule }) => rule)).not.toContain('hot-entity');
  });
});

async function countsOf(emulator: Emulator): Promise<unknown> {
  const { requests, tables } = await emulator.advisor.report();
  return {
    requests,
    tables: tables.map(({ table, billableTransactions, units }) => ({ table, billableTransactions, units })),
    units: emulator.capacity().accounts.map(({ units }) => units),
  };
}
