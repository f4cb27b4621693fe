import { describe, expect, it } from 'vitest';
import { RecentRequests } from '../../../../src/control/mcp/recent-requests.ts';
import { newRequestRecord, type RequestRecord } from '../../../../src/model/request-record.ts';
import { ServiceError } from '../../../../src/model/service-error.ts';

const start = {
  requestId: 'id-0',
  clientRequestId: undefined,
  method: 'GET',
  url: '/devstoreaccount1/pets()?sig=abc',
  remoteAddress: '127.0.0.1',
  userAgent: undefined,
  connection: 1,
  connectionsOpen: 1,
  expectsContinue: false,
  startedAtMs: 0,
  startedMs: 0,
  headers: {},
  trace: undefined,
  isSecure: false,
};
const answered = (members: Partial<RequestRecord>): RequestRecord => ({
  ...newRequestRecord(start),
  account: 'devstoreaccount1',
  status: 200,
  ...members,
});
const open = (): RecentRequests => new RecentRequests({ nowMs: 0, monotonicMs: 0 });
const refusal = new ServiceError('InvalidInput', { why: 'The filter ends early.' });

describe('recent requests', () => {
  it('are listed with the newest first, without signatures', () => {
    const recent = open();
    recent.add(answered({ requestId: 'one', table: 'Pets' }));
    recent.add(answered({ requestId: 'two', status: 400, refusal, table: 'other' }));
    expect(recent.list({ limit: 10 })).toMatchObject([
      { requestId: 'two', code: 'InvalidInput', why: ['The filter ends early.'] },
      { requestId: 'one', url: '/devstoreaccount1/pets()?sig=REDACTED' },
    ]);
    expect(recent.list({ limit: 10, table: 'pets' })).toMatchObject([{ requestId: 'one' }]);
    expect(recent.list({ limit: 10, refusedOnly: true })).toMatchObject([{ requestId: 'two' }]);
    expect(recent.list({ limit: 1 })).toHaveLength(1);
    expect(recent.list({ limit: 1, account: 'another' })).toEqual([]);
  });

  it('are found by the id of the response or of the client, but not by a part of an id', () => {
    const recent = open();
    recent.add(answered({ requestId: 'response-id', clientRequestId: 'client-id', filter: '"response-ie"' }));
    expect(recent.find('response-id')).toMatchObject({ clientRequestId: 'client-id' });
    expect(recent.find('client-id')).toMatchObject({ requestId: 'response-id' });
    expect(recent.find('response-i')).toBeUndefined();
    expect(recent.find('GET')).toBeUndefined();
  });

  it('do not include requests of the commands and the console', () => {
    const recent = open();
    recent.add(answered({ userAgent: 'tanzanite-cli/1' }));
    expect(recent.list({ limit: 10 })).toEqual([]);
  });

  it('that succeeded never displace refused ones', () => {
    const recent = open();
    recent.add(answered({ requestId: 'refused', status: 404 }));
    for (let at = 0; at < 1_500; at++) recent.add(answered({ requestId: `ok-${at}` }));
    expect(recent.lastRefused()).toMatchObject({ requestId: 'refused' });
    expect(recent.list({ limit: 10_000 })).toHaveLength(501);
    expect(recent.find('ok-1499')).toBeDefined();
    expect(recent.find('ok-0')).toBeUndefined();
    expect(recent.dropped).toBe(1_000);
  });

  it('are only counted while they arrive too fast, and kept again afterwards', () => {
    const recent = open();
    for (let at = 0; at < 5_000; at++) recent.add(answered({ requestId: `burst-${at}` }));
    expect(recent.find('burst-4999')).toBeUndefined();
    expect(recent.dropped).toBe(4_500);
    recent.add(answered({ requestId: 'later', startedMs: 10_000 }));
    expect(recent.find('later')).toBeDefined();
  });

  it('contain only the beginning of long texts', () => {
    const recent = open();
    recent.add(answered({ url: `/${'u'.repeat(60_000)}`, filter: 'f'.repeat(60_000), userAgent: 'a'.repeat(60_000) }));
    expect(JSON.stringify(recent.list({ limit: 1 })).length).toBeLessThan(10_000);
  });
});
