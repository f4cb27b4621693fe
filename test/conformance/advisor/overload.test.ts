// These tests send more requests than the advisor's rules can judge. The advisor still counts every request in its
// figures about load, connections and the order of keys. It does not lose rare requests.

import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/advisor/render-report.ts';
import { defaultEmulatorSettings } from '../../../src/emulator.ts';
import { startAdvised } from '../../support/advised.ts';
import { ask } from '../../support/control-plane.ts';
import { authorization, developmentKey } from '../../support/table-client.ts';

// A tenth of Azure's targets: 200 entities per second in a partition, 2,000 in an account.
const scaled = { ...defaultEmulatorSettings.capacity, scale: 0.1 };
const app = await startAdvised();
const paced = await startAdvised({ capacity: scaled });
const metered = await startAdvised({ capacity: scaled, throttle: 'observe' });
await app.create('Loaded');
await paced.create('Events');
await metered.create('Large');

describe('A bulk load', () => {
  it('does not hide the table scans after it, and the report says how much was not judged', async () => {
    for (let at = 0; at < 9; at++) await app.fill('Loaded', `p${at}`, 1_000);
    for (let at = 0; at < 20; at++) await app.query('Loaded', `Name eq 'none${at}'`);
    const report = await app.report();
    expect(await app.raised()).toContain('table-scan Loaded');
    expect(report.findings.find(({ rule }) => rule === 'table-scan')?.count).toBe(20);
    expect(report.requests).toBe(110);
    expect(report.notJudged).toBeGreaterThan(0);
    expect(report.notJudged).toBeLessThan(90);
    const text = `${report.notJudged} of them counted but not judged`;
    expect(renderReport(report, 'text')).toContain(text);
    expect(renderReport(report, 'markdown')).toContain(text);
  });

  it('that the rules can judge completely has nothing left out', async () => {
    await app.fill('Loaded', 'p', 1_000);
    expect((await app.report()).notJudged).toBe(0);
  });
});

describe('The load of a second', () => {
  it('is counted completely, however many windows of the advisor its requests fill', async () => {
    for (let at = 0; at < 240; at++) await paced.fill('Events', `p${at}`, 100);
    expect((await paced.finding('account-target'))?.evidence).toMatchObject({ entitiesInASecond: 24_000 });
    expect((await paced.finding('account-target'))?.count).toBe(1);
  });

  it('is compared with the minute before it, however many requests that minute had', async () => {
    for (let second = 0; second < 61; second++) {
      for (let at = 0; at < 70; at++) await paced.insert('Events', [`s${at}`, `${second}`]);
      paced.time.advance(1_000);
    }
    for (let at = 0; at < 8; at++) await paced.fill('Events', `b${at}`, 100);
    expect((await paced.finding('burst'))?.evidence).toMatchObject({ entitiesInASecond: 800, usualInASecond: 70 });
  });

  it('is the load of the capacity report: a partition that is over its target there has a finding', async () => {
    const text = 'x'.repeat(16_000);
    for (let at = 0; at < 30; at++) await metered.insert('Large', ['hot', `${at}`], { text });
    const { json } = await ask(metered.url, { method: 'GET', path: '/_emulator/capacity' });
    const [account] = (json as { accounts: { hotPartitions: { partitionKey: string; unitsPerSecond: number }[] }[] })
      .accounts;
    const { partitionKey, unitsPerSecond } = account?.hotPartitions[0] ?? {};
    const { evidence, severity } = (await metered.finding('partition-target')) ?? {};
    expect(partitionKey).toBe('hot');
    expect({ evidence, severity }).toMatchObject({
      severity: 'warning',
      evidence: { partitionKey: "'hot'", target: 200 },
    });
    // The report averages over ten seconds, of which the current one has just begun.
    expect(Number(evidence?.['entitiesInASecond'])).toBe(Math.round((unitsPerSecond ?? 0) * 9));
  });
});

describe('Connections', () => {
  const path = "/devstoreaccount1/Loaded(PartitionKey='p0',RowKey='000000')";
  const options = { account: 'devstoreaccount1', key: developmentKey, scheme: 'SharedKeyLite' } as const;

  function read(agent: Agent): Promise<void> {
    const headers: Record<string, string> = {
      'User-Agent': 'sockets',
      'x-ms-date': new Date().toUTCString(),
      'x-ms-version': '2019-02-02',
      Accept: 'application/json;odata=nometadata',
    };
    headers['Authorization'] = authorization({ method: 'GET', target: path, headers }, options);
    return new Promise((resolve, reject) => {
      request(`${new URL(app.url).origin}${path}`, { agent, headers }, (response) => {
        expect(response.statusCode).toBe(200);
        response.resume().on('end', () => resolve());
      })
        .on('error', reject)
        .end();
    });
  }

  it('that one client has open at the same time are counted, in every round', async () => {
    for (let round = 0; round < 3; round++) {
      const agent = new Agent({ keepAlive: true, maxFreeSockets: 700 });
      await Promise.all(Array.from({ length: 700 }, () => read(agent)));
      const { evidence } = (await app.finding('excess-parallelism')) ?? {};
      expect(Number(evidence?.['connectionsAtATime'])).toBeGreaterThan(600);
      agent.destroy();
      app.time.advance(60_000);
    }
  });

  it('with one fast read each are all counted, not only those of the judged sample', async () => {
    const agent = new Agent({ keepAlive: false });
    for (let at = 0; at < 12; at++) await Promise.all(Array.from({ length: 50 }, () => read(agent)));
    expect(await app.raised()).toEqual(['connection-churn –']);
    expect((await app.finding('connection-churn'))?.evidence).toMatchObject({ requests: 600, connections: 600 });
  });

  it('with many fast reads each do not raise connection-churn', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 90 });
    await Promise.all(Array.from({ length: 900 }, () => read(agent)));
    agent.destroy();
    expect(await app.raised()).toEqual([]);
  });
});
