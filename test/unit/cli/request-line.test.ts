import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/cli/columns.ts';
import { requestLine } from '../../../src/cli/request-line.ts';
import { newRequestRecord, type RequestRecord } from '../../../src/model/request-record.ts';
import { ServiceError } from '../../../src/model/service-error.ts';

const start = {
  ...{
    requestId: '',
    clientRequestId: undefined,
    trace: undefined,
    isSecure: false,
    method: 'GET',
    url: '/',
    remoteAddress: '',
    userAgent: undefined,
  },
  ...{ connection: 1, connectionsOpen: 1, expectsContinue: false, startedAtMs: 0, startedMs: 0, headers: {} },
};

/** The line in colours. `<2>` stands for the escape code 2. */
function line(members: Partial<RequestRecord>): string {
  const record = { ...newRequestRecord(start), operation: 'GetEntity', table: 'pets', ...members };
  const options = { columns: 120, isColoured: true, isDetailed: false, time: '12:00:00' };
  const [first, ...parts] = requestLine(record, options).split('\u001b[');
  return [first, ...parts.map((part) => `<${part.replace('m', '>')}`)].join('');
}

describe('The line of a request in colours', () => {
  it('shows parts that seldom matter in a faint colour', () => {
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

describe('The line of a request that is longer than the terminal', () => {
  const filter = "PartitionKey eq 'a-long-name-of-a-partition' and Age gt 5 and Name eq 'somebody with a long name'";
  const plan = { kind: 'partition scan', range: {} };
  const query = { operation: 'QueryEntities', status: 200, filter, plan, visited: 1_200, returned: 3 };
  const lines = (columns: number, members: Partial<RequestRecord>): string[] => {
    const record = { ...newRequestRecord(start), table: 'pets', ...members };
    return requestLine(record, { columns, isColoured: false, isDetailed: false, time: '12:00:00' }).split('\n');
  };

  it('puts what does not fit below the line, and leaves nothing out', () => {
    expect(lines(160, query)).toEqual([
      `12:00:00 200 QueryEntities pets ${filter} <1 ms`,
      '         partition scan, 1,200 → 3',
    ]);
    expect(lines(80, query)).toEqual([
      '12:00:00 200 QueryEntities pets <1 ms',
      "         PartitionKey eq 'a-long-name-of-a-partition' and Age gt 5 and Name eq",
      "         'somebody with a long name'",
      '         partition scan, 1,200 → 3',
    ]);
  });

  it('puts the reason for a refusal on separate lines, however long it is', () => {
    const refusal = new ServiceError('InvalidInput', { why: ['one two three four'.repeat(3), 'x'.repeat(100)] });
    expect(lines(60, { operation: 'GetEntity', partitionKey: 'p', rowKey: 'r', status: 400, refusal })).toEqual([
      '12:00:00 400 GetEntity pets p/r <1 ms',
      '         InvalidInput: one two three fourone two three',
      '         fourone two three four',
      `         ${'x'.repeat(51)}`,
      `         ${'x'.repeat(49)}`,
    ]);
  });

  it('has a bounded number of lines, however much a client sends', () => {
    const refusal = new ServiceError('InvalidInput', { why: ['long '.repeat(2_000), 'x'.repeat(9_000)] });
    const all = lines(40, {
      operation: 'GetEntity',
      partitionKey: '日本'.repeat(500),
      rowKey: '',
      status: 400,
      refusal,
    });
    expect(all.length).toBeLessThan(16);
    for (const one of all) expect(columnsOf(one)).toBeLessThanOrEqual(40);
  });

  it('is one line if there is no terminal', () => {
    expect(lines(Number.POSITIVE_INFINITY, query)).toEqual([
      `12:00:00 200 QueryEntities pets ${filter} <1 ms  partition scan, 1,200 → 3`,
    ]);
  });
});

describe('The line of a request with its details', () => {
  it('contains the client request id, and the trace', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7', isSampled: true };
    const ids = { requestId: 'id-1', clientRequestId: 'mine', trace };
    const record = { ...newRequestRecord(start), ...ids, operation: 'GetEntity', table: 'pets', status: 200 };
    const options = { columns: 120, isColoured: false, isDetailed: true, time: '12:00:00' };
    expect(requestLine(record, options)).toContain(`id id-1, client mine, trace ${trace.traceId}, 0 B in`);
  });
});
