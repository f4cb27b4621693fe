import { describe, expect, it } from 'vitest';
import type { AdvisorReport } from '../../../src/advisor/report.ts';
import { developmentAccount } from '../../../src/auth/accounts.ts';
import { ask, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const key = developmentAccount.key;
const accounts = ['devstoreaccount1', 'other1'].map((name) => ({ name, keys: [key] }));
const service = await startService({
  accounts,
  advisorRules: {
    rules: { 'atom-format': false },
    thresholds: { 'create-table-each-call': { count: 2 } },
    ignore: [{ rule: 'old-client', reason: 'the test asks for an old version' }],
  },
});
const other = service.with({ prefix: '/other1', account: 'other1' });
const path = '/_emulator/advisor';
const get = (query = '') => ask(service.origin, { method: 'GET', path: `${path}${query}` });
const report = async (query = ''): Promise<AdvisorReport> => (await get(query)).json as AdvisorReport;
const clear = () => ask(service.origin, { method: 'DELETE', path });
const raised = async (): Promise<string[]> =>
  (await report()).findings.map(({ rule, account, table }) => `${rule} ${account}/${table ?? ''}`);
const body = JSON.stringify({ TableName: 'Pets' });
const orOfKeys = "/Pets()?$filter=PartitionKey%20eq%20'secret1'%20and%20(RowKey%20eq%20'a'%20or%20RowKey%20eq%20'b')";

await service.createTable('Pets');
await other.send({ method: 'POST', path: '/Tables', body });

describe('Advisor', () => {
  it('answers with findings, a checklist and the use of the service', async () => {
    await clear();
    await service.insert('Pets', { PartitionKey: 'secret1', RowKey: 'a', age: 3 });
    await service.get(orOfKeys);
    const { findings, requests, checklist, tables, from, to } = await report();
    expect(requests).toBe(2);
    expect(from <= to).toBe(true);
    expect(findings).toMatchObject([
      {
        rule: 'or-of-keys',
        severity: 'warning',
        account: 'devstoreaccount1',
        table: 'Pets',
        count: 1,
        cost: { visited: 0, bytes: 0, roundTrips: 0, transactions: 0 },
        pattern: null,
        evidence: { plan: 'partition scan', visited: 1, returned: 1 },
      },
    ]);
    expect(checklist).toHaveLength(29);
    const statuses = Object.fromEntries(checklist.map(({ id, status }) => [id, status]));
    expect(statuses).toMatchObject({
      'query-scope': 'broken',
      json: 'kept',
      'dotnet-version': 'kept',
      upserts: 'kept',
      backoff: 'notObserved',
      location: 'notObservable',
    });
    expect(tables).toEqual([
      {
        account: 'devstoreaccount1',
        table: 'Pets',
        billableTransactions: 2,
        units: 2,
        storedBytes: 4 + 2 * 8 + 8 + 6 + 4,
      },
    ]);
  });

  it('counts what the service bills: each authenticated request, refused ones too', async () => {
    await clear();
    await service.send({ method: 'POST', path: '/Tables', body });
    await service.get('/Tables');
    await service.get('/Tables', { Authorization: undefined });
    await service.get("/Pets(PartitionKey='x',RowKey='y')");
    await service.get('/Absent()');
    const { tables } = await report();
    expect(tables.map(({ table, billableTransactions }) => [table, billableTransactions])).toEqual([
      [null, 1],
      ['Absent', 1],
      ['Pets', 2],
    ]);
  });

  it('contains no literals with redact=true, and never a key of the account', async () => {
    await clear();
    await service.get(orOfKeys);
    expect((await get()).text).toContain('secret1');
    expect((await get('?redact=true')).text).not.toContain('secret1');
    expect((await get()).text).not.toContain(key);
  });

  it.each([
    ['json', 'application/json; charset=utf-8'],
    ['markdown', 'text/markdown; charset=utf-8'],
    ['sarif', 'application/sarif+json; charset=utf-8'],
    ['junit', 'application/xml; charset=utf-8'],
  ])('answers in the format %s', async (format, type) => {
    const { status, headers, text } = await get(`?format=${format}`);
    expect([status, headers['content-type']]).toEqual([200, type]);
    expect(text).toContain('or-of-keys');
  });

  it('answers 400 to an unknown format, and names the known ones', async () => {
    const answer = await get('?format=pdf');
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidRequest']);
    expect(answer.text).toContain('\\"format\\" must be one of json, markdown, sarif, junit.');
  });

  it('begins again after DELETE', async () => {
    await service.get(orOfKeys);
    expect((await clear()).status).toBe(204);
    expect(await report()).toMatchObject({ requests: 0, findings: [], tables: [] });
  });

  it('follows the switches, thresholds and accepted findings of the settings', async () => {
    await clear();
    await service.get("/Pets()?$filter=PartitionKey%20eq%20'p'", {
      Accept: 'application/atom+xml',
      'x-ms-version': '2015-07-08',
    });
    for (let time = 0; time < 3; time++) await service.send({ method: 'POST', path: '/Tables', body });
    expect(await raised()).toEqual(['create-table-each-call devstoreaccount1/Pets']);
    const { ignored, checklist } = await report();
    expect(ignored).toMatchObject([{ rule: 'old-client', reason: 'the test asks for an old version' }]);
    expect(checklist.find(({ id }) => id === 'client-libraries')?.status).toBe('kept');
  });

  it('drops the findings of an account or table that is reset, and nothing else', async () => {
    await clear();
    await service.createTable('Toys');
    for (const table of ['Pets', 'Toys']) await service.get(orOfKeys.replace('Pets', table));
    await other.send({ method: 'GET', path: orOfKeys });
    const reset = (target: object) => ask(service.origin, { path: '/_emulator/reset', body: target });
    await reset({ table: 'Toys' });
    expect((await raised()).sort()).toEqual(['or-of-keys devstoreaccount1/Pets', 'or-of-keys other1/Pets']);
    await reset({ account: 'other1' });
    expect(await raised()).toEqual(['or-of-keys devstoreaccount1/Pets']);
    expect((await report()).tables.map(({ account }) => account)).toEqual(['devstoreaccount1']);
  });

  it('begins again when all accounts are reset', async () => {
    await service.get(orOfKeys);
    const before = await report();
    await ask(service.origin, { path: '/_emulator/reset', body: {} });
    const after = await report();
    expect(after).toMatchObject({ requests: 0, findings: [], tables: [] });
    expect(after.from >= before.to).toBe(true);
    expect(after.checklist.filter(({ status }) => status === 'kept' || status === 'broken')).toEqual([]);
  });
});

describe('Advisor, with advisor: false', async () => {
  const silent = await startService({ advisor: false });

  it('is answered with 404 AdvisorOff', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await ask(silent.origin, { method, path });
      expect([answer.status, codeOf(answer)]).toEqual([404, 'AdvisorOff']);
    }
  });
});
