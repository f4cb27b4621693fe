// How the service finds the beginning and the end of each part of a batch. Evidence: sdk (azure-sdk-for-cpp, its
// transactions; azure-sdk-for-rust #361, a batch with another boundary in its body), assumed (the other forms, which
// follow ODataLib's reader).

import { describe, expect, it } from 'vitest';
import {
  callsOn,
  changesetBody,
  changesetPart,
  type InnerCall,
  outcomesIn,
  partsOf,
  requestPart,
  rowsOf,
  sendBatch,
} from '../support/batch-requests.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const { base } = service;
let tables = 0;

async function freshTable() {
  const table = `delimiters${tables++}`;
  await service.createTable(table);
  return { table, calls: callsOn(base, table) };
}

/** The emulator's warnings about the form of a batch. */
const warningsOf = (answer: WireAnswer): readonly string[] =>
  JSON.parse(answer.header('x-emulator-why') ?? '[]') as string[];

const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json;odata=minimalmetadata',
  Prefer: 'return-no-content',
  DataServiceVersion: '3.0;',
};

/** A transaction as azure-data-tables-cpp writes it, with LF and with each delimiter directly after the JSON. */
function cppBody(calls: readonly InnerCall[]): string {
  const steps = calls.map(({ method, url, headers = {}, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
    const head = `--changeset_b\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n`;
    return `${head}${method} ${url} HTTP/1.1\n${fields.join('')}${body === undefined ? '' : `\n${body}`}`;
  });
  const head = '--batch_a\nContent-Type: multipart/mixed; boundary=changeset_b\n\n';
  return `${head}${steps.join('')}\n\n--changeset_b--\n--batch_a\n`;
}

describe('A transaction of the C++ client is carried out', () => {
  it.each([1, 2, 3, 100])('with %i steps', async (steps) => {
    const { table, calls } = await freshTable();
    const inserts = Array.from({ length: steps }, (_, n) => calls.insert(`r${n}`, { n }, headers));
    const answer = await sendBatch(service, cppBody(inserts));
    expect(outcomesIn(answer)).toEqual(inserts.map(() => '204 No Content'));
    expect(warningsOf(answer)).toEqual([]);
    expect(await rowsOf(service, table)).toEqual(Object.fromEntries(inserts.map((_, n) => [`r${n}`, n])));
  });

  it('with steps of each kind', async () => {
    const { table, calls } = await freshTable();
    for (const RowKey of ['changed', 'gone', 'merged']) await service.insert(table, { RowKey, n: 0 });
    const any = { ...headers, 'If-Match': '*' };
    const steps = [
      calls.insert('new', { n: 1 }, headers),
      calls.remove('gone', '*', headers),
      calls.put('changed', { n: 1 }, any),
      calls.merge('merged', { n: 1 }, headers),
    ];
    expect(outcomesIn(await sendBatch(service, cppBody(steps)))).toEqual(steps.map(() => '204 No Content'));
    expect(await rowsOf(service, table)).toEqual({ changed: 1, merged: 1, new: 1 });
  });

  it('unless its Content-Length includes the next header: then the error is not JSON, which it would read', async () => {
    const { table, calls } = await freshTable();
    const glued = { 'Content-Length': '74Accept: application/json;odata=minimalmetadata', 'If-Match': '*' };
    const { body: _, ...upsert } = calls.patch('a');
    const answer = await sendBatch(service, cppBody([{ ...upsert, headers: glued }]));
    expect(outcomesIn(answer)).toEqual(['400 InvalidInput']);
    expect(answer.body).not.toContain('odata.error');
    expect(await rowsOf(service, table)).toEqual({});
  });

  it('or refused with the index of its step', async () => {
    const { table, calls } = await freshTable();
    const steps = [calls.insert('a', {}, headers), calls.insert('a', {}, headers)];
    expect(outcomesIn(await sendBatch(service, cppBody(steps)))).toEqual(['400 InvalidDuplicateRow']);
    expect(await rowsOf(service, table)).toEqual({});
  });
});

describe('A batch is 202 without a part, and nothing is written, if', () => {
  const valid = (calls: ReturnType<typeof callsOn>) => changesetBody([calls.insert('unread', { n: 1 })]);
  const noLine = 'The batch has no line "--batch_a", its boundary: nothing was carried out.';

  it.each([
    ['its boundary is that of another', (body: string) => body.replaceAll('batch_a', 'batch_z'), noLine],
    ['its boundary is cut short', (body: string) => body.replaceAll('batch_a', 'batch_'), noLine],
    ['its boundary always has text behind it', (body: string) => body.replaceAll('--batch_a', '--batch_a; x'), noLine],
    ['it is empty', () => '', noLine],
    ['it is text', () => 'Hello\r\n', noLine],
    ['it is JSON', () => '{"PartitionKey":"p","RowKey":"unread"}', noLine],
    ['it is its last delimiter', () => '--batch_a--\r\n', 'The batch has no part: nothing was carried out.'],
    ['it is a delimiter', () => '--batch_a\r\n', 'The batch has no part: nothing was carried out.'],
  ])('%s', async (_, change, warning) => {
    const { table, calls } = await freshTable();
    const answer = await sendBatch(service, change(valid(calls)));
    expect(partsOf(answer)).toEqual([]);
    expect(answer.body).toMatch(/^--batchresponse_[0-9a-f-]{36}--\r\n$/);
    expect(warningsOf(answer)).toEqual([warning]);
    expect(await rowsOf(service, table)).toEqual({});
  });
});

it('A changeset whose boundary does not occur is 202 with an empty changeset, and nothing is written', async () => {
  const { table, calls } = await freshTable();
  const body = changesetBody([calls.insert('unread')]).replaceAll('--changeset_b', '--changeset_z');
  const answer = await sendBatch(service, body);
  expect(outcomesIn(answer)).toEqual([]);
  expect(warningsOf(answer)).toEqual([
    'The changeset has no line "--changeset_b", its boundary: nothing was carried out.',
  ]);
  expect(await rowsOf(service, table)).toEqual({});
});

it('An empty changeset is 202 without a warning', async () => {
  const answer = await sendBatch(service, changesetBody([]));
  expect(outcomesIn(answer)).toEqual([]);
  expect(warningsOf(answer)).toEqual([]);
});

describe('A batch that ends early is carried out as far as it arrived', () => {
  it.each([
    ['the last delimiter', 'batch', (body: string) => body.replace('--batch_a--\r\n', '')],
    ['both last delimiters', 'changeset', (body: string) => body.replace('--changeset_b--\r\n--batch_a--\r\n', '')],
    ['the last delimiter of its changeset', 'changeset', (body: string) => body.replace('--changeset_b--\r\n', '')],
  ])('if it arrives without %s', async (_, of, cut) => {
    const { table, calls } = await freshTable();
    const answer = await sendBatch(
      service,
      cut(changesetBody([calls.insert('a', { n: 1 }), calls.put('b', { n: 2 })])),
    );
    expect(outcomesIn(answer)).toEqual(['204 No Content', '204 No Content']);
    const mark = of === 'batch' ? '--batch_a--' : '--changeset_b--';
    expect(warningsOf(answer)).toEqual([`The ${of} ends without "${mark}"; it was read as if complete.`]);
    expect(await rowsOf(service, table)).toEqual({ a: 1, b: 2 });
  });

  it('also if it is a query', async () => {
    const { table, calls } = await freshTable();
    await service.insert(table, { RowKey: 'a' });
    const answer = await sendBatch(service, `--batch_a\r\n${requestPart(calls.get('a'))}`);
    expect(partsOf(answer)).toMatchObject([{ kind: 'single', answer: { status: 200 } }]);
  });

  it('and wherever it was cut, exactly the operations that are answered with success are written', async () => {
    const { table } = await freshTable();
    const bodyAt = (partition: string) => {
      const url = `${base}/${table}(PartitionKey='${partition}',RowKey=`;
      const put = (key: string): InnerCall => ({ method: 'PUT', url: `${url}'${key}')`, body: '{"n":1}' });
      return changesetBody([put('a'), { ...put('b'), method: 'MERGE' }, put('c')]);
    };
    const name = (at: number): string => String(at).padStart(5, '0');
    const { length } = bodyAt(name(0));
    const answered = new Map<string, number>();
    const counts = new Set<number>();
    for (let at = 0; at <= length; at++) {
      const answer = await sendBatch(service, bodyAt(name(at)).slice(0, at));
      if (answer.status === 400) {
        // The batch was cut in the Content-Type of the changeset, which therefore has no boundary.
        expect(bodyAt(name(at)).slice(0, at)).toMatch(/\nContent-Type: multipart\/mixed[; a-z=]*$/);
        continue;
      }
      const parts = partsOf(answer);
      const answers = parts.flatMap((part) => (part.kind === 'changeset' ? part.answers : [part.answer]));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const done = answers.filter(({ status }) => status < 300).length;
      if (done < answers.length) expect([done, answers.length]).toEqual([0, 1]);
      if (done > 0) answered.set(name(at), done);
      counts.add(done);
    }
    expect([...counts].sort()).toEqual([0, 1, 2, 3]);
    const written = new Map<string, number>();
    for (const partition of await partitionsIn(table)) written.set(partition, (written.get(partition) ?? 0) + 1);
    expect(written).toEqual(answered);
  });
});

/** Returns the partition key of each entity. */
async function partitionsIn(table: string): Promise<string[]> {
  const { body } = await service.get(`/${table}()?$select=PartitionKey`, {
    Accept: 'application/json;odata=nometadata',
  });
  return (JSON.parse(body) as { value: { PartitionKey: string }[] }).value.map(({ PartitionKey }) => PartitionKey);
}

describe('A delimiter inside a value is content', () => {
  it.each(['--batch_a', '--changeset_b--', 'x --batch_a-- ', '\r\n--changeset_b\r\n'])('%j', async (text) => {
    const { table, calls } = await freshTable();
    const answer = await sendBatch(
      service,
      cppBody([calls.insert('a', { text }, headers), calls.insert('b', { text }, headers)]),
    );
    expect(outcomesIn(answer)).toEqual(['204 No Content', '204 No Content']);
    const { body } = await service.get(`/${table}()?$select=text`, { Accept: 'application/json;odata=nometadata' });
    expect(JSON.parse(body)).toEqual({ value: [{ text }, { text }] });
  });
});

it('A batch and its changeset may have the same boundary', async () => {
  const { table, calls } = await freshTable();
  const part = changesetPart([calls.insert('a', { n: 1 }), calls.insert('b', { n: 2 })].map(requestPart), 'batch_a');
  const answer = await sendBatch(service, `--batch_a\r\n${part}--batch_a--\r\n`);
  expect(outcomesIn(answer)).toEqual(['204 No Content', '204 No Content']);
  expect(await rowsOf(service, table)).toEqual({ a: 1, b: 2 });
});
