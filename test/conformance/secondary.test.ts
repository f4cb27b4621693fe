// Evidence: recorded (azure-sdk-for-python, test_table_client_location_mode: POST and DELETE are refused for a table,
// and POST, PATCH and DELETE for an entity, always with Cache-Control and without x-ms-error-code); batches, policies
// and settings are assumed.

import { describe, expect, it } from 'vitest';
import { batchBody, callsOn, changesetBody, requestPart, sendBatch, singleIn } from '../support/batch-requests.ts';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { aclPath, expectServiceRefusal, propertiesPath, propertiesXml, putXml } from '../support/expect-xml.ts';
import { entityPath, startService } from '../support/service.ts';
import { authorization, developmentKey } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });
const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
const inHostStyle = service.with({ prefix: '' });
const hostHeader = { Host: 'devstoreaccount1-secondary.table.localhost' };

const pets = callsOn(`${service.base}-secondary`, 'pets');
const matching = { 'If-Match': '*' };
const readOnly = refusal('InsufficientAccountPermissions');

describe('The secondary', () => {
  it.each(['/?restype=service&comp=stats', '/Tables', '/pets()'])(
    'answers if the path repeats the account, as SDKs do when they request statistics: %s',
    async (path) => {
      const doubled = service.with({ prefix: '/devstoreaccount1-secondary/devstoreaccount1' });
      const { status, body } = await doubled.send({ method: 'GET', path });
      expect(status).toBe(200);
      if (path === '/Tables') expect(body).toContain('/devstoreaccount1-secondary/devstoreaccount1/$metadata#Tables');
    },
  );

  it('accepts the signature of the Python SDK for such a path: it covers the account only once', async () => {
    const path = '/?restype=service&comp=stats';
    const doubled = service.with({ prefix: '/devstoreaccount1-secondary/devstoreaccount1' });
    const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2019-02-02' };
    const Authorization = authorization(
      { method: 'GET', target: `/devstoreaccount1${path}`, headers },
      { account: 'devstoreaccount1', key: developmentKey, scheme: 'SharedKey' },
    );
    const answer = await doubled.send({ method: 'GET', path, headers: { ...headers, Authorization } });
    expect([answer.status, answer.body.includes('<Status>live</Status>')]).toEqual([200, true]);
  });

  it('can still have a table that is named like the account', async () => {
    await service.createTable('devstoreaccount1');
    expect((await secondary.send({ method: 'GET', path: '/devstoreaccount1()' })).status).toBe(200);
    expect((await service.send({ method: 'DELETE', path: "/Tables('devstoreaccount1')" })).status).toBe(204);
  });

  it.each(['/Tables', "/Tables('pets')", '/pets()', entityPath('pets'), aclPath('pets'), propertiesPath])(
    'reads %s, in either style of address',
    async (path) => {
      expect((await secondary.send({ method: 'GET', path })).status).toBe(200);
      expect((await inHostStyle.send({ method: 'GET', path, headers: hostHeader })).status).toBe(200);
    },
  );

  it.each([
    ['POST', '/Tables', '{"TableName":"fresh"}', {}],
    ['DELETE', "/Tables('pets')", undefined, {}],
    ['POST', '/pets', '{"PartitionKey":"p","RowKey":"x"}', {}],
    ['PUT', entityPath('pets'), '{"n":2}', {}],
    ['PUT', entityPath('pets'), '{"n":2}', matching],
    ['MERGE', entityPath('pets'), '{"n":2}', matching],
    ['PATCH', entityPath('pets'), '{"n":2}', {}],
    ['POST', entityPath('pets'), '{"n":2}', { 'X-HTTP-Method': 'MERGE' }],
    ['DELETE', entityPath('pets'), undefined, matching],
  ])('writes nothing: %s %s %s %j', async (method, path, body, headers) => {
    for (const answer of [
      await secondary.send({ method, path, body, headers }),
      await inHostStyle.send({ method, path, body, headers: { ...headers, ...hostHeader } }),
    ]) {
      expectRefusal(answer, readOnly);
      expect(answer.reason).toBe('Forbidden');
    }
    expect((await service.get('/Tables', { Accept: 'application/json;odata=nometadata' })).body).toBe(
      '{"value":[{"TableName":"pets"}]}',
    );
    const { body: rows } = await service.get('/pets()?$select=RowKey,n', {
      Accept: 'application/json;odata=nometadata',
    });
    expect(rows).toBe('{"value":[{"RowKey":"r","n":1}]}');
  });

  it.each([
    ['application/json;odata=nometadata', 'application/json;odata=nometadata;streaming=true;charset=utf-8'],
    ['application/json;odata=fullmetadata', 'application/json;odata=fullmetadata;streaming=true;charset=utf-8'],
    ['application/atom+xml', 'application/xml;charset=utf-8'],
  ])('refuses in the requested format: %s', async (Accept, contentType) => {
    const headers = { Accept, 'x-ms-version': '2015-04-05' };
    const answer = await secondary.send({ method: 'DELETE', path: "/Tables('pets')", headers });
    expectRefusal(answer, readOnly, { contentType });
  });

  it.each([
    ['a changeset', changesetBody([pets.insert('x')])],
    ['one that names the primary', changesetBody([{ ...pets.insert('x'), url: '/devstoreaccount1/pets' }])],
    ['one that cannot be read', changesetBody([{ ...pets.put('r'), body: '{"n":' }])],
    ['a write by itself', batchBody([requestPart(pets.remove('r'))])],
  ])('writes no batch: %s', async (_, body) => {
    for (const answer of [await sendBatch(secondary, body), await sendBatch(inHostStyle, body, hostHeader)]) {
      expectRefusal(answer, readOnly);
    }
    const { body: rows } = await service.get('/pets()?$select=RowKey,n', {
      Accept: 'application/json;odata=nometadata',
    });
    expect(rows).toBe('{"value":[{"RowKey":"r","n":1}]}');
  });

  it.each([
    ['of the secondary', `${service.base}-secondary`],
    ['of the primary', service.base],
    ['from the root of the host', '/devstoreaccount1-secondary'],
    ["from the service's own root", ''],
  ])('answers a query in a batch, with an address %s', async (_, base) => {
    const body = batchBody([requestPart({ method: 'GET', url: `${base}${entityPath('pets')}?$select=n` })]);
    for (const answer of [await sendBatch(secondary, body), await sendBatch(service, body)]) {
      const inner = singleIn(answer);
      expect([inner.status, JSON.parse(inner.body).n]).toEqual([200, 1]);
    }
  });

  it('answers a query in a batch in host style', async () => {
    const body = batchBody([requestPart({ method: 'GET', url: entityPath('pets') })]);
    expect(singleIn(await sendBatch(inHostStyle, body, hostHeader)).status).toBe(200);
  });

  it('sets neither policies nor settings', async () => {
    for (const [path, body] of [
      [aclPath('pets'), '<SignedIdentifiers/>'],
      [propertiesPath, propertiesXml('<Cors/>')],
    ] as const) {
      expectServiceRefusal(await putXml(secondary, path, body), readOnly);
    }
  });
});
