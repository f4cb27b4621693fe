import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/model/error-catalogue.ts';
import { newRequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { createRequestLog } from '../../../src/service/request-log.ts';

interface Line {
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** The one log line of a request. */
function lineOf(url: string, changes: { errorCode?: ErrorCode; clientRequestId?: string } = {}): Line {
  const lines: Line[] = [];
  const log = createRequestLog({ info: (fields, message) => lines.push({ fields: { ...fields }, message }) });
  const record = newRequestRecord({
    requestId: 'id',
    clientRequestId: changes.clientRequestId,
    method: 'GET',
    url,
    remoteAddress: '127.0.0.1',
    userAgent: undefined,
    startedAtMs: 0,
    startedMs: 0,
  });
  const refusal = changes.errorCode && new ServiceError(changes.errorCode);
  const account = 'devstoreaccount1';
  log(Object.assign(record, { operation: 'GetEntity', account, status: 200, durationMs: 1.23456, refusal }));
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe('The log of requests', () => {
  it('has one line for each request, with its fields', () => {
    expect(lineOf('/devstoreaccount1/Tables')).toEqual({
      fields: { operation: 'GetEntity', status: 200, requestId: 'id', durationMs: 1.235, account: 'devstoreaccount1' },
      message: 'GET /devstoreaccount1/Tables 200',
    });
  });

  it("has the error, and the client's request id, if there are any", () => {
    const { fields } = lineOf('/x', { errorCode: 'TableNotFound', clientRequestId: 'mine' });
    expect(fields).toMatchObject({ code: 'TableNotFound', clientRequestId: 'mine' });
  });

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
  ])('never holds a signature: %s', (url) => {
    const line = JSON.stringify(lineOf(url));
    expect(line).not.toContain(signature);
    expect(line).toContain('/a/T?');
  });

  it('does not change the rest of an address', () => {
    expect(lineOf("/a/T(PartitionKey='sig=1',RowKey='')?$top=1&design=2&sigma=3").message).toBe(
      "GET /a/T(PartitionKey='sig=1',RowKey='')?$top=1&design=2&sigma=3 200",
    );
  });
});
