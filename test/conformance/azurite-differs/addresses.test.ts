// Addresses in Azurite's responses that do not work, and addresses that Azurite does not accept.

import { describe, expect, it } from 'vitest';
import { accepting, type Level } from '../../support/expect-success.ts';
import { startService } from '../../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('ents');

interface Annotated {
  readonly 'odata.metadata': string;
  readonly 'odata.type': string;
  readonly 'odata.id': string;
  readonly 'odata.editLink': string;
  readonly PartitionKey: string;
  readonly RowKey: string;
  readonly n: number;
}

/** The part of an address after the account. */
function below(address: string): string {
  expect(address.startsWith(`${base}/`), address).toBe(true);
  return address.slice(base.length);
}

async function read(path: string): Promise<Annotated> {
  const { status, body } = await service.get(path, accepting('fullmetadata'));
  expect(status, body).toBe(200);
  return JSON.parse(body) as Annotated;
}

describe('An entity with an empty partition key', () => {
  it('is annotated as an entity, not as a table', async () => {
    await service.insert('ents', { PartitionKey: '', RowKey: 'ent' });
    const path = "ents(PartitionKey='',RowKey='ent')";
    expect(await read(`/${path}`)).toMatchObject({
      'odata.metadata': `${base}/$metadata#ents/@Element`,
      'odata.type': 'devstoreaccount1.ents',
      'odata.id': `${base}/${path}`,
      'odata.editLink': path,
      PartitionKey: '',
      RowKey: 'ent',
    });
  });
});

describe('The links of an entity', () => {
  it.each(["O'Brien", '50%', "50%27 o''clock", 'a+b c', 'x&y=z,RowKey', '\u00e9\u4e2d\u{1f600}', "(')"])(
    'with keys %j read the entity: id, editLink and Location',
    async (key) => {
      const inserted = await service.insert('ents', { PartitionKey: key, RowKey: key, n: 7 });
      const listed = await service.get('/ents', accepting('fullmetadata'));
      const feed = (JSON.parse(listed.body) as { value: readonly Annotated[] }).value;
      const { 'odata.id': id, 'odata.editLink': editLink } = feed.find(({ RowKey }) => RowKey === key) as Annotated;
      for (const link of [below(id), `/${editLink}`, below(inserted.header('Location') ?? '')]) {
        expect(await read(link)).toMatchObject({ 'odata.id': id, PartitionKey: key, RowKey: key, n: 7 });
      }
      const removal = { method: 'DELETE', path: below(id), headers: { 'If-Match': '*' } };
      expect((await service.send(removal)).status).toBe(204);
    },
  );

  it('escape a per cent sign and double a quote', async () => {
    const { header } = await service.insert('ents', { PartitionKey: "O'Brien", RowKey: '50%' });
    expect(header('Location')).toBe(`${base}/ents(PartitionKey='O''Brien',RowKey='50%25')`);
  });
});

describe('odata.metadata', () => {
  it.each<Level>(['minimalmetadata', 'fullmetadata'])('of a set of entities names its table, at %s', async (level) => {
    for (const path of ['/ents', '/ents()', '/ents()?$top=1', '/ents()?$top=0']) {
      const { body } = await service.get(path, accepting(level));
      const parsed = JSON.parse(body) as Annotated;
      expect(parsed['odata.metadata']).toBe(`${base}/$metadata#ents`);
    }
  });
});

describe('The keys in an address', () => {
  it('may be in either order, for every operation on an entity', async () => {
    await service.insert('ents', { PartitionKey: 'e', RowKey: '1', n: 1 });
    const turned = "/ents(RowKey='1',PartitionKey='e')";
    expect(await read(turned)).toMatchObject({ PartitionKey: 'e', RowKey: '1', n: 1 });
    for (const method of ['MERGE', 'PUT']) {
      expect((await service.send({ method, path: turned, body: '{"n":2}' })).status).toBe(204);
    }
    expect(await read("/ents(PartitionKey='e',RowKey='1')")).toMatchObject({ n: 2 });
    expect((await service.send({ method: 'DELETE', path: turned, headers: { 'If-Match': '*' } })).status).toBe(204);
  });
});

describe('A table named MixedCase', () => {
  it.each(['MixedCase', 'mixedcase', 'MIXEDCASE', 'mIXEDcASE'])('is written and read through /%s', async (name) => {
    if (name === 'MixedCase') await service.createTable(name);
    await service.insert(name, { RowKey: name, n: 1 });
    const entity = `(PartitionKey='p',RowKey='${name}')`;
    for (const other of ['MixedCase', 'mixedcase', 'MIXEDCASE']) {
      expect(await read(`/${other}${entity}`)).toMatchObject({ RowKey: name, n: 1 });
      expect((await service.get(`/${other}()`, accepting('nometadata'))).body).toContain(`"RowKey":"${name}"`);
    }
    expect((await service.get(`/Tables('${name}')`)).body).toContain('"TableName":"MixedCase"');
    const removal = { method: 'DELETE', path: `/${name}${entity}`, headers: { 'If-Match': '*' } };
    expect((await service.send(removal)).status).toBe(204);
  });
});
