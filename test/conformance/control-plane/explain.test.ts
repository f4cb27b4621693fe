import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask, type ControlAnswer, codeOf, messageOf } from '../../support/control-plane.ts';
import { keepsFiles, startService } from '../../support/service.ts';
import { developmentKey } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const other = 'otheraccount';
const service = await startService({
  accounts: [
    { name: 'devstoreaccount1', keys: [developmentKey] },
    { name: other, keys: [developmentKey] },
  ],
});
const { origin } = service;
const withShortPages = await startService({ pageBoundaries: 'partition' });
await service.createTable('People');
for (const PartitionKey of ['a', 'b']) {
  for (const RowKey of ['1', '2', '3']) await service.insert('People', { PartitionKey, RowKey, Age: Number(RowKey) });
}

const explain = (body: object | string): Promise<ControlAnswer> => ask(origin, { body });

describe('Explain refuses to read', () => {
  it.each([
    ['no object', '[]', /The body must be object/],
    ['null', 'null', /The body must be object/],
    ['no JSON', '{"filter":', /JSON/],
    ['nothing', '', /[Bb]ody/],
    ['a poisoned member', '{"filter":"","__proto__":{"table":"x"}}', /JSON, or it has a member named __proto__/],
    [
      'a poisoned prototype',
      '{"filter":"","constructor":{"prototype":{}}}',
      /a member constructor with a member prototype/,
    ],
    ['no filter', {}, /The body lacks "filter"/],
    ['a filter that is not a string', { filter: 5 }, /"filter" must be string/],
    ['a table that is not a string', { filter: '', table: null }, /"table" must be string/],
    ['an account that is not a string', { filter: '', account: true }, /"account" must be string/],
    ['a top that is a text', { filter: '', top: '5' }, /"top" must be integer/],
    ['a top that is not a whole number', { filter: '', top: 1.5 }, /"top" must be integer/],
    ['a negative top', { filter: '', top: -1 }, /"top" must be >= 0/],
    ['a top beyond a page', { filter: '', top: 1001 }, /"top" must be <= 1000/],
    ['a member it does not know', { filter: '', tabel: 'x' }, /"tabel", which means nothing here/],
  ])('%s: 400 InvalidRequest with the wrong member', async (_, body, message) => {
    const answer = await explain(body);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([400, 'InvalidRequest']);
    expect(messageOf(answer)).toMatch(message);
    expect(answer.text).not.toMatch(/stack|node_modules|FST_/);
  });

  it('a body of another media type: 415', async () => {
    const answer = await ask(origin, { headers: { 'Content-Type': 'text/plain' }, body: '{"filter":""}' });
    expect([answer.status, codeOf(answer)]).toEqual([415, 'UnsupportedMediaType']);
  });

  it('a body beyond 1 MiB: 413', async () => {
    const answer = await explain({ filter: 'x'.repeat(1_048_576) });
    expect([answer.status, codeOf(answer)]).toEqual([413, 'RequestBodyTooLarge']);
  });

  it.each([
    ['Age gt', 'InvalidInput', 400, [6, 6], ''],
    ["Age eq 'a' and", 'InvalidInput', 400, [14, 14], ''],
    ["Age eq 1 and Name = 'a'", 'InvalidInput', 400, [18, 19], 'Write eq for =.'],
    ["Age eq 1 or Name eq 'a", 'InvalidInput', 400, [20, 22], 'A quote is not closed'],
    ["A eq 1 and (Age eq 1 and not (Timestamp gt 'a')) and B eq 2", 'InvalidInput', 400, [30, 46], ''],
    ['Age gt 1 and Age eq 2147483648L1', 'InvalidInput', 400, [31, 32], ''],
    ["A eq 1 and startswith(Name,'a')", 'NotImplemented', 501, [11, 31], 'For a prefix'],
    ['A eq 1 and Age lt Size', 'NotImplemented', 501, [11, 22], 'is read as a property'],
  ])(
    'the filter %s, with the status of the service, the position and a hint',
    async (filter, code, status, place, hint) => {
      const answer = await explain({ filter, table: 'absent' });
      expect(answer.status).toBe(400);
      const [start, end] = place;
      expect(answer.json).toEqual({
        error: { code, message: expect.stringMatching(/\S/), status, place: { start, end }, hints: expect.any(Array) },
      });
      expect(answer.text).toContain(hint);
      const path = `/People()?$filter=${encodeURIComponent(filter)}`;
      expect((await service.get(path)).status).toBe(status);
    },
  );

  it.each([
    ['account', { account: 'absent' }, 'AccountNotFound', '"account": there is no account absent here.'],
    ['account before the table', { account: 'absent', table: 'x' }, 'AccountNotFound', 'no account absent'],
    ['table', { table: 'absent' }, 'TableNotFound', '"table": account devstoreaccount1 has no table absent.'],
    ['table of another account', { account: other, table: 'People' }, 'TableNotFound', `account ${other} has no table`],
    ['name that no table can have', { table: '../People' }, 'TableNotFound', 'no table ../People.'],
  ])('an unknown %s: 404', async (_, names, code, message) => {
    const answer = await explain({ filter: '', ...names });
    expect([answer.status, codeOf(answer)]).toEqual([404, code]);
    expect(messageOf(answer)).toContain(message);
  });
});

describe('Explain without a table', () => {
  it.each([
    ['', 'table scan', [], null],
    ["PartitionKey eq 'a' and RowKey eq '1'", 'point', ["PartitionKey eq 'a'", "RowKey eq '1'"], null],
    [
      "PartitionKey eq 'a' and RowKey ge '2' and Age gt 5",
      'range',
      ["PartitionKey eq 'a'", "RowKey ge '2'"],
      'Age gt 5',
    ],
    ["PartitionKey eq 'a'", 'partition scan', ["PartitionKey eq 'a'"], null],
  ])('returns the plan of %j, without figures', async (filter, kind, bounds, residual) => {
    const answer = await explain({ filter });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      plan: { kind, reason: expect.stringContaining(kind), bounds, residual },
      advice: kind.endsWith('scan') ? expect.any(String) : null,
    });
  });

  it.each([
    ["PartitionKey eq 'a'", 'bound RowKey as well'],
    ["PartitionKey ge 'a'", 'pin PartitionKey with eq'],
    ['Age gt 5', 'keep a second table keyed by Age'],
  ])('advises how to make %j cheaper', async (filter, advice) => {
    expect((await explain({ filter })).json).toMatchObject({ advice: expect.stringContaining(advice) });
  });
});

describe('Explain with a table', () => {
  it.each([
    ['a point', { filter: "PartitionKey eq 'a' and RowKey eq '2'" }, 1, 1, 'range'],
    ['a range', { filter: "PartitionKey eq 'a' and RowKey ge '2' and Age gt 2" }, 2, 1, 'range'],
    ['a table scan', { filter: 'Age eq 3' }, 6, 2, 'range'],
    ['a full page', { filter: '', top: 4 }, 4, 4, 'limit'],
    ['a page of nothing', { filter: '', top: 0 }, 0, 0, 'range'],
  ])('returns the figures of %s', async (_, request, visited, returned, end) => {
    const answer = await explain({ ...request, table: 'People' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ visited, returned, end });
    expect(answer.json).toHaveProperty('advice');
    expect((answer.json as { sentence: string }).sentence).toMatch(
      new RegExp(`^[a-z ]+: .*; ${visited} entit(y|ies) visited for ${returned} returned`),
    );
  });

  it('says that a comparison is never true if no entity of the page has the type of the literal', async () => {
    const { json } = await explain({ filter: "Age gt '2'", table: 'People' });
    const advice = "Age is Edm.Int32 in all 6 visited entities; '2' is a string, so the comparison is never true";
    expect(json).toMatchObject({ visited: 6, returned: 0, advice });
  });

  it('finds the table by its name in any case, in the named account', async () => {
    const mine = service.with({ prefix: `/${other}`, account: other });
    expect((await mine.send({ method: 'POST', path: '/Tables', body: '{"TableName":"Mine"}' })).status).toBe(201);
    expect((await explain({ filter: '', table: 'mINE', account: other })).json).toMatchObject({ visited: 0 });
    expect((await explain({ filter: '', table: 'Mine' })).status).toBe(404);
  });

  it('ends its page with the partition if that is configured, as a query does', async () => {
    await withShortPages.createTable('Two');
    for (const PartitionKey of ['a', 'b']) await withShortPages.insert('Two', { PartitionKey });
    const answer = await ask(withShortPages.origin, { body: { filter: '', table: 'Two' } });
    expect(answer.json).toMatchObject({ visited: 1, returned: 1, end: 'partition' });
  });
});

describe('The control plane', () => {
  it.each(['/_emulator/x', '/_emulator//', '/_emulator/absent', '/_emulator/explain/'])(
    'answers 404 in its own form at %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'MERGE']) {
        const answer = await ask(origin, { method, path });
        expect([answer.status, codeOf(answer)]).toEqual([404, 'NotFound']);
      }
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'MERGE', 'OPTIONS'])(
    'answers 405 to %s, with the allowed methods',
    async (method) => {
      const answer = await ask(origin, { method, path: '/_emulator/explain?x=1', body: 'no JSON' });
      expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([405, 'MethodNotAllowed', 'POST']);
    },
  );

  it('answers 400 in its own form to a malformed address', async () => {
    const answer = await ask(origin, { method: 'GET', path: '/_emulator/%zz' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
  });

  it.each(['/_emulators/explain', '/_Emulator/explain', '/%5Femulator/explain', '//_emulator/explain'])(
    'leaves %s to the data plane',
    async (path) => {
      const answer = await ask(origin, { path, body: { filter: '' } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers['x-ms-request-id']).toMatch(/\S/);
    },
  );
});

it.runIf(keepsFiles)('Explain of a table whose data cannot be used answers 503 StoreFailed', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const location = join(folder.path, 'data');
  mkdirSync(location);
  writeFileSync(join(location, 'damaged.sqlite'), 'no database');
  const damaged = await startService({ accounts: 'any', location });
  const answer = await ask(damaged.origin, { body: { filter: '', table: 'People', account: 'damaged' } });
  expect([answer.status, codeOf(answer)]).toEqual([503, 'StoreFailed']);
});

it('Explain does not create data for an account that was never used', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const emulator = await startEmulator({ location: folder.path });
  onTestFinished(() => emulator.close());
  const answer = await ask(emulator.url, { body: { filter: '', table: 'People' } });
  expect([answer.status, codeOf(answer)]).toEqual([404, 'TableNotFound']);
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.sqlite'))).toEqual([]);
});
