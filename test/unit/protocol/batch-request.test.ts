import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { type BatchedRequest, type InnerRequest, readBatch } from '../../../src/protocol/batch-request.ts';

const contentType = 'multipart/mixed; boundary=batch_1';
const part = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const insert = `${part}POST /pets HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"a":1}`;

/** A batch that contains one changeset. */
const changeset = (...parts: string[]) =>
  `--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n${parts
    .map((text) => `--changeset_1\r\n${text}\r\n`)
    .join('')}--changeset_1--\r\n--batch_1--\r\n`;

const read = (text: string, type: string | undefined = contentType) => readBatch(type, Buffer.from(text, 'latin1'));

function requestsOf(text: string, type = contentType): readonly BatchedRequest[] {
  const { parts } = read(text, type);
  const [first] = parts;
  if (parts.length !== 1 || first?.kind !== 'changeset') throw new Error('not one changeset');
  return first.requests;
}

function onlyRequest(text: string, type = contentType): InnerRequest {
  const [request] = requestsOf(text, type);
  if (request === undefined || request === 'unreadable') throw new Error('no request');
  return request;
}

describe('The Content-Type of a batch', () => {
  it.each([
    'multipart/mixed; boundary="batch_1"',
    'multipart/mixed; charset="utf-8"; boundary=batch_1',
    'multipart/mixed;boundary=batch_1;charset=utf-8',
    'Multipart/Mixed; Boundary=batch_1',
  ])('may be %s', (type) => {
    expect(onlyRequest(changeset(insert), type).url).toBe('/pets');
  });

  it.each([undefined, '', 'application/json', 'multipart/mixed', 'multipart/form-data; boundary=batch_1'])(
    'cannot be %s',
    (type) => {
      expect(() => readBatch(type, Buffer.from(changeset(insert)))).toThrow(
        expect.objectContaining({ code: 'InvalidInput', message: 'One of the request inputs is not valid.' }),
      );
    },
  );
});

describe('A batch', () => {
  it.each([
    ['in CRLF', (text: string) => text],
    ['in LF', (text: string) => text.replaceAll('\r\n', '\n')],
    ['in CR', (text: string) => text.replaceAll('\r\n', '\r')],
    ['in both', (text: string) => text.split('\r\n').reduce((all, line, i) => `${all}${i % 2 ? '\n' : '\r\n'}${line}`)],
    ['with a preamble and an epilogue', (text: string) => `Hello\r\n\r\n${text}\r\nGood-bye\r\n`],
    ['with blank lines before the changeset', (text: string) => text.replace('--changeset_1\r\n', '\r\n\r\n$&')],
    ['with blank lines before the request line', (text: string) => text.replaceAll('POST', '\r\n\r\nPOST')],
    ['with blank lines before the body', (text: string) => text.replaceAll('{', '\r\n\n{')],
    ['with a last delimiter without its hyphens', (text: string) => text.replace('--batch_1--\r\n', '--batch_1')],
    ['without a last line end', (text: string) => text.slice(0, -2)],
    ['with delimiters directly behind the bodies', (text: string) => text.replaceAll('}\r\n--', '}--')],
    ['with one boundary for both', (text: string) => text.replaceAll('changeset_1', 'batch_1')],
    ['with a changeset that is not closed', (text: string) => text.replace('--changeset_1--\r\n', '')],
    ['with a blank line between the last delimiters', (text: string) => text.replace('--\r\n--b', '--\r\n\r\n--b')],
    ['with header names in lower case', (text: string) => text.replace(/^[\w-]+:/gm, (name) => name.toLowerCase())],
    ['with header names in upper case', (text: string) => text.replace(/^[\w-]+:/gm, (name) => name.toUpperCase())],
    ['with space around header values', (text: string) => text.replace(/^([\w-]+:)(.*)\r$/gm, '$1  $2 \t\r')],
    ['with a wrong Content-Length', (text: string) => text.replaceAll('HTTP/1.1', 'HTTP/1.1\r\nContent-Length: 3')],
  ])('is parsed %s', (_, change) => {
    const requests = requestsOf(change(changeset(insert, insert)));
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      if (request === 'unreadable') throw new Error('unreadable');
      expect(request).toMatchObject({ method: 'POST', url: '/pets', contentId: undefined });
      expect(request.headers['content-type']).toBe('application/json');
      expect(request.body.toString()).toBe('{"a":1}');
    }
  });

  it('is refused completely if it has a changeset without a boundary', () => {
    expect(() => read(changeset(insert).replace('; boundary=changeset_1', ''))).toThrow(ServiceError);
  });

  const noLine = (of: string, boundary: string) =>
    `The ${of} has no line "--${boundary}", its boundary: nothing was carried out.`;
  it.each([
    ['is empty', '', noLine('batch', 'batch_1')],
    ['has no delimiter', insert, noLine('batch', 'batch_1')],
    ['has another boundary', changeset(insert).replaceAll('batch_1', 'batch_2'), noLine('batch', 'batch_1')],
    ['has no part', '--batch_1--\r\n', 'The batch has no part: nothing was carried out.'],
  ])('has no parts and a warning if it %s', (_, text, warning) => {
    expect(read(text)).toEqual({ parts: [], warning: { kind: 'nothing read', text: warning } });
  });

  it('has an empty changeset and a warning if the changeset has another boundary', () => {
    const text = changeset(insert).replaceAll('--changeset_1', '--changeset_2');
    const warning = { kind: 'nothing read', text: noLine('changeset', 'changeset_1') };
    expect(read(text)).toEqual({ parts: [{ kind: 'changeset', requests: [] }], warning });
  });

  it.each([
    ['of the batch', 'batch', (text: string) => text.replace('--batch_1--\r\n', '')],
    ['of the changeset', 'changeset', (text: string) => text.replace('--changeset_1--\r\n', '')],
    ['of both', 'changeset', (text: string) => text.replace('--changeset_1--\r\n--batch_1--\r\n', '')],
  ])('has the requests that arrived and a warning, without the last delimiter %s', (_, of, change) => {
    const { parts, warning } = read(change(changeset(insert, insert)));
    expect(parts).toMatchObject([{ kind: 'changeset', requests: [{ url: '/pets' }, { url: '/pets' }] }]);
    const text = `The ${of} ends without "--${of}_1--"; it was read as if complete.`;
    expect(warning).toEqual({ kind: 'no end', text });
  });

  it('may be an empty changeset', () => {
    expect(requestsOf(changeset())).toEqual([]);
  });

  it('keeps the parts separate that the service may refuse', () => {
    const query = `${part}GET /pets() HTTP/1.1\r\n\r\n`;
    const [first] = changeset(insert).split('--batch_1--');
    const text = `${first}${first}--batch_1\r\n${query}\r\n--batch_1\r\n${query}\r\n--batch_1--`;
    expect(read(text).parts.map(({ kind }) => kind)).toEqual(['changeset', 'changeset', 'single', 'single']);
    expect(onlyRequest(changeset(query)).method).toBe('GET');
  });

  it('is parsed up to one operation more than the maximum of a changeset', () => {
    expect(requestsOf(changeset(...Array<string>(100).fill(insert)))).toHaveLength(100);
    expect(requestsOf(changeset(...Array<string>(3000).fill(insert)))).toHaveLength(101);
  });
});

describe('A request in a batch', () => {
  const requestLine = (line: string) => onlyRequest(changeset(`${part}${line}\r\n\r\n`));

  it.each([
    ['POST http://host/pets HTTP/1.1', 'http://host/pets'],
    ['POST https://host/pets HTTP/1.1', 'https://host/pets'],
    ['POST /pets?%24format=application%2Fjson HTTP/1.1', '/pets?%24format=application%2Fjson'],
    ["POST /pets(PartitionKey='a', RowKey='b') HTTP/1.1", "/pets(PartitionKey='a', RowKey='b')"],
    ["POST /pets(PartitionKey='a b',  RowKey='HTTP/1.1') HTTP/1.1", "/pets(PartitionKey='a b',  RowKey='HTTP/1.1')"],
    ['POST /pets%28PartitionKey=%27a%27%29 HTTP/1.1', '/pets%28PartitionKey=%27a%27%29'],
    ['POST   /pets   HTTP/1.0  ', '/pets'],
  ])('of %s has its address', (line, url) => {
    expect(requestLine(line)).toMatchObject({ method: 'POST', url });
  });

  it.each(['POST', 'PUT', 'PATCH', 'MERGE', 'DELETE', 'GET', 'merge'])('may be a %s', (method) => {
    expect(requestLine(`${method} /pets HTTP/1.1`).method).toBe(method);
  });

  it('has an address that is decoded from UTF-8', () => {
    const text = Buffer.from("POST /pets(PartitionKey='\u00e9') HTTP/1.1").toString('latin1');
    expect(requestLine(text).url).toBe("/pets(PartitionKey='\u00e9')");
  });

  it('has the Content-ID of its own headers, not of the MIME part', () => {
    const around = part.replace('\r\n\r\n', '\r\nContent-ID: 1\r\n\r\n');
    expect(onlyRequest(changeset(`${around}POST /pets HTTP/1.1\r\n\r\n`)).contentId).toBeUndefined();
    expect(onlyRequest(changeset(`${around}POST /pets HTTP/1.1\r\ncontent-id: 2\r\n\r\n`)).contentId).toBe('2');
  });

  it.each([
    ['of several lines', '{\r\n  "a": 1,\r\n\r\n  "b": 2\r\n}'],
    ['with bytes of every kind', Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')],
    ['with a delimiter inside a line', '{"a":"--changeset_1","b":"\\r\\n--batch_1--"}'],
    ['with white space behind such a delimiter', '{"a":"--changeset_1-- \\t","b":"--batch_1 "}'],
    ['with a line that only starts like a delimiter', '{\r\n--changeset_12\r\n--batch_1x\r\n}'],
    ['with white space at its end', '{} \r\n\r\n'],
    ['of nothing', ''],
  ])('has a body %s unchanged', (_, body) => {
    expect(onlyRequest(changeset(`${part}POST /pets HTTP/1.1\r\n\r\n${body}`)).body.toString('latin1')).toBe(body);
  });

  it.each(['\r\n--changeset_1\r\n', '--changeset_1\n', '\r--changeset_1 \t\r'])(
    'ends at a delimiter at the end of a line, even inside JSON: %j',
    (end) => {
      const requests = requestsOf(changeset(`${part}POST /pets HTTP/1.1\r\n\r\n{"a":${end}}`));
      expect(requests).toHaveLength(2);
      expect(requests[0]).toMatchObject({ body: Buffer.from('{"a":') });
      expect(requests[1]).toBe('unreadable');
    },
  );

  it('needs no blank line after its headers if it has no body', () => {
    const { headers, body } = onlyRequest(changeset(`${part}DELETE /pets HTTP/1.1\r\nIf-Match: *`));
    expect(headers).toEqual({ 'if-match': '*' });
    expect(body).toHaveLength(0);
  });

  it.each([
    ['empty', ''],
    ['blank', '\r\n\r\n'],
    ['headers alone', part.trimEnd()],
    ['headers and blank lines', `${part}\r\n\r\n`],
    ['a request without a version', `${part}POST /pets\r\n\r\n`],
    ['a request without an address', `${part}POST HTTP/1.1\r\n\r\n`],
    ['an invalid method', `${part}P\u00d6ST /pets HTTP/1.1\r\n\r\n`],
    ['a request with a version that is cut off', `${part}POST /pets HTTP/1.\r\n\r\n`],
    ['a request with an invalid length', `${part}POST /pets HTTP/1.1\r\nContent-Length: 74Accept: a/b\r\n\r\n`],
    ['a request with a negative length', `${part}POST /pets HTTP/1.1\r\nContent-Length: -1\r\n\r\n`],
    ['a request with an unreadable header', `${part}POST /pets HTTP/1.1\r\nhello\r\n\r\n`],
    ['a request with a carriage return in its line', `${part}POST /pets\rX: HTTP/1.1\r\n\r\n`],
    ['another type', insert.replace('application/http', 'application/json')],
    ['no type', insert.replace('Content-Type: application/http\r\n', '')],
    ['a changeset', 'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x--'],
  ])('is malformed if its part is %s, without effect on the other parts', (_, text) => {
    const [first, second, third] = requestsOf(changeset(insert, text, insert));
    expect([first === 'unreadable', second, third === 'unreadable']).toEqual([false, 'unreadable', false]);
  });

  it('can be malformed also outside a changeset', () => {
    expect(read('--batch_1\r\n\r\n--batch_1--').parts).toEqual([{ kind: 'single', request: 'unreadable' }]);
  });
});
