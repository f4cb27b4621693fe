import { describe, expect, it } from 'vitest';
import { requestLine } from '../../../src/cli/request-line.ts';
import { newRequestRecord, type RequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';

const start = {
  ...{ requestId: '', clientRequestId: undefined, method: 'GET', url: '/', remoteAddress: '', userAgent: undefined },
  ...{ connection: 1, expectsContinue: false, startedAtMs: 0, startedMs: 0, headers: {} },
};

/** The line in colours, with `<2>` for the escape code 2. */
function line(members: Partial<RequestRecord>): string {
  const record = { ...newRequestRecord(start), operation: 'GetEntity', table: 'pets', ...members };
  const options = { columns: 120, isColoured: true, isDetailed: false, time: '12:00:00' };
  const [first, ...parts] = requestLine(record, options).split('\u001b[');
  return [first, ...parts.map((part) => `<${part.replace('m', '>')}`)].join('');
}

describe('The line of a request in colours', () => {
  it('is faint in what seldom matters', () => {
    expect(line({ status: 200 })).toBe('<2>12:00:00<0> <2>200<0> GetEntity pets <2><1 ms<0>');
    expect(line({ status: 499 })).toBe(
      '<2>12:00:00<0> <2>499<0> GetEntity pets <2><1 ms<0>  <2>the client disconnected<0>',
    );
  });

  it.each([
    [404, 'ResourceNotFound', 33],
    [503, 'ServerBusy', '1;91'],
  ] as const)("has status %d in a colour, and the reason in the terminal's own", (status, code, colour) => {
    const text = line({ status, refusal: new ServiceError(code, { why: 'A reason.' }) });
    expect(text).toBe(`<2>12:00:00<0> <${colour}>${status}<0> GetEntity pets <2><1 ms<0>  ${code}: A reason.`);
  });

  it('marks a batch that was refused, whose own status is 202', () => {
    const refusal = new ServiceError('EntityAlreadyExists', { why: 'A reason.' });
    const member = { operation: 'InsertEntity', table: 'pets', status: 409, index: 1, refusal };
    const batch = { operation: 'EntityGroupTransaction', table: undefined, status: 202, batchSize: 2 };
    expect(line({ ...batch, members: [member] })).toBe(
      '<2>12:00:00<0> <33>202<0> EntityGroupTransaction pets 2 requests <2><1 ms<0>  change 1 InsertEntity: EntityAlreadyExists: A reason.',
    );
  });

  it('marks a batch of the wrong form, whose own status is 202', () => {
    const batch = { operation: 'EntityGroupTransaction', table: undefined, status: 202 };
    const batchWarning = { kind: 'nothing read', text: 'Nothing\u0007 was carried out.' } as const;
    expect(line({ ...batch, batchWarning })).toBe(
      '<2>12:00:00<0> <33>202<0> EntityGroupTransaction <2><1 ms<0>  Nothing\\u0007 was carried out.',
    );
  });
});
