// Tests @azure/data-tables for JavaScript, unmodified, with its default options.
import { randomBytes } from 'node:crypto';
import { odata, TableClient, TableServiceClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type RunningServer, startServer } from '../../support/start-server.ts';
import { scenario } from './scenario.ts';
import { answerOf, bodyOf } from './wire-answer.ts';

const options = { allowInsecureConnection: true };
const modes = ['Replace', 'Merge'] as const;
const run = randomBytes(4).toString('hex');
let server: RunningServer;
let service: TableServiceClient;
let table: TableClient;

beforeAll(async () => {
  server = await startServer();
  service = TableServiceClient.fromConnectionString(server.connectionString, options);
  table = clientOf(`js${run}`);
  await table.createTable();
}, 240_000);

afterAll(async () => {
  await table?.deleteTable();
  await server?.stop();
});

function clientOf(name: string): TableClient {
  return TableClient.fromConnectionString(server.connectionString, name, options);
}

// Writes a property, reads it back, and returns it as the SDK does.
async function readBack(value: unknown, disableTypeConversion = false): Promise<unknown> {
  const rowKey = randomBytes(6).toString('hex');
  await table.createEntity({ partitionKey: 'types', rowKey, value });
  return (await table.getEntity('types', rowKey, { disableTypeConversion })).value;
}

// The text of the value in the response.
async function textReadBack(value: unknown): Promise<string> {
  const rowKey = randomBytes(6).toString('hex');
  await table.createEntity({ partitionKey: 'types', rowKey, value });
  const body = await bodyOf((o) => table.getEntity('types', rowKey, o));
  return /"value":([^,}]*)/.exec(body)?.[1] ?? '';
}

describe('@azure/data-tables: tables', () => {
  scenario('table-create', async () => {
    const fresh = clientOf(`jsCreated${run}`);
    expect(await answerOf((o) => fresh.createTable(o))).toBe('201');
    await fresh.deleteTable();
  });

  scenario('table-create-again', async () => {
    expect(await answerOf((o) => table.createTable(o))).toBe('409 TableAlreadyExists');
  });

  scenario('table-list', async () => {
    const names = ['jsListA', 'jsListB', 'jsListC'].map((name) => name + run);
    for (const name of names) {
      await service.createTable(name);
    }
    const listed: (string | undefined)[] = [];
    for await (const page of service.listTables().byPage({ maxPageSize: 2 })) {
      expect(page.length).toBeLessThanOrEqual(2);
      listed.push(...page.map(({ name }) => name));
    }
    expect(listed.filter((name) => name && names.includes(name))).toEqual(names);
    for (const name of names) {
      await service.deleteTable(name);
    }
  });

  scenario('table-delete', async () => {
    const name = `jsDeleted${run}`;
    await service.createTable(name);
    expect(await answerOf((o) => service.deleteTable(name, o))).toBe('204');
    for await (const listed of service.listTables()) {
      expect(listed.name).not.toBe(name);
    }
  });

  scenario('table-delete-missing', async () => {
    expect(await answerOf((o) => service.deleteTable(`jsMissing${run}`, o))).toBe('404 ResourceNotFound');
  });

  scenario('table-missing', async () => {
    const missing = clientOf(`jsMissing${run}`);
    const call = answerOf((o) => missing.createEntity({ partitionKey: 'p', rowKey: 'r' }, o));
    expect(await call).toBe('404 TableNotFound');
  });

  scenario('wrong-key', async () => {
    const wrong = server.connectionString.replace(/AccountKey=[^;]+/, 'AccountKey=d3Jvbmcga2V5');
    const stranger = TableClient.fromConnectionString(wrong, table.tableName, options);
    expect(await answerOf((o) => stranger.getEntity('p', 'r', o))).toBe('403 AuthenticationFailed');
  });
});

describe('@azure/data-tables: strings, booleans and numbers', () => {
  scenario('type-string', async () => {
    for (const text of ['plain', '', ' "quoted" \\ \'single\' ', 'one\r\ntwo\ttab', '2024-05-01T10:00:00Z', '42']) {
      expect(await readBack(text)).toBe(text);
    }
  });

  scenario('type-unicode', async () => {
    const text = 'Grüße, 漢字, עברית, 👩‍🚀 \u2028 \uffee';
    expect(await readBack(text)).toBe(text);
  });

  scenario('type-boolean', async () => {
    expect(await readBack(true)).toBe(true);
    expect(await readBack(false)).toBe(false);
  });

  scenario('type-int32', async () => {
    for (const number of [0, 42, 2147483647, -2147483648]) {
      expect(await readBack(number)).toBe(number);
    }
    expect(await textReadBack(42)).toBe('42');
  });

  scenario('type-int64', async () => {
    for (const number of [2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 7n]) {
      expect(await readBack(number)).toBe(number);
    }
  });

  scenario('type-double', async () => {
    for (const number of [0.1, -2.5, 1.7976931348623157e308, 5e-324, 1234567890123456.8]) {
      expect(await readBack(number)).toBe(number);
    }
  });

  scenario('type-double-whole', async () => {
    expect(await textReadBack({ type: 'Double', value: 5 })).toBe('5.0');
  });

  scenario('type-number-large', async () => {
    expect(await textReadBack(2147483648)).toBe('2147483648.0');
  });

  scenario('type-double-special', async () => {
    for (const value of ['NaN', 'Infinity', '-Infinity']) {
      const property = { type: 'Double', value };
      expect(await readBack(property, true)).toEqual(property);
    }
  });
});

describe('@azure/data-tables: datetimes, guids, binary and null', () => {
  scenario('type-datetime', async () => {
    const date = new Date('2024-05-01T10:00:00.250Z');
    expect(await readBack(date)).toEqual(date);
    for (const value of ['2024-05-01T10:00:00.1234567Z', '1601-01-01T00:00:00Z', '9999-12-31T23:59:59.9999999Z']) {
      const property = { type: 'DateTime', value };
      expect(await readBack(property, true)).toEqual(property);
    }
  });

  scenario('type-guid', async () => {
    const value = 'C9DA6455-213D-42C9-9A79-3E9149A57833';
    expect(await readBack({ type: 'Guid', value })).toEqual({ type: 'Guid', value: value.toLowerCase() });
  });

  scenario('type-binary', async () => {
    for (const bytes of [Uint8Array.from({ length: 256 }, (_, index) => index), new Uint8Array()]) {
      expect(Buffer.from((await readBack(bytes)) as Uint8Array)).toEqual(Buffer.from(bytes));
    }
  });

  scenario('type-null', async () => {
    expect(await readBack(null)).toBeUndefined();
  });
});

describe('@azure/data-tables: inserts and reads', () => {
  scenario('get-etag', async () => {
    const { etag } = await table.createEntity({ partitionKey: 'etags', rowKey: 'r' });
    expect(etag).toMatch(/^W\/"datetime'.+Z'"$/);
    const got = await table.getEntity('etags', 'r');
    expect(got.etag).toBe(etag);
    expect(etag).toBe(`W/"datetime'${encodeURIComponent(String(got.timestamp))}'"`);
  });

  scenario('insert-existing', async () => {
    const entity = { partitionKey: 'taken', rowKey: 'r' };
    expect(await answerOf((o) => table.createEntity(entity, o))).toBe('204');
    expect(await answerOf((o) => table.createEntity(entity, o))).toBe('409 EntityAlreadyExists');
  });

  scenario('get-missing', async () => {
    expect(await answerOf((o) => table.getEntity('missing', 'r', o))).toBe('404 ResourceNotFound');
  });

  scenario('get-select', async () => {
    const { etag } = await table.createEntity({ partitionKey: 'select', rowKey: 'get', a: 1, b: 'two', c: true });
    const got = await table.getEntity('select', 'get', { queryOptions: { select: ['b', 'absent'] } });
    expect(withoutMetadata(got)).toEqual({ etag, b: 'two', absent: null });
  });

  scenario('list-select', async () => {
    const small = clientOf(`jsSelect${run}`);
    await small.createTable();
    const first = await small.createEntity({ partitionKey: 'p', rowKey: '1', a: 1, b: 'two' });
    const second = await small.createEntity({ partitionKey: 'p', rowKey: '2', a: 2 });
    const listed = [];
    for await (const entity of small.listEntities({ queryOptions: { select: ['rowKey', 'b'] } })) {
      listed.push(entity);
    }
    expect(listed).toEqual([
      { etag: first.etag, rowKey: '1', b: 'two' },
      { etag: second.etag, rowKey: '2', b: null },
    ]);
    await small.deleteTable();
  });
});

describe('@azure/data-tables: a filter', () => {
  scenario('list-filter', async () => {
    const partitionKey = "it's";
    const values = {
      text: "O'Neil",
      flag: true,
      int: 5,
      long: 2n ** 53n + 1n,
      double: 1.5,
      when: new Date('2024-05-01T10:00:00.250Z'),
      guid: { type: 'Guid' as const, value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
      bytes: Uint8Array.from([1, 2, 254]),
    };
    await table.createEntity({ partitionKey, rowKey: 'all', ...values });
    const conditions = [
      odata`text eq ${values.text}`,
      odata`flag eq ${values.flag}`,
      odata`int eq ${values.int}`,
      odata`long eq ${values.long}L`,
      odata`double eq ${values.double}`,
      odata`when eq ${values.when}`,
      odata`guid eq guid'${values.guid.value}'`,
      "bytes eq X'0102fe'",
    ];
    for (const rowKey of Object.keys(values)) {
      await table.createEntity({ partitionKey, rowKey, ...values, [rowKey]: null });
    }
    const found: (string | undefined)[] = [];
    const filter = [odata`PartitionKey eq ${partitionKey}`, ...conditions].join(' and ');
    for await (const { rowKey } of table.listEntities({ queryOptions: { filter } })) found.push(rowKey);
    expect(found).toEqual(['all']);
  });
});

describe('@azure/data-tables: writes', () => {
  const partitionKey = 'writes';

  // Inserts an entity { a: 1, b: 'old' } with a new key.
  async function insert(rowKey: string): Promise<string> {
    const { etag } = await table.createEntity({ partitionKey, rowKey, a: 1, b: 'old' });
    return etag ?? '';
  }

  async function properties(rowKey: string): Promise<Record<string, unknown>> {
    const { a, b, c } = await table.getEntity(partitionKey, rowKey);
    return Object.fromEntries(Object.entries({ a, b, c }).filter(([, value]) => value !== undefined));
  }

  scenario('update-replace', async () => {
    await insert('replace');
    const entity = { partitionKey, rowKey: 'replace', b: 'new', c: 3 };
    expect(await answerOf((o) => table.updateEntity(entity, 'Replace', o))).toBe('204');
    expect(await properties('replace')).toEqual({ b: 'new', c: 3 });
  });

  scenario('update-merge', async () => {
    await insert('merge');
    const entity = { partitionKey, rowKey: 'merge', a: null, b: 'new', c: 3 };
    expect(await answerOf((o) => table.updateEntity(entity, 'Merge', o))).toBe('204');
    expect(await properties('merge')).toEqual({ a: 1, b: 'new', c: 3 });
  });

  scenario('update-missing', async () => {
    for (const mode of modes) {
      const entity = { partitionKey, rowKey: 'missing', c: 3 };
      expect(await answerOf((o) => table.updateEntity(entity, mode, o))).toBe('404 ResourceNotFound');
    }
  });

  scenario('upsert-insert', async () => {
    for (const mode of modes) {
      const rowKey = `upsert new ${mode}`;
      expect(await answerOf((o) => table.upsertEntity({ partitionKey, rowKey, c: 3 }, mode, o))).toBe('204');
      expect(await properties(rowKey)).toEqual({ c: 3 });
    }
  });

  scenario('upsert-replace', async () => {
    await insert('upsert replace');
    await table.upsertEntity({ partitionKey, rowKey: 'upsert replace', c: 3 }, 'Replace');
    expect(await properties('upsert replace')).toEqual({ c: 3 });
  });

  scenario('upsert-merge', async () => {
    await insert('upsert merge');
    await table.upsertEntity({ partitionKey, rowKey: 'upsert merge', c: 3 }, 'Merge');
    expect(await properties('upsert merge')).toEqual({ a: 1, b: 'old', c: 3 });
  });
});

describe('@azure/data-tables: conditions and deletes', () => {
  const partitionKey = 'conditions';

  // The ETag of an inserted entity, which is stale after a write, and the ETag after the write.
  async function twoEtags(rowKey: string): Promise<{ stale: string; current: string }> {
    const { etag: stale = '' } = await table.createEntity({ partitionKey, rowKey, a: 1 });
    const { etag: current = '' } = await table.updateEntity({ partitionKey, rowKey, a: 1 }, 'Merge');
    expect(current).not.toBe(stale);
    return { stale, current };
  }

  scenario('update-stale', async () => {
    for (const mode of modes) {
      const rowKey = `stale ${mode}`;
      const { stale: etag, current } = await twoEtags(rowKey);
      const call = answerOf((o) => table.updateEntity({ partitionKey, rowKey, a: 2 }, mode, { ...o, etag }));
      expect(await call).toBe('412 UpdateConditionNotSatisfied');
      expect(await table.getEntity(partitionKey, rowKey)).toMatchObject({ a: 1, etag: current });
    }
  });

  scenario('update-current', async () => {
    for (const mode of modes) {
      const rowKey = `current ${mode}`;
      const { current } = await twoEtags(rowKey);
      const { etag } = await table.updateEntity({ partitionKey, rowKey, a: 2 }, mode, { etag: current });
      expect(etag).not.toBe(current);
      expect(await table.getEntity(partitionKey, rowKey)).toMatchObject({ a: 2, etag });
    }
  });

  scenario('delete-stale', async () => {
    const { stale: etag } = await twoEtags('delete stale');
    const call = answerOf((o) => table.deleteEntity(partitionKey, 'delete stale', { ...o, etag }));
    expect(await call).toBe('412 UpdateConditionNotSatisfied');
    expect(await answerOf((o) => table.getEntity(partitionKey, 'delete stale', o))).toBe('200');
  });

  scenario('delete-current', async () => {
    const { current: etag } = await twoEtags('delete');
    expect(await answerOf((o) => table.deleteEntity(partitionKey, 'delete', { ...o, etag }))).toBe('204');
    expect(await answerOf((o) => table.getEntity(partitionKey, 'delete', o))).toBe('404 ResourceNotFound');
  });

  scenario('delete-any', async () => {
    await twoEtags('delete any');
    expect(await answerOf((o) => table.deleteEntity(partitionKey, 'delete any', o))).toBe('204');
    expect(await answerOf((o) => table.getEntity(partitionKey, 'delete any', o))).toBe('404 ResourceNotFound');
  });

  scenario('delete-missing', async () => {
    expect(await answerOf((o) => table.deleteEntity(partitionKey, 'missing', o))).toBe('404 ResourceNotFound');
  });
});

describe('@azure/data-tables: keys', () => {
  const keys = [
    ['key-quotes', "O'Neil", "''"],
    ['key-address', "a',RowKey='b", "') and (x eq '"],
    ['key-percent', '100%', '%25%2F%'],
    ['key-plus', ' a+b c ', '+ %20+'],
    ['key-punctuation', '~!@$^&*()_-=[]{}|;:",.<>`', '&=$@:,;'],
    ['key-unicode', 'Grüße 漢字', '👩‍🚀 \uffee'],
    ['key-empty', '', ''],
    ['key-empty-partition', '', 'row'],
    ['key-empty-row', 'partition', ''],
  ] as const;
  for (const [id, partitionKey, rowKey] of keys) {
    scenario(id, async () => {
      await table.createEntity({ partitionKey, rowKey, a: 1 });
      expect(await table.getEntity(partitionKey, rowKey)).toMatchObject({ partitionKey, rowKey, a: 1 });
      await table.updateEntity({ partitionKey, rowKey, a: 2 }, 'Replace');
      await table.upsertEntity({ partitionKey, rowKey, b: 3 }, 'Merge');
      expect(await table.getEntity(partitionKey, rowKey)).toMatchObject({ partitionKey, rowKey, a: 2, b: 3 });
      const found = [];
      for await (const entity of table.listEntities()) {
        found.push(`${entity.partitionKey}|${entity.rowKey}`);
      }
      expect(found).toContain(`${partitionKey}|${rowKey}`);
      await table.deleteEntity(partitionKey, rowKey);
      expect(await answerOf((o) => table.getEntity(partitionKey, rowKey, o))).toBe('404 ResourceNotFound');
    });
  }
});

function withoutMetadata<T extends object>(entity: T): Omit<T, 'odata.metadata'> {
  const { 'odata.metadata': _, ...rest } = entity as T & { 'odata.metadata'?: string };
  return rest;
}
