import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting, etagMember, etagOf, expectSuccess, type Level, timestampOf } from '../support/expect-success.ts';
import { fillTable } from '../support/fill-table.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const { base } = service;

const nextPartition = 'x-ms-continuation-NextPartitionKey';
const nextRow = 'x-ms-continuation-NextRowKey';

interface Key {
  readonly PartitionKey: string;
  readonly RowKey: string;
}

function keysIn({ body }: WireAnswer): string[] {
  const { value } = JSON.parse(body) as { value: Key[] };
  return value.map(({ PartitionKey, RowKey }) => `${PartitionKey}|${RowKey}`);
}

function query(table: string, options = ''): Promise<WireAnswer> {
  return service.get(`/${table}()${options}`, accepting('nometadata'));
}

/** The query options that request the page after this one. */
function continuation(page: WireAnswer): string {
  const partition = page.header(nextPartition);
  if (partition === undefined) return '';
  const row = page.header(nextRow) ?? '';
  return `NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(row)}`;
}

/** Reads every page of a table. */
async function walk(table: string, options: string): Promise<WireAnswer[]> {
  const pages = [await query(table, `?${options}`)];
  for (let next = continuation(pages[0]!); next !== ''; next = continuation(pages.at(-1)!)) {
    pages.push(await query(table, `?${options}&${next}`));
    expect(pages.length).toBeLessThan(50);
  }
  return pages;
}

await service.createTable('two');
const first = await service.insert('two', '{"PartitionKey":"a","RowKey":"1","n@odata.type":"Edm.Int64","n":"5"}');
const second = await service.insert('two', '{"PartitionKey":"b","RowKey":"\u00e9","s":"x"}');

describe('Query Entities refuses to read', () => {
  // Evidence: assumed.
  it.each(['$top=1&$top=2', '$filter=true&$filter=true', '$select=a&%24select=b'])(
    '%s: an option that occurs twice',
    async (options) => {
      expectRefusal(await service.get(`/two()?${options}`), refusal('InvalidInput'));
    },
  );

  it('a missing table: 404 TableNotFound', async () => {
    expectRefusal(await service.get('/absent()'), refusal('TableNotFound'));
    expectRefusal(await service.get('/absent?$top=0'), refusal('TableNotFound'));
  });

  it('a $select without names: 400 InvalidInput', async () => {
    const message = 'An identifier was expected at position 0.';
    const answer = await service.get("/two?$select=['age,%20sex']");
    expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
  });

  it.each(['PUT', 'PATCH', 'MERGE', 'DELETE'])('another verb, %s: 405 MethodNotAllowed', async (method) => {
    expectRefusal(await service.send({ method, path: '/two()' }), refusal('MethodNotAllowed'));
  });
});

describe('Query Entities refuses', () => {
  it.each(['-1', '1001', '4294967297', 'ten', '1.5', ''])('$top=%s: 400 InvalidInput', async (top) => {
    expectRefusal(await service.get(`/two()?$top=${top}`), refusal('InvalidInput'));
  });

  it.each([
    ['an empty row key', 'NextPartitionKey=1!4!YQ--&NextRowKey='],
    ['an empty partition key', 'NextPartitionKey=&NextRowKey=1!4!YQ--'],
    ['a row key alone', 'NextRowKey=1!4!YQ--'],
    ['a wrong length', 'NextPartitionKey=1!5!YQ--'],
    ['no base64', 'NextPartitionKey=1!4!Y%25--'],
    ['base64 cut short', 'NextPartitionKey=1!3!YQ-'],
    ['another version', 'NextPartitionKey=2!4!YQ--'],
    ['bytes that are not UTF-8', 'NextPartitionKey=1!4!*w--'],
    ['a plain key', 'NextPartitionKey=a&NextRowKey=1'],
  ])('a malformed token, %s: 400 InvalidInput', async (_, options) => {
    const answer = await service.get(`/two()?${options}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining(
        '{"code":"InvalidInput","message":{"lang":"en-US","value":"One of the request inputs is not valid.',
      ),
    ]);
  });
});

describe('Query Entities', () => {
  const [etag1, etag2] = [etagOf(first), etagOf(second)];
  const keys1 = '"PartitionKey":"a","RowKey":"1"';
  const keys2 = '"PartitionKey":"b","RowKey":"\\u00e9"';
  const stamp1 = `"Timestamp":"${timestampOf(etag1)}"`;
  const stamp2 = `"Timestamp":"${timestampOf(etag2)}"`;
  const path1 = "two(PartitionKey='a',RowKey='1')";
  const path2 = "two(PartitionKey='b',RowKey='%C3%A9')";
  const identity = (path: string, etag: string): string =>
    `"odata.type":"devstoreaccount1.two","odata.id":"${base}/${path}",${etagMember(etag)},"odata.editLink":"${path}"`;
  const stampType = '"Timestamp@odata.type":"Edm.DateTime"';

  const feeds: [Level, string][] = [
    ['nometadata', `{"value":[{${keys1},${stamp1},"n":"5"},{${keys2},${stamp2},"s":"x"}]}`],
    [
      'minimalmetadata',
      `{"odata.metadata":"${base}/$metadata#two","value":[{${etagMember(etag1)},${keys1},${stamp1},"n@odata.type":"Edm.Int64","n":"5"},` +
        `{${etagMember(etag2)},${keys2},${stamp2},"s":"x"}]}`,
    ],
    [
      'fullmetadata',
      `{"odata.metadata":"${base}/$metadata#two","value":[` +
        `{${identity(path1, etag1)},${keys1},${stampType},${stamp1},"n@odata.type":"Edm.Int64","n":"5"},` +
        `{${identity(path2, etag2)},${keys2},${stampType},${stamp2},"s":"x"}]}`,
    ],
  ];

  it.each(feeds)('answers 200 with all entities at %s, without ETag or continuation headers', async (level, body) => {
    for (const path of ['/two()', '/two', '/two()?$filter=', '/two()?unknown=1&$unknown=2']) {
      expectSuccess(await service.get(path, accepting(level)), { status: 200, json: [level, body] });
    }
  });

  it('returns an empty list for an empty table', async () => {
    await service.createTable('empty');
    expectSuccess(await query('empty'), { status: 200, json: ['nometadata', '{"value":[]}'] });
    expect((await service.get('/empty')).body).toBe(`{"odata.metadata":"${base}/$metadata#empty","value":[]}`);
  });

  it('applies $select to every entity, with null if it lacks the property', async () => {
    const { body } = await service.get('/two()?$select=n,PartitionKey');
    expect(body).toBe(
      `{"odata.metadata":"${base}/$metadata#two&$select=n,PartitionKey","value":[` +
        `{${etagMember(etag1)},"PartitionKey":"a","n@odata.type":"Edm.Int64","n":"5"},{${etagMember(etag2)},"PartitionKey":"b","n":null}]}`,
    );
  });

  it('returns nothing and no token for $top=0', async () => {
    expectSuccess(await query('two', '?$top=0'), { status: 200, json: ['nometadata', '{"value":[]}'] });
  });

  it('orders by PartitionKey, then RowKey, by UTF-16 unit', async () => {
    await service.createTable('ordered');
    const texts = [
      '\uffe5',
      'b',
      '',
      'Z',
      '\u{1f600}',
      '10',
      'aa',
      '_',
      '\u4e2d',
      '2',
      'A',
      '\ue000',
      'a',
      ' ',
      '\u00e9',
      '0',
    ];
    const keys = texts.flatMap((text) => [
      { PartitionKey: 'same', RowKey: text },
      { PartitionKey: text, RowKey: 'same' },
    ]);
    for (const key of keys) await service.insert('ordered', key);
    // JavaScript compares strings by UTF-16 unit. U+0000 is less than any character that a key may have.
    const sorted = keys.map(({ PartitionKey, RowKey }) => `${PartitionKey}\0${RowKey}`).sort();
    expect(keysIn(await query('ordered'))).toEqual(sorted.map((key) => key.replace('\0', '|')));
  });
});

describe('Query Entities continues', () => {
  it('with tokens that name the next entity, in the recorded form', async () => {
    await service.createTable('tokens');
    for (const RowKey of ['row-0', 'row-1', 'row-2'])
      await service.insert('tokens', { PartitionKey: 'p\u00e9', RowKey });
    const page = await query('tokens', '?$top=1');
    expect(page.header(nextPartition)).toBe('1!4!cMOp');
    expect(page.header(nextRow)).toBe('1!8!cm93LTE-');
    expect(keysIn(await query('tokens', '?NextPartitionKey=1!4!cMOp&NextRowKey=1!8!cm93LTE-'))).toEqual([
      'p\u00e9|row-1',
      'p\u00e9|row-2',
    ]);
    expect(keysIn(await query('tokens', '?NextPartitionKey=1%214%21cMOp&NextRowKey=1%218%21cm93LTE-'))).toHaveLength(2);
  });

  it('through every entity once, with $top as the page size', async () => {
    await service.createTable('paged');
    const all = Array.from({ length: 25 }, (_, index) => ({ PartitionKey: `p${index % 3}`, RowKey: `r${index}` }));
    for (const key of all) await service.insert('paged', key);
    const whole = keysIn(await query('paged'));
    expect(new Set(whole)).toEqual(new Set(all.map(({ PartitionKey, RowKey }) => `${PartitionKey}|${RowKey}`)));
    for (const top of [1, 7, 24, 25, 26]) {
      const pages = await walk('paged', `$top=${top}&$select=PartitionKey,RowKey`);
      expect(pages.flatMap(keysIn)).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(25 / top));
    }
  });

  it('if the selected properties do not include the keys', async () => {
    const pages = await walk('paged', '$top=20&$select=none');
    expect(pages.map(({ body }) => (JSON.parse(body) as { value: unknown[] }).value.length)).toEqual([20, 5]);
  });

  it('at the beginning of a partition if the row key is omitted', async () => {
    expect(keysIn(await query('paged', '?NextPartitionKey=1!4!cDI-')).every((key) => key.startsWith('p2|'))).toBe(true);
  });

  it('with an entity that was inserted at the token, and without one that was deleted there', async () => {
    await service.createTable('moving');
    for (const RowKey of ['a', 'c', 'd']) await service.insert('moving', { RowKey });
    const next = continuation(await query('moving', '?$top=1'));
    await service.send({
      method: 'DELETE',
      path: "/moving(PartitionKey='p',RowKey='c')",
      headers: { 'If-Match': '*' },
    });
    expect(keysIn(await query('moving', `?${next}`))).toEqual(['p|d']);
    await service.insert('moving', { RowKey: 'b' });
    await service.insert('moving', { RowKey: 'c' });
    expect(keysIn(await query('moving', `?${next}`))).toEqual(['p|c', 'p|d']);
  });

  it.each(["it''s", '%25', '%2B%20%26%3D', '\u65e5\u672c', '\u{1f600}', ''])('across the key %j', async (key) => {
    const table = `key${Buffer.from(key).toString('hex')}`;
    await service.createTable(table);
    await service.insert(table, { PartitionKey: '', RowKey: '' });
    await service.insert(table, { PartitionKey: key || 'x', RowKey: key });
    const pages = await walk(table, '$top=1');
    expect(pages.map(keysIn)).toEqual([['|'], [`${key || 'x'}|${key}`]]);
  });
});

describe('Query Entities ends a page', () => {
  it('at 1000 entities, with or without $top=1000', async () => {
    const keys = Array.from({ length: 1001 }, (_, index) => String(index).padStart(4, '0'));
    const entities = keys.map((RowKey) => JSON.stringify({ PartitionKey: 'p', RowKey }));
    await fillTable(service.origin, 'many', [entities.join('\n')]);
    for (const options of ['$select=PartitionKey,RowKey', '$select=PartitionKey,RowKey&$top=1000']) {
      const pages = await walk('many', options);
      expect(pages.map((page) => keysIn(page).length)).toEqual([1000, 1]);
      expect(pages.flatMap(keysIn)).toEqual(keys.map((key) => `p|${key}`));
    }
  });

  it('before its payload exceeds 4 MiB, but never without an entity', async () => {
    await service.createTable('heavy');
    const text = '\u00e9'.repeat(32_000);
    const properties = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`s${index}`, text]));
    for (const RowKey of ['a', 'b', 'c']) {
      const body = JSON.stringify({ PartitionKey: 'p', RowKey, ...properties });
      const headers = { Prefer: 'return-no-content' };
      expect((await service.send({ method: 'POST', path: '/heavy', headers, body })).status).toBe(204);
    }
    const pages = await walk('heavy', '$top=1000');
    expect(pages.map(keysIn)).toEqual([['p|a'], ['p|b'], ['p|c']]);
    for (const { body } of pages) expect(body.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it('before its payload exceeds 4 MiB, keys included', async () => {
    await service.createTable('keyed');
    // JSON has six characters for each unit, which makes 12 KiB of keys per entity.
    const longest = encodeURIComponent('\u4e2d'.repeat(1020));
    const paths = Array.from({ length: 360 }, (_, index) => {
      return `/keyed(PartitionKey='${longest}',RowKey='${longest}${1000 + index}')`;
    });
    const writes = await Promise.all(paths.map((path) => service.send({ method: 'PUT', path, body: '{}' })));
    expect(writes.filter(({ status }) => status !== 204)).toEqual([]);
    const page = await service.get('/keyed()');
    expect(keysIn(page).length).toBeGreaterThan(0);
    expect(page.body.length).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(page.header(nextPartition)).toBeDefined();
  });
});
