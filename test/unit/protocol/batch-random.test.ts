// Tests random batches. Valid batches must be parsed as they were written, and damaged batches must be refused.
// RUNS=100000 makes more runs.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemSchedule } from '../../../src/model/schedule.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import { type BatchRequest, readBatch } from '../../../src/protocol/batch-request.ts';
import { type InnerResponse, renderBatchResponse } from '../../../src/protocol/batch-response.ts';
import type { HttpHeaders } from '../../../src/protocol/http-headers.ts';
import { MultipartReader, parseBoundary } from '../../../src/protocol/multipart.ts';

const runs = Number(process.env['RUNS'] ?? 5000);
const timeLimitMs = process.env['RUNS'] ? 110_000 : 15_000;

const printable = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 20 });
const bchars = "0123456789abcxyzABCXYZ'()+_,-./:=? ";
const boundaries = printable(bchars).map((text) => `b${text.trimEnd()}`);
const names = printable('abc-XYZ').map((name) => `x${name.toLowerCase()}`);
const values = printable('abc;=", *()[]{}\u00e9\u20ac').map((value) => value.trim());

const requests = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'PATCH', 'MERGE', 'DELETE', 'GET'),
  url: printable("/?&=%'(),abc ").map((url) => `/${url}`.trim()),
  headers: fc.dictionary(names, values, { maxKeys: 4 }),
  contentId: fc.option(fc.nat({ max: 200 }).map(String), { nil: undefined }),
  body: fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)),
});
type Written = typeof requests extends fc.Arbitrary<infer T> ? T : never;

const batches = fc.record({
  outer: boundaries,
  inner: boundaries,
  eol: fc.constantFrom('\r\n', '\n', '\r'),
  /** Whether delimiters follow bodies directly, without a line end. */
  isTight: fc.boolean(),
  isQuoted: fc.boolean(),
  changesets: fc.array(fc.array(requests, { maxLength: 5 }), { minLength: 1, maxLength: 3 }),
});
type Batch = typeof batches extends fc.Arbitrary<infer T> ? T : never;

function write({ outer, inner, eol, isTight, changesets }: Batch): Buffer {
  const chunks: Buffer[] = [];
  const line = (text: string) => chunks.push(Buffer.from(text + eol));
  for (const changeset of changesets) {
    line(`--${outer}`);
    line(`Content-Type: multipart/mixed; boundary="${inner}"${eol}`);
    for (const { method, url, headers, contentId, body } of changeset) {
      line(`--${inner}`);
      line(`Content-Type: application/http${eol}Content-Transfer-Encoding: binary${eol}`);
      line(`${method} ${url} HTTP/1.1`);
      if (contentId !== undefined) line(`Content-ID: ${contentId}`);
      for (const [name, value] of Object.entries(headers)) line(`${name}: ${value}`);
      line('');
      chunks.push(body);
      if (!isTight) line('');
    }
    line(`--${inner}--`);
  }
  line(`--${outer}--`);
  return Buffer.concat(chunks);
}

const typeOf = ({ outer, isQuoted }: Batch) =>
  `multipart/mixed; boundary=${isQuoted ? `"${outer}"` : outer}; charset=utf-8`;

/** Whether a body has text that no parser could distinguish from the batch around it. */
function isAmbiguous({ eol, isTight, changesets }: Batch): boolean {
  const isOdd = ({ body }: Written) =>
    /^[\r\n]|--b/.test(body.toString('latin1')) ||
    (isTight && /[\r\n]$/.test(body.toString('latin1'))) ||
    (eol === '\n' && body.at(-1) === 0x0d);
  return changesets.flat().some(isOdd);
}

function partsIn(body: Buffer, boundary: string): Buffer[] {
  const reader = new MultipartReader(body, boundary);
  const parts: Buffer[] = [];
  for (let part = reader.next(); part !== undefined; part = reader.next()) parts.push(part);
  return parts;
}

describe('A random batch', () => {
  it('is parsed as it was written, with any line end and any two boundaries', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        fc.pre(!isAmbiguous(batch));
        const read = readBatch(typeOf(batch), write(batch));
        const expected = batch.changesets.map((changeset) => ({
          kind: 'changeset',
          requests: changeset.map(({ headers, contentId, ...request }) => ({
            ...request,
            contentId,
            headers: contentId === undefined ? headers : { ...headers, 'content-id': contentId },
          })),
        }));
        expect(read).toEqual({ parts: expected, warning: undefined });
      }),
      { numRuns: Math.min(runs, 2000), interruptAfterTimeLimit: timeLimitMs },
    );
  });

  const answers = fc.record<InnerResponse>({
    status: fc.constantFrom(200, 201, 204, 400, 404, 409, 412),
    contentId: fc.option(fc.nat().map(String), { nil: undefined }),
    headers: fc.constantFrom<HttpHeaders>(
      [],
      [['ETag', 'W/"1"']],
      [
        ['Location', 'http://host/'],
        ['ETag', 'W/"1"'],
      ],
    ),
    body: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
    refusedAt: fc.constantFrom(undefined, 'parse', 'execute', 'unread'),
  });

  it('gets a response with parts that can be separated', () => {
    fc.assert(
      fc.property(fc.array(fc.array(answers, { maxLength: 5 }), { maxLength: 3 }), (changesets) => {
        const parts = changesets.map((group) => ({ kind: 'changeset' as const, responses: group }));
        const { contentType, body } = renderBatchResponse(parts, systemSchedule.newId);
        const groups = partsIn(body, parseBoundary(contentType) ?? '');
        expect(groups).toHaveLength(changesets.length);
        for (const [i, group] of groups.entries()) {
          const boundary = parseBoundary(group.toString().split('\r\n', 1)[0] ?? '') ?? '';
          const inner = partsIn(group.subarray(group.indexOf('\r\n\r\n') + 4), boundary);
          const bodies = inner.map((part) => part.subarray(part.indexOf('\r\n\r\n', part.indexOf('HTTP/1.1')) + 4));
          expect(bodies).toEqual(changesets[i]?.map((answer) => Buffer.from(answer.body ?? '')));
        }
      }),
      { numRuns: Math.min(runs, 2000), interruptAfterTimeLimit: timeLimitMs },
    );
  });
});

const scraps = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '--',
  ':',
  ' ',
  '"',
  ';',
  '\t',
  'boundary=',
  'HTTP/1.1',
  'Content-Type: ',
];
const damages = fc.record({
  place: fc.nat({ max: 4000 }),
  length: fc.nat({ max: 60 }),
  insert: fc.oneof(
    fc.constantFrom(...scraps, 'delimiter').map((text) => text),
    fc.string({ unit: 'binary-ascii' }),
  ),
  kind: fc.constantFrom('insert', 'delete', 'replace', 'repeat', 'cut'),
});
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

function damage(body: Buffer, { place, length, insert, kind }: Damage, { outer, inner }: Batch): Buffer {
  const at = place % (body.length + 1);
  const scrap = Buffer.from(insert === 'delimiter' ? `\n--${length % 2 ? outer : inner}` : insert, 'latin1');
  switch (kind) {
    case 'insert':
      return Buffer.concat([body.subarray(0, at), scrap, body.subarray(at)]);
    case 'delete':
      return Buffer.concat([body.subarray(0, at), body.subarray(at + length)]);
    case 'replace':
      return Buffer.concat([body.subarray(0, at), scrap, body.subarray(at + scrap.length)]);
    case 'repeat':
      return Buffer.concat([body.subarray(0, at + length), body.subarray(at)]);
    default:
      return body.subarray(0, at);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that could end the headers of a response
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Checks the limits that every result of the parser must keep. */
function checkBounds({ parts, warning }: BatchRequest, text: Buffer): void {
  if (parts.length === 0) expect(warning?.kind).toBe('nothing read');
  expect(parts.length).toBeLessThanOrEqual(100);
  let bytes = 0;
  for (const part of parts) {
    const requests = part.kind === 'single' ? [part.request] : part.requests;
    expect(requests.length).toBeLessThanOrEqual(101);
    for (const request of requests) {
      if (request === 'unreadable') continue;
      bytes += request.body.length;
      expect(text.includes(request.body)).toBe(true);
      expect(request.method).toMatch(/^[A-Za-z]+$/);
      expect(request.url).not.toBe('');
      const texts = [request.url, request.contentId ?? '', ...Object.entries(request.headers).flat()];
      expect(texts.some((one) => control.test(one))).toBe(false);
    }
  }
  expect(bytes).toBeLessThanOrEqual(text.length);
}

describe('A damaged batch', () => {
  it('is refused as InvalidInput, or parsed within the limits', () => {
    let [refused, warned, read] = [0, 0, 0];
    fc.assert(
      fc.property(batches, fc.array(damages, { minLength: 1, maxLength: 6 }), (batch, all) => {
        const text = all.reduce((body, one) => damage(body, one, batch), write(batch));
        try {
          const result = readBatch(typeOf(batch), text);
          checkBounds(result, text);
          if (result.warning) warned++;
          else read++;
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('InvalidInput');
          refused++;
        }
      }),
      { numRuns: runs, interruptAfterTimeLimit: timeLimitMs },
    );
    expect(refused).toBeGreaterThan(0);
    expect(warned).toBeGreaterThan(runs / 100);
    expect(read).toBeGreaterThan(runs / 100);
    if (process.env['RUNS']) console.log({ refused, warned, read });
  });
});
