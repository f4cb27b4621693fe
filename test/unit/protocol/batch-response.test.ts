import { describe, expect, it } from 'vitest';
import { systemSchedule } from '../../../src/model/schedule.ts';
import {
  type BatchResponsePart,
  type FailedRequest,
  type InnerResponse,
  indexPrefix,
  renderBatchResponse,
} from '../../../src/protocol/batch-response.ts';
import type { HttpHeaders } from '../../../src/protocol/http-headers.ts';
import { MultipartReader, parseBoundary } from '../../../src/protocol/multipart.ts';

function render(...parts: BatchResponsePart[]): string {
  let guids = 0;
  return renderBatchResponse(parts, () => `g${++guids}`).body.toString();
}

const location = "http://host/pets(PartitionKey='a',RowKey='b')";
const etag = `W/"datetime'2024-05-01T10%3A00%3A02.5Z'"`;
const json = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const notFound: InnerResponse = { status: 404, contentType: json, body: '{"odata.error":{}}', refusedAt: 'execute' };

/** The lines of one response between the delimiters. */
function lines(answer: InnerResponse): string[] {
  const text = render({ kind: 'changeset', responses: [answer] });
  const head =
    '--batchresponse_g1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_g2\r\n\r\n--changesetresponse_g2\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
  const tail = '\r\n--changesetresponse_g2--\r\n--batchresponse_g1--\r\n';
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
  return text.slice(head.length, -tail.length).split('\r\n');
}

const common = ['X-Content-Type-Options: nosniff', 'Cache-Control: no-cache'];

// Evidence: recorded (py-tables, test_table_batch).
describe('The response to a request of a changeset has its lines in the order of the service:', () => {
  it.each<[string, InnerResponse, string[]]>([
    [
      'POST with return-no-content',
      {
        status: 204,
        contentId: '1',
        preference: 'return-no-content',
        headers: [
          ['ETag', etag],
          ['Location', location],
          ['DataServiceId', location],
        ],
      },
      [
        'HTTP/1.1 204 No Content',
        'Content-ID: 1',
        ...common,
        'Preference-Applied: return-no-content',
        'DataServiceVersion: 3.0;',
        `Location: ${location}`,
        `DataServiceId: ${location}`,
        `ETag: ${etag}`,
        '',
        '',
      ],
    ],
    [
      'POST',
      {
        status: 201,
        contentId: '1',
        headers: [
          ['ETag', etag],
          ['Location', location],
        ],
        contentType: json,
        body: '{}',
      },
      [
        'HTTP/1.1 201 Created',
        'DataServiceVersion: 3.0;',
        `Content-Type: ${json}`,
        'Content-ID: 1',
        ...common,
        `Location: ${location}`,
        `ETag: ${etag}`,
        '',
        '{}',
      ],
    ],
    [
      'POST with return-content',
      { status: 201, preference: 'return-content', headers: [['ETag', etag]], contentType: json, body: '{}' },
      [
        'HTTP/1.1 201 Created',
        'DataServiceVersion: 3.0;',
        `Content-Type: ${json}`,
        ...common,
        'Preference-Applied: return-content',
        `ETag: ${etag}`,
        '',
        '{}',
      ],
    ],
    [
      'POST answered in Atom',
      { status: 201, contentId: '1', contentType: 'application/atom+xml;type=entry;charset=utf-8', body: '<entry/>' },
      [
        'HTTP/1.1 201 Created',
        'DataServiceVersion: 2.0;',
        'Content-Type: application/atom+xml;type=entry;charset=utf-8',
        'Content-ID: 1',
        ...common,
        '',
        '<entry/>',
      ],
    ],
    [
      'PUT, PATCH and MERGE',
      { status: 204, contentId: '7', headers: [['ETag', etag]] },
      ['HTTP/1.1 204 No Content', 'Content-ID: 7', ...common, 'DataServiceVersion: 1.0;', `ETag: ${etag}`, '', ''],
    ],
    [
      'the same with a preference',
      { status: 204, preference: 'return-no-content', headers: [['ETag', etag]] },
      [
        'HTTP/1.1 204 No Content',
        ...common,
        'Preference-Applied: return-no-content',
        'DataServiceVersion: 3.0;',
        `ETag: ${etag}`,
        '',
        '',
      ],
    ],
    ['DELETE', { status: 204 }, ['HTTP/1.1 204 No Content', ...common, 'DataServiceVersion: 1.0;', '', '']],
  ])('%s', (_, answer, expected) => {
    expect(lines(answer)).toEqual(expected);
  });
});

// Evidence: recorded (py-tables, test_table_batch; for a part without a request, test_batch_single_update 2020-09-09).
describe('The error of a changeset has its lines in the order of the service:', () => {
  it.each<[string, InnerResponse, string[]]>([
    [
      'while it was carried out',
      { ...notFound, status: 409, contentId: '2', preference: 'return-no-content' },
      [
        'HTTP/1.1 409 Conflict',
        'Content-ID: 2',
        ...common,
        'Preference-Applied: return-no-content',
        'DataServiceVersion: 3.0;',
        `Content-Type: ${json}`,
        '',
        '{"odata.error":{}}',
      ],
    ],
    [
      'while it was read',
      { ...notFound, refusedAt: 'parse' },
      [
        'HTTP/1.1 404 Not Found',
        'X-Content-Type-Options: nosniff',
        'DataServiceVersion: 3.0;',
        `Content-Type: ${json}`,
        '',
        '{"odata.error":{}}',
      ],
    ],
    [
      'in XML, if Atom was requested',
      { status: 404, refusedAt: 'execute', contentType: 'application/xml;charset=utf-8', body: '<error/>' },
      [
        'HTTP/1.1 404 Not Found',
        ...common,
        'DataServiceVersion: 1.0;',
        'Content-Type: application/xml;charset=utf-8',
        '',
        '<error/>',
      ],
    ],
    [
      'in a part without a request',
      { status: 400, refusedAt: 'unread', contentType: 'application/xml;charset=utf-8', body: '<error/>' },
      [
        'HTTP/1.1 400 Bad Request',
        'DataServiceVersion: 1.0;',
        'Content-Type: application/xml;charset=utf-8',
        '',
        '<error/>',
      ],
    ],
  ])('%s', (_, answer, expected) => {
    expect(lines(answer)).toEqual(expected);
  });

  it.each([
    [412, 'HTTP/1.1 412 Precondition Failed'],
    [400, 'HTTP/1.1 400 Bad Request'],
    [501, 'HTTP/1.1 501 Not Implemented'],
  ])('with the reason phrase for %i', (status, line) => {
    expect(lines({ ...notFound, status })[0]).toBe(line);
  });
});

describe('The response to a batch', () => {
  it('with an empty changeset has an empty changeset', () => {
    expect(render({ kind: 'changeset', responses: [] })).toBe(
      '--batchresponse_g1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_g2\r\n\r\n--changesetresponse_g2--\r\n--batchresponse_g1--\r\n',
    );
  });

  it('with a query has its part directly, without a changeset', () => {
    const answer: InnerResponse = { status: 200, headers: [['ETag', etag]], contentType: json, body: '{}' };
    expect(render({ kind: 'single', response: answer }).split('\r\n')).toEqual([
      '--batchresponse_g1',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      'HTTP/1.1 200 OK',
      'DataServiceVersion: 3.0;',
      `Content-Type: ${json}`,
      ...common,
      `ETag: ${etag}`,
      '',
      '{}',
      '--batchresponse_g1--',
      '',
    ]);
  });

  it('with a feed puts the headers of the continuation last', () => {
    const headers: HttpHeaders = [
      ['x-ms-continuation-NextPartitionKey', '1!4!YQ--'],
      ['ETag', etag],
    ];
    const text = render({ kind: 'single', response: { status: 200, headers, contentType: json, body: '{}' } });
    expect(text).toContain(`ETag: ${etag}\r\nx-ms-continuation-NextPartitionKey: 1!4!YQ--\r\n\r\n{}`);
  });

  it('has a part for each part of the batch, and a boundary for each changeset', () => {
    const text = render(
      { kind: 'changeset', responses: [{ status: 204 }, { status: 204 }] },
      { kind: 'changeset', responses: [notFound] },
      { kind: 'single', response: notFound },
    );
    expect(text.match(/^--.*$/gm)).toEqual([
      '--batchresponse_g1',
      '--changesetresponse_g2',
      '--changesetresponse_g2',
      '--changesetresponse_g2--',
      '--batchresponse_g1',
      '--changesetresponse_g3',
      '--changesetresponse_g3--',
      '--batchresponse_g1',
      '--batchresponse_g1--',
    ]);
    expect(text).not.toMatch(/[^\r]\n/);
  });

  it('contains text and bytes in UTF-8', () => {
    const answers = ['\u00e9', Buffer.from('\u00e8'), '\u20ac'].map((body) => ({
      status: 201,
      contentId: '\u00e4',
      body,
    }));
    const text = render({ kind: 'changeset', responses: answers });
    expect(text.match(/[\u00e4\u00e9\u00e8\u20ac]/g)?.join('')).toBe('\u00e4\u00e9\u00e4\u00e8\u00e4\u20ac');
  });

  it('has a new boundary each time', () => {
    const { newId } = systemSchedule;
    const one = renderBatchResponse([], newId);
    const other = renderBatchResponse([{ kind: 'single', response: notFound }], newId);
    expect(one.contentType).toMatch(
      /^multipart\/mixed; boundary=batchresponse_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
    expect(one.contentType).not.toBe(other.contentType);
    const boundary = parseBoundary(other.contentType) ?? '';
    const reader = new MultipartReader(other.body, boundary);
    expect([reader.next() !== undefined, reader.next(), reader.end]).toEqual([true, undefined, 'closed']);
  });
});

// Evidence: recorded (py-tables, test_table_batch; azure-storage-node for queries).
describe('The index before the message of an error', () => {
  it.each<[FailedRequest, string]>([
    [{ size: 2, index: 1, code: 'EntityAlreadyExists', stage: 'execute' }, '1:'],
    [{ size: 4, index: 0, code: 'TableNotFound', stage: 'parse' }, '0:'],
    [{ size: 101, index: 99, code: 'InvalidInput', stage: 'execute' }, '99:'],
    [{ size: 1, index: 0, code: 'TableNotFound', stage: 'parse' }, '0:'],
    [{ size: 1, index: 0, code: 'PropertiesNeedValue', stage: 'execute' }, '0:'],
    [{ size: 1, index: 0, code: 'OutOfRangeInput', stage: 'parse' }, '0:'],
    [{ size: 1, index: 0, code: 'OutOfRangeInput', stage: 'execute' }, '0:'],
    [{ size: 1, index: 0, code: 'InvalidInput', stage: 'parse' }, '0:'],
    [{ size: 1, index: 0, code: 'EntityAlreadyExists', stage: 'execute' }, ''],
    [{ size: 1, index: 0, code: 'ResourceNotFound', stage: 'execute' }, ''],
    [{ size: 1, index: 0, code: 'UpdateConditionNotSatisfied', stage: 'execute' }, ''],
    [{ size: 1, index: 0, code: 'PropertyValueTooLarge', stage: 'execute' }, ''],
    [{ size: 1, index: 0, code: 'ResourceNotFound', stage: 'execute', isQuery: true }, '0:'],
    [{ size: 1, index: 0, code: 'ServerBusy', stage: 'execute' }, ''],
    [{ size: 4, index: 0, code: 'ServerBusy', stage: 'execute' }, ''],
    [{ size: 1, index: 0, code: 'OperationTimedOut', stage: 'execute', isQuery: true }, ''],
    [{ size: 1, index: 0, code: 'InvalidInput', stage: 'unread' }, ''],
    [{ size: 3, index: 1, code: 'InvalidInput', stage: 'unread' }, ''],
  ])('is for %o: %j', (failed, prefix) => {
    expect(indexPrefix(failed)).toBe(prefix);
  });
});
