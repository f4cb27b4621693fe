// Tests batches as each client library writes them, but shortened. Also tests that a response has the parts that each
// library reads.

import { describe, expect, it } from 'vitest';
import { systemSchedule } from '../../../src/model/schedule.ts';
import { type BatchPart, type InnerRequest, readBatch } from '../../../src/protocol/batch-request.ts';
import { type InnerResponse, renderBatchResponse } from '../../../src/protocol/batch-response.ts';

const crlf = (lines: readonly string[]) => lines.join('\r\n');
const lf = (lines: readonly string[]) => lines.join('\n');
const key = "(PartitionKey='a',RowKey='b')";
const entity = '{"PartitionKey":"a","RowKey":"b"}';

interface Sample {
  readonly contentType: string;
  readonly body: string;
  readonly kind?: BatchPart['kind'];
  readonly requests: readonly Partial<Omit<InnerRequest, 'body'> & { readonly body: string }>[];
}

const samples: Readonly<Record<string, Sample>> = {
  'JavaScript, @azure/data-tables': {
    contentType: 'multipart/mixed; boundary=batch_j',
    body: crlf([
      '--batch_j',
      'content-type: multipart/mixed; boundary=changeset_j',
      '',
      '',
      '--changeset_j',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      'POST https://host/pets HTTP/1.1',
      'accept: application/json;odata=minimalmetadata',
      'prefer: return-no-content',
      'content-type: application/json;odata=nometadata',
      '',
      '',
      entity,
      '--changeset_j',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      `DELETE https://host/pets${key} HTTP/1.1`,
      'if-match: *',
      'content-type: application/json;odata=nometadata',
      '',
      '',
      'undefined',
      '--changeset_j--',
      '--batch_j--',
    ]),
    requests: [
      { method: 'POST', url: 'https://host/pets', contentId: undefined, body: entity },
      { method: 'DELETE', url: `https://host/pets${key}`, contentId: undefined, body: 'undefined' },
    ],
  },
  'JavaScript, as recorded, with a last delimiter cut short': {
    contentType: 'multipart/mixed; boundary=batch_fakeId',
    body: `--batch_fakeId\r\ncontent-type: multipart/mixed; boundary=changeset_fakeId\r\n\r\n\r\n--changeset_fakeId\r\ncontent-type: application/http\r\ncontent-transfer-encoding: binary\r\n\r\nPOST https://host/pets HTTP/1.1\r\n\r\n${entity}\r\n--changeset_fakeId--\r\n--batch_fakeId\r\n`,
    requests: [{ method: 'POST', url: 'https://host/pets', body: entity }],
  },
  'Python, azure-data-tables': {
    contentType: 'multipart/mixed; boundary=batch_p',
    body: crlf([
      '--batch_p',
      'Content-Type: multipart/mixed; boundary=changeset_p',
      '',
      '--changeset_p',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      'Content-ID: 0',
      '',
      `PATCH https://host/pets${key} HTTP/1.1`,
      'x-ms-version: 2019-02-02',
      'If-Match: *',
      'Content-Length: 33',
      'x-ms-date: Thu, 10 Sep 2020 00:28:28 GMT',
      '',
      entity,
      '--changeset_p',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      'Content-ID: 1',
      '',
      `DELETE https://host/pets${key} HTTP/1.1`,
      'If-Match: *',
      '',
      '',
      '--changeset_p--',
      '',
      '--batch_p--',
      '',
    ]),
    requests: [
      { method: 'PATCH', url: `https://host/pets${key}`, contentId: undefined, body: entity },
      { method: 'DELETE', contentId: undefined, headers: { 'if-match': '*' }, body: '' },
    ],
  },
  'Python, azure-storage and cosmos-table': {
    contentType: 'multipart/mixed; boundary=batch_o',
    body: lf([
      '--batch_o',
      'Content-Type: multipart/mixed; boundary=changeset_o',
      '',
      '--changeset_o',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `MERGE /pets${key} HTTP/1.1`,
      'Content-ID: 1',
      'Accept: application/json;odata=minimalmetadata',
      'Content-Length: 33',
      '',
      entity,
      '',
      '--changeset_o',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `DELETE /pets${key} HTTP/1.1`,
      'Content-ID: 2',
      'If-Match: *',
      '',
      '--changeset_o--',
      '--batch_o--',
    ]),
    requests: [
      { method: 'MERGE', url: `/pets${key}`, contentId: '1', body: `${entity}\n` },
      { method: 'DELETE', url: `/pets${key}`, contentId: '2', body: '' },
    ],
  },
  '.NET, Azure.Data.Tables': {
    contentType: 'multipart/mixed; boundary="batch_n"',
    body: crlf([
      '--batch_n',
      'Content-Type: multipart/mixed; boundary=changeset_n',
      '',
      '--changeset_n',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      'POST https://host/pets?$format=application%2Fjson%3Bodata%3Dminimalmetadata HTTP/1.1',
      'Host: host',
      'Content-Type: application/json;odata=nometadata',
      'Prefer: return-no-content',
      '',
      entity,
      '--changeset_n--',
      '',
      '--batch_n--',
      '',
    ]),
    requests: [
      {
        url: 'https://host/pets?$format=application%2Fjson%3Bodata%3Dminimalmetadata',
        contentId: undefined,
        body: entity,
      },
    ],
  },
  '.NET, the table client of Storage, a query': {
    contentType: 'multipart/mixed; boundary=batch_q',
    body: crlf([
      '--batch_q',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `GET https://host/pets${key} HTTP/1.1`,
      'Content-ID: 1',
      'Accept: application/json;odata=minimalmetadata',
      '',
      '',
      '--batch_q--',
      '',
    ]),
    kind: 'single',
    requests: [{ method: 'GET', url: `https://host/pets${key}`, contentId: '1', body: '' }],
  },
  'Java, azure-data-tables': {
    contentType: 'multipart/mixed; boundary=batch_v',
    body: crlf([
      '--batch_v',
      'Content-Type: multipart/mixed; boundary=changeset_v',
      '',
      '--changeset_v',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `PUT https://host/pets(PartitionKey='a', RowKey='b') HTTP/1.1`,
      'Content-Type: application/json;odata=nometadata',
      '',
      entity,
      '--changeset_v--',
      '',
      '--batch_v--',
      '',
    ]),
    requests: [{ method: 'PUT', url: "https://host/pets(PartitionKey='a', RowKey='b')", body: entity }],
  },
  'Go, aztables': {
    contentType: 'multipart/mixed; boundary=batch_g',
    body: crlf([
      '--batch_g',
      'Content-Type: multipart/mixed; boundary=changeset_g',
      '',
      '--changeset_g',
      'Content-Transfer-Encoding: binary',
      'Content-Type: application/http',
      '',
      'POST https://host/pets?%24format=application%2Fjson%3Bodata%3Dminimalmetadata HTTP/1.1',
      'Accept: application/json;odata=minimalmetadata',
      'Content-Length: 33',
      'Dataserviceversion: 3.0',
      'X-Ms-Version: 2019-02-02',
      '',
      entity,
      '--changeset_g--',
      '',
      '--batch_g--',
      '',
    ]),
    requests: [
      {
        url: 'https://host/pets?%24format=application%2Fjson%3Bodata%3Dminimalmetadata',
        headers: {
          accept: 'application/json;odata=minimalmetadata',
          'content-length': '33',
          dataserviceversion: '3.0',
          'x-ms-version': '2019-02-02',
        },
        body: entity,
      },
    ],
  },
  'Go, azure-sdk-for-go/storage': {
    contentType: 'multipart/mixed; boundary=batch_s',
    body: crlf([
      '--batch_s',
      'Content-Type: multipart/mixed; boundary=changeset_s',
      '',
      '',
      '--changeset_s',
      'Content-Transfer-Encoding: binary',
      'Content-Type: application/http',
      '',
      'PUT https://host/pets%28PartitionKey=%27a%27,%20RowKey=%27b%27%29 HTTP/1.1',
      'Prefer: return-no-content',
      '',
      entity,
      '--changeset_s--',
      '',
      '--batch_s--',
      '',
    ]),
    requests: [{ method: 'PUT', url: 'https://host/pets%28PartitionKey=%27a%27,%20RowKey=%27b%27%29', body: entity }],
  },
  'Node, azure-storage, in Atom': {
    contentType: 'multipart/mixed; charset="utf-8"; boundary=batch_a',
    body: crlf([
      '--batch_a',
      'content-type: multipart/mixed;charset="utf-8";boundary=changeset_a',
      '',
      '--changeset_a',
      'content-type: application/http',
      'content-transfer-encoding: binary',
      '',
      'POST http://host/pets HTTP/1.1',
      'content-id: 1',
      'content-type: application/atom+xml;type=entry',
      '',
      '<?xml version="1.0" encoding="utf-8"?>',
      '<entry/>',
      '--changeset_a--',
      '--batch_a--',
    ]),
    requests: [{ method: 'POST', contentId: '1', body: '<?xml version="1.0" encoding="utf-8"?>\r\n<entry/>' }],
  },
};

describe('A batch is parsed as written by', () => {
  it.each(Object.entries(samples))('%s', (_, { contentType, body, kind = 'changeset', requests }) => {
    const { parts } = readBatch(contentType, Buffer.from(body));
    expect(parts.map((part) => part.kind)).toEqual([kind]);
    const read = parts.flatMap((part) => (part.kind === 'single' ? [part.request] : part.requests));
    const texts = read.map((request) =>
      request === 'unreadable' ? request : { ...request, body: request.body.toString() },
    );
    expect(texts).toHaveLength(requests.length);
    for (const [i, request] of requests.entries()) expect(texts[i]).toMatchObject(request);
  });
});

describe('The response to a batch is understood by', () => {
  const etag = 'W/"1"';
  const done: InnerResponse = {
    status: 204,
    preference: 'return-no-content',
    headers: [
      ['Location', `http://host/pets${key}`],
      ['ETag', etag],
    ],
  };
  const failed: InnerResponse = {
    status: 409,
    contentType: 'application/json;odata=minimalmetadata',
    body: '{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"1:x"}}}',
    refusedAt: 'execute',
  };
  const textOf = (...answers: InnerResponse[]) =>
    renderBatchResponse([{ kind: 'changeset', responses: answers }], systemSchedule.newId).body.toString();

  it('JavaScript: parts by their prefix, status, etag and row key by pattern, an error on its own line', () => {
    const parts = textOf(done, failed).split('--changesetresponse_').slice(1, -1);
    expect(parts.map((part) => /HTTP\/1\.1 (\d+)/.exec(part)?.[1])).toEqual(['204', '409']);
    expect(/ETag: (.*)/.exec(parts[0] ?? '')?.[1]).toBe(etag);
    expect(/RowKey='(.*)'/.exec(parts[0] ?? '')?.[1]).toBe('b');
    const line = parts[1]?.split('\r\n').find((text) => text.startsWith('{'));
    expect(JSON.parse(line ?? '')).toHaveProperty(['odata.error', 'code'], 'EntityAlreadyExists');
  });

  it('Java and Go: every line ends with CRLF, and a blank line ends each head', () => {
    const text = textOf(done, failed);
    expect(text).not.toMatch(/[^\r]\n|\r[^\n]/);
    expect(text).toContain(`ETag: ${etag}\r\n\r\n\r\n--changesetresponse_`);
  });

  it('Node: a boundary that starts with changesetresponse_, unquoted', () => {
    expect(textOf(done)).toMatch(/^Content-Type: multipart\/mixed; boundary=changesetresponse_[0-9a-f-]{36}\r$/m);
  });
});
