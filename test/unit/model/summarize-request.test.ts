import { describe, expect, it } from 'vitest';
import { newRequestRecord, type RequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { isNoteworthy, summarizeRequest, withoutSignature } from '../../../src/model/summarize-request.ts';

function recordOf(changes: Partial<RequestRecord> = {}): RequestRecord {
  const record = newRequestRecord({
    requestId: 'id',
    clientRequestId: changes.clientRequestId,
    trace: changes.trace,
    isSecure: false,
    method: 'GET',
    url: '/devstoreaccount1/Tables',
    remoteAddress: '127.0.0.1',
    userAgent: undefined,
    connection: 1,
    connectionsOpen: 1,
    expectsContinue: false,
    startedAtMs: 0,
    startedMs: 0,
    headers: {},
  });
  const account = 'devstoreaccount1';
  return Object.assign(record, { operation: 'GetEntity', account, status: 200, durationMs: 1.23456 }, changes);
}

describe('The report of a request', () => {
  it('leaves out members without a value', () => {
    const bytes = { bytesIn: 0, bytesOut: 0 };
    const report = {
      operation: 'GetEntity',
      status: 200,
      requestId: 'id',
      durationMs: 1.235,
      account: 'devstoreaccount1',
    };
    expect(summarizeRequest(recordOf())).toEqual({ ...report, ...bytes });
  });

  it('names the error and its reason, the keys, and the client request id', () => {
    const refusal = new ServiceError('TableNotFound', { why: 'There is none.' });
    const known = { table: 'pets', partitionKey: 'p', rowKey: '', clientRequestId: 'mine' };
    expect(summarizeRequest(recordOf({ ...known, refusal }))).toMatchObject({
      ...known,
      code: 'TableNotFound',
      why: ['There is none.'],
    });
  });

  it('names the trace that the request belongs to', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7', isSampled: false };
    expect(summarizeRequest(recordOf({ trace })).traceId).toBe(trace.traceId);
    expect(summarizeRequest(recordOf())).not.toHaveProperty('traceId');
  });

  it('says what is wrong with the form of a batch', () => {
    const batchWarning = { kind: 'nothing read', text: 'No part.' } as const;
    expect(summarizeRequest(recordOf({ status: 202, batchWarning })).batch).toEqual({ size: 0, warning: 'No part.' });
    expect(isNoteworthy(recordOf({ status: 202, batchWarning }))).toBe(true);
  });

  it('says the cost of a query, and for what a request waited', () => {
    const plan = { kind: 'range', range: {} };
    const capacity = { outcome: 'wouldThrottle', limit: 'partition', waitedMs: 12.6, units: 3 } as const;
    const record = recordOf({ plan, visited: 5, returned: 2, pageEnd: 'limit', filter: 'RowKey gt', capacity });
    expect(summarizeRequest(record)).toMatchObject({
      ...{ plan: 'range', visited: 5, returned: 2, pageEnd: 'limit', filter: 'RowKey gt' },
      ...{ units: 3, waitedMs: 13, beyond: 'partition' },
    });
  });

  it('names the operation for which a batch was refused', () => {
    const refusal = new ServiceError('EntityAlreadyExists');
    const member = { operation: 'InsertEntity', table: 'pets', status: 409, index: 3, refusal };
    const { batch } = summarizeRequest(recordOf({ batchSize: 5, members: [member] }));
    expect(batch).toEqual({ size: 5, refused: { index: 3, operation: 'InsertEntity', code: 'EntityAlreadyExists' } });
    expect(summarizeRequest(recordOf({ batchSize: 2 })).batch).toEqual({ size: 2 });
  });
});

describe('An address', () => {
  const signature = 'c2VjcmV0%2BzEcReT';
  it.each([
    `/a/T?sv=2019-02-02&sig=${signature}`,
    `/a/T?sig=${signature}&tn=T`,
    `/a/T?SIG=${signature}`,
    `/a/T?%73%69%67=${signature}`,
    `/a/T?s%69g=${signature}`,
    `/a/T?%73ig=${signature}&x=1`,
    `/a/T?si%67=${signature}`,
    `/a/T?a=1&sig=${signature}&sig=${signature}`,
  ])('is shown without its signature: %s', (url) => {
    const line = withoutSignature(url);
    expect(line).not.toContain(signature);
    expect(line).toContain('/a/T?');
  });

  it.each(['access_token', 'ACCESS_TOKEN', 'access%5Ftoken', 'id_token'])(
    'is shown without a token in unusual places: %s',
    (name) => {
      expect(withoutSignature(`/a/T?${name}=eyJ.e30.x&$top=1`)).toBe(`/a/T?${name}=REDACTED&$top=1`);
    },
  );

  it('keeps everything else', () => {
    const url = "/a/T(PartitionKey='sig=1',RowKey='')?$top=1&design=2&sigma=3";
    expect(withoutSignature(url)).toBe(url);
  });
});
