import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting, expectSuccess } from '../support/expect-success.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const { base } = service;
const many = await startService();

const nextTable = 'x-ms-continuation-NextTableName';
// The service lists names in this order: by lower-case name.
const names = ['alpha', 'Beta', 'Beta2', 'gamma', 'Zeta'];
const beforeCreationMs = Date.now();
for (const name of ['Zeta', 'gamma', 'Beta2', 'alpha', 'Beta']) await service.createTable(name);

function query(options: string): Promise<WireAnswer> {
  return service.get(`/Tables${options}`, accepting('nometadata'));
}

function namesIn({ body }: WireAnswer): string[] {
  const { value } = JSON.parse(body) as { value: { TableName: string }[] };
  return value.map(({ TableName }) => TableName);
}

function tokenOf(text: string): string {
  const encoded = Buffer.from(text).toString('base64').replaceAll('+', '*').replaceAll('/', '_').replaceAll('=', '-');
  return `1!${encoded.length}!${encoded}`;
}

describe('Query Tables refuses', () => {
  it.each(['-1', '1001', '99999999999', 'ten', '1.5', ''])('$top=%s: 400 InvalidInput', async (top) => {
    expectRefusal(await service.get(`/Tables?$top=${top}`), refusal('InvalidInput'));
  });

  it.each([
    ['an empty one', ''],
    ['a plain name', 'Beta'],
    ['one whose length is wrong', tokenOf('beta\u000101d685733e5fa939').replace(/!\d+!/, '!7!')],
    ['one that is not base64', '1!4!a%2A%2A'],
    ['one without a creation time', tokenOf('beta')],
    ['one whose creation time is not a number', tokenOf('beta\u0001nosuchtimeatall!')],
  ])('a malformed token, %s: 400 InvalidInput', async (_, token) => {
    const answer = await service.get(`/Tables?NextTableName=${token}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining(
        '"code":"InvalidInput","message":{"lang":"en-US","value":"One of the request inputs is not valid.',
      ),
    ]);
  });
});

describe('Query Tables refuses to read', () => {
  it('a $select without names: 400 InvalidInput', async () => {
    const message = 'An identifier was expected at position 0.';
    for (const path of ['/Tables', "/Tables('alpha')"]) {
      const answer = await service.get(`${path}?$select=['TableName']`);
      expectRefusal(answer, refusal('InvalidInput', { message, stage: 'reading' }));
    }
  });
});

describe('Query Tables', () => {
  it('answers 200 with all tables in the order of their lower-case names, at each metadata level', async () => {
    const feed = (item: (name: string) => string): string =>
      `"value":[${names.map((name) => `{${item(name)}}`).join(',')}]}`;
    const property = (name: string): string => `"TableName":"${name}"`;
    const metadata = `{"odata.metadata":"${base}/$metadata#Tables",`;

    expectSuccess(await service.get('/Tables', accepting('nometadata')), {
      status: 200,
      json: ['nometadata', `{${feed(property)}`],
    });
    expectSuccess(await service.get('/Tables', accepting('minimalmetadata')), {
      status: 200,
      json: ['minimalmetadata', metadata + feed(property)],
    });
    expectSuccess(await service.get('/Tables()', accepting('fullmetadata')), {
      status: 200,
      json: [
        'fullmetadata',
        metadata +
          feed(
            (name) =>
              `"odata.type":"devstoreaccount1.Tables","odata.id":"${base}/Tables('${name}')",` +
              `"odata.editLink":"Tables('${name}')",${property(name)}`,
          ),
      ],
    });
  });

  it('repeats $select in the metadata address', async () => {
    const { body } = await service.get('/Tables?$select=TableName');
    expect(body.startsWith(`{"odata.metadata":"${base}/$metadata#Tables&$select=TableName","value":[`)).toBe(true);
  });

  it('ignores an empty $filter', async () => {
    expect(namesIn(await query('?$filter='))).toEqual(names);
  });

  it('returns $top tables and a token, and no token with the last table', async () => {
    const first = await query('?$top=4');
    expect(namesIn(first)).toEqual(names.slice(0, 4));
    const token = first.header(nextTable) ?? '';
    const rest = await query(`?$top=4&NextTableName=${encodeURIComponent(token)}`);
    expect(namesIn(rest)).toEqual(names.slice(4));
    expect(rest.header(nextTable)).toBeUndefined();
    expect((await query('?$top=5')).header(nextTable)).toBeUndefined();
  });

  it('returns a token with the next table and the time of its creation', async () => {
    const [, , encoded = ''] = (await query('?$top=1')).header(nextTable)?.split('!') ?? [];
    const decoded = Buffer.from(
      encoded.replaceAll('*', '+').replaceAll('_', '/').replaceAll('-', '='),
      'base64',
    ).toString();
    const [name, fileTime = ''] = decoded.split('\u0001');
    expect(name).toBe('beta');
    expect(fileTime).toMatch(/^[0-9a-f]{16}$/);
    const createdMs = Number(BigInt(`0x${fileTime}`) / 10_000n) - 11_644_473_600_000;
    expect(createdMs).toBeGreaterThanOrEqual(beforeCreationMs);
    expect(createdMs).toBeLessThanOrEqual(Date.now());
  });

  it('accepts a token that is raw or percent-encoded, and percent-encoded names of options', async () => {
    const token = (await query('?%24top=2')).header(nextTable) ?? '';
    for (const written of [token, encodeURIComponent(token), token.replaceAll('!', '%21')]) {
      expect(namesIn(await query(`?NextTableName=${written}`))).toEqual(names.slice(2));
    }
  });

  it('pages through all tables one by one', async () => {
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await query(`?$top=1${token === undefined ? '' : `&NextTableName=${encodeURIComponent(token)}`}`);
      seen.push(...namesIn(page));
      token = page.header(nextTable);
    } while (token !== undefined);
    expect(seen).toEqual(names);
  });

  it('continues at the next table if the one in the token was deleted', async () => {
    await service.createTable('delta');
    const token = (await query('?$top=3')).header(nextTable) ?? '';
    await service.send({ method: 'DELETE', path: "/Tables('delta')" });
    expect(namesIn(await query(`?NextTableName=${encodeURIComponent(token)}`))).toEqual(['gamma', 'Zeta']);
  });

  it('returns nothing and no token for $top=0', async () => {
    const answer = await query('?$top=0');
    expectSuccess(answer, { status: 200, json: ['nometadata', '{"value":[]}'] });
  });
});

describe('Query Tables of many tables', () => {
  it('returns at most 1000 tables, with or without $top=1000', async () => {
    const all = Array.from({ length: 1001 }, (_, index) => `t${String(index).padStart(4, '0')}`);
    await Promise.all(all.map((name) => many.createTable(name)));
    for (const options of ['', '?$top=1000']) {
      const page = await many.get(`/Tables${options}`, accepting('nometadata'));
      expect(namesIn(page)).toEqual(all.slice(0, 1000));
      const token = encodeURIComponent(page.header(nextTable) ?? '');
      const last = await many.get(`/Tables?NextTableName=${token}`, accepting('nometadata'));
      expect(namesIn(last)).toEqual(['t1000']);
    }
  });
});
