// Requests that name their trace. A trace contains the requests for one page of an application. The advisor judges the
// requests of a trace together, and does not mix them with other requests.

import { describe, expect, it } from 'vitest';
import type { TraceVerdict } from '../../../src/advisor/advisor.ts';
import { startAdvised } from '../../support/advised.ts';
import { ask } from '../../support/control-plane.ts';
import type { WireAnswer } from '../../support/table-client.ts';

const advised = await startAdvised();
const { time, client } = advised;
const traceOf = (at: number): string => at.toString(16).padStart(32, 'a');
let spans = 0;

/** Sends a request in a trace, `ms` milliseconds after the previous one was answered. */
async function send(trace: number, method: string, path: string, body?: object, ms = 10): Promise<WireAnswer> {
  time.advance(ms);
  spans += 1;
  const traceparent = `00-${traceOf(trace)}-${spans.toString(16).padStart(16, 'b')}-01`;
  const headers = { 'User-Agent': 'app', ...(trace > 0 && { traceparent }) };
  return client.send({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
}

const entity = (table: string, rowKey: string, partitionKey = 'p'): string =>
  `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;

async function verdictOf(trace: number): Promise<TraceVerdict> {
  const path = `/_emulator/advisor/traces/${traceOf(trace)}`;
  const { status, json } = await ask(advised.url, { method: 'GET', path });
  expect(status).toBe(200);
  return json as TraceVerdict;
}

const rulesOf = ({ findings }: TraceVerdict): readonly string[] => findings.map(({ rule }) => rule);

describe('A page that reads each entity of a list', () => {
  it('is found however slow the page is, with its trace as evidence', async () => {
    await advised.create('Orders');
    await advised.create('People');
    await advised.fill('Orders', 'p', 20, (at) => ({ Person: `person-${at}` }));
    await advised.fill('People', 'p', 20);
    await send(1, 'GET', '/Orders()');
    for (let at = 0; at < 20; at++)
      await send(1, 'GET', entity('People', `person-${at}`), undefined, at < 3 ? 6_000 : 10);
    const finding = await advised.finding('chained-reads');
    expect(finding).toMatchObject({
      table: 'Orders',
      evidence: { readsAfter: 20, trace: traceOf(1), requestsOfTrace: 21 },
      cost: { roundTrips: 20 },
    });
    const verdict = await verdictOf(1);
    expect(verdict).toMatchObject({ traceId: traceOf(1), requests: 21 });
    expect(rulesOf(verdict)).toContain('chained-reads');
  });

  it('does not include what other pages read meanwhile', async () => {
    await send(2, 'GET', '/Orders()');
    for (let at = 0; at < 20; at++) await send(3, 'GET', entity('People', `person-${at}`));
    await send(2, 'GET', '/Orders()');
    expect(await advised.finding('chained-reads')).toBeUndefined();
    expect(rulesOf(await verdictOf(3))).not.toContain('chained-reads');
  });
});

describe('A page that writes entities of a partition one by one', () => {
  it('is found even if the page sends the writes at the same time', async () => {
    await advised.create('Logs');
    time.advance(1);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => send(4, 'POST', '/Logs', { PartitionKey: 'p', RowKey: `${at}` }, 0)),
    );
    expect(await advised.finding('single-writes')).toMatchObject({
      table: 'Logs',
      evidence: { entities: 40, trace: traceOf(4), requestsOfTrace: 40 },
      cost: { roundTrips: 39 },
    });
    expect(rulesOf(await verdictOf(4))).toContain('single-writes');
  });

  it('is not found in the writes of many pages', async () => {
    for (let page = 10; page < 40; page++) {
      await send(page, 'GET', entity('Logs', 'none'));
      await send(page, 'POST', '/Logs', { PartitionKey: 'q', RowKey: `${page}` });
    }
    expect(await advised.finding('single-writes')).toBeUndefined();
  });
});

describe('A read before a write', () => {
  it('is found within one trace, however long the pause is, and not across two traces', async () => {
    await advised.create('Carts');
    for (let at = 50; at < 56; at++) {
      await send(at, 'GET', entity('Carts', `${at}`));
      await send(at, 'PUT', entity('Carts', `${at}`), { Items: 1 }, 3_000);
    }
    const finding = await advised.finding('read-before-write');
    expect(finding).toMatchObject({ table: 'Carts', count: 6, evidence: { trace: traceOf(50), requestsOfTrace: 2 } });
    for (let at = 60; at < 70; at++) {
      await send(at, 'GET', '/Carts()?$top=1');
      await send(at, 'GET', entity('Carts', `${at}`));
      await send(at + 10, 'PUT', entity('Carts', `${at}`), { Items: 1 });
      await send(at + 10, 'GET', '/Carts()?$top=1');
    }
    expect(await advised.finding('read-before-write')).toMatchObject({ count: 6 });
  });

  it('is found without traces, and if each request is its own trace', async () => {
    await advised.create('Bags');
    for (let at = 0; at < 6; at++) {
      const [first, second] = at < 3 ? [0, 0] : [100 + 2 * at, 101 + 2 * at];
      await send(first, 'GET', entity('Bags', `${at}`));
      await send(second, 'PUT', entity('Bags', `${at}`), { Items: 1 });
    }
    const finding = await advised.finding('read-before-write');
    expect(finding?.count).toBe(6);
    expect(finding?.evidence).not.toHaveProperty('trace');
  });
});

it('The verdict on an unknown trace is empty, and a malformed id is refused', async () => {
  expect(await verdictOf(999)).toEqual({ traceId: traceOf(999), requests: 0, findings: [] });
  for (const id of ['x', traceOf(1).toUpperCase(), `${traceOf(1)}0`]) {
    const { status } = await ask(advised.url, { method: 'GET', path: `/_emulator/advisor/traces/${id}` });
    expect(status).toBe(400);
  }
});
