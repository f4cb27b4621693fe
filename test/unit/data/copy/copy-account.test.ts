import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isEqual } from '../../../../src/data/copy/compare-tables.ts';
import { copyAccount } from '../../../../src/data/copy/copy-account.ts';
import { openTableClient } from '../../../../src/data/open-table-client.ts';
import type { TableEndpoint } from '../../../../src/data/table-endpoint.ts';
import type { EdmValue } from '../../../../src/model/edm.ts';
import { systemModelTime } from '../../../../src/model/time.ts';
import { copyBetween, developmentCredential, type TestCopy } from '../../../support/copy-options.ts';
import { fillTable } from '../../../support/fill-table.ts';
import { type Service, startService } from '../../../support/service.ts';
import { accountToken } from '../../../support/shared-access-tokens.ts';
import { developmentKey } from '../../../support/table-client.ts';

const [from, to] = [await startService(), await startService()];
const credential = developmentCredential;
const sideOf = ({ base }: Service): TableEndpoint => ({ url: base, credential });
const clientOf = (service: Service) => openTableClient(sideOf(service), systemModelTime);

const optionsFor = (patterns: readonly string[]): TestCopy => copyBetween(sideOf(from), sideOf(to), patterns);

const every: ReadonlyMap<string, EdmValue> = new Map<string, EdmValue>([
  ['big', { type: 'Edm.Int64', value: -(2n ** 63n) }],
  ['day', { type: 'Edm.DateTime', value: 639_000_000_000_000_001n }],
  ['flag', { type: 'Edm.Boolean', value: false }],
  ['id', { type: 'Edm.Guid', value: '01234567-89ab-cdef-0123-456789abcdef' }],
  ['infinite', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
  ['nan', { type: 'Edm.Double', value: Number.NaN }],
  ['number', { type: 'Edm.Int32', value: -5 }],
  ['raw', { type: 'Edm.Binary', value: Buffer.from([0, 255]) }],
  ['text', { type: 'Edm.String', value: '\u0000"\\ü\u{1f600}\ud800\r\n--changeset_copy--\r\n' }],
  ['whole', { type: 'Edm.Double', value: 5 }],
]);

/** Time with the right date and short pauses. */
const hurried: typeof systemModelTime = {
  ...systemModelTime,
  after: (delayMs, run) => systemModelTime.after(delayMs / 10, run),
};

const awkward = [
  '',
  ' ',
  "it's",
  '100 %',
  '%27',
  '+&=',
  '..',
  'ü\u{1f600}',
  "a',RowKey='b",
  '~!@$^*()[]{}|;:<>,',
  'k'.repeat(512),
];

describe('a copy', () => {
  it('copies every type and any key, in transactions and alone, and keeps other entities of the target', async () => {
    await Promise.all([from.createTable('types'), from.createTable('empty'), to.createTable('types')]);
    const source = clientOf(from);
    const keys = awkward.flatMap((partitionKey) => awkward.map((rowKey) => ({ partitionKey, rowKey })));
    for (const key of [...keys, { partitionKey: 'alone', rowKey: '..' }]) {
      await source.upsertEntity('types', key, { mode: 'replace', properties: every });
    }
    await to.insert('types', { PartitionKey: '%27', RowKey: 'other' });
    const before = { mode: 'replace', properties: new Map([['old', every.get('flag')!]]) } as const;
    await clientOf(to).upsertEntity('types', { partitionKey: '', rowKey: '' }, before);

    const options = optionsFor(['types', 'emp*']);
    const [empty, types] = await copyAccount(options);
    expect(empty).toMatchObject({ name: 'empty', entities: 0, policies: 'none' });
    expect(types?.comparison).toMatchObject({ others: 1, from: { entities: 122 }, to: { entities: 122 } });
    expect(types?.comparison && isEqual(types.comparison)).toBe(true);
    const row = await clientOf(to).getEntity('types', { partitionKey: '', rowKey: '' });
    expect([...row].slice(3)).toEqual([...every]);
    expect(options.tally).toMatchObject({
      tables: 2,
      tablesDone: 2,
      entities: 122,
      entitiesWritten: 122,
      transactions: 12,
    });
  });

  it('says where a table differs from its copy', async () => {
    await from.createTable('differs');
    for (const RowKey of ['1', '2', '3']) await from.insert('differs', { RowKey, n: 1 });
    await copyAccount(optionsFor(['differs']));
    await from.insert('differs', { RowKey: '15', n: 1 });
    const options = optionsFor(['differs']);
    options.resume.set('differs', { entities: 3, refused: 0, isDone: true });
    const [outcome] = await copyAccount(options);
    expect(outcome?.comparison).toMatchObject({
      difference: { partitionKey: 'p', rowKey: '15' },
      from: { entities: 4 },
      to: { entities: 3 },
    });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(false);
  });

  it('uses pages, transactions of 100 entities, and transactions of 4 MiB', async () => {
    const big = new Map<string, EdmValue>(
      Array.from({ length: 15 }, (_, at) => [`p${at}`, { type: 'Edm.String', value: 'ü'.repeat(32_000) }]),
    );
    const rowsOf = (PartitionKey: string, count: number, more: object = {}): string =>
      Array.from({ length: count }, (_, at) => JSON.stringify({ PartitionKey, RowKey: String(at), ...more })).join(
        '\n',
      );
    const text = Object.fromEntries([...big].map(([name, { value }]) => [name, value]));
    await fillTable(from.origin, 'many', [rowsOf('big', 2, text), rowsOf('small', 1_050)]);
    const options = optionsFor(['many']);
    const [outcome] = await copyAccount(options);
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    // Each of the two large entities is copied alone. The small entities need 11 or 12 transactions, because the end of
    // a page also ends a transaction.
    expect(options.tally).toMatchObject({ entities: 1_052 });
    expect([13, 14]).toContain(options.tally.transactions);
  });

  it('copies the access policies of a table', async () => {
    await from.createTable('policies');
    const xml =
      '<SignedIdentifiers><SignedIdentifier><Id>read</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>';
    const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
    expect((await from.send({ method: 'PUT', path: '/policies?comp=acl', headers, body: xml })).status).toBe(204);
    const [outcome] = await copyAccount(optionsFor(['policies']));
    expect(outcome?.policies).toBe('copied');
    expect((await to.get('/policies?comp=acl', headers)).body).toContain('<Id>read</Id>');
  });

  it('continues at the place in its resume file', async () => {
    await from.createTable('resumed');
    for (const RowKey of ['1', '2']) await from.insert('resumed', { RowKey });
    await to.createTable('resumed');
    await to.insert('resumed', { RowKey: '1' });
    const options = optionsFor(['resumed']);
    options.resume.set('resumed', { entities: 2, refused: 0, isDone: true });
    expect(options.resume.save()).toBe(true);
    expect(statSync(options.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(options.file, 'utf8')).not.toContain(developmentKey);
    await copyAccount(options);
    expect(options.tally).toMatchObject({ entities: 2, entitiesWritten: 0 });
    expect(options.startedOver).toEqual([]);
    options.resume.drop();
    expect(existsSync(options.file)).toBe(false);
  });

  it.each([
    ['emptied', /it is empty at the target/],
    ['deleted', /it is gone from the target/],
  ])('begins a table again if it was %s at the target since', async (name, reason) => {
    await from.createTable(name);
    for (const RowKey of ['1', '2']) await from.insert(name, { RowKey });
    await to.createTable(name);
    if (name === 'deleted') await clientOf(to).deleteTable(name);
    const options = optionsFor([name]);
    options.resume.set(name, { entities: 2, refused: 0, isDone: true });
    const [outcome] = await copyAccount(options);
    expect(options.startedOver).toEqual([[name, expect.stringMatching(reason)]]);
    expect(options.tally).toMatchObject({ entities: 2, entitiesWritten: 2 });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
  });

  it('reads and writes with shared access signatures, and says that policies are not copied', async () => {
    await from.createTable('signed');
    await from.insert('signed', { n: 1 });
    const side = ({ base }: Service, sp: string): TableEndpoint => ({
      url: base,
      credential: { kind: 'signature', query: accountToken({ sp }) },
    });
    const [outcome] = await copyAccount(copyBetween(side(from, 'rl'), side(to, 'rlacu'), ['signed']));
    expect(outcome).toMatchObject({ entities: 1, policies: { notCopied: /shared access signature/ } });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    const unable = copyBetween(side(from, 'rl'), side(to, 'rl'), ['signed']);
    await expect(copyAccount(unable)).rejects.toMatchObject({ side: 'to', table: 'signed', status: 403 });
  });

  it('slows down if the target is busy', async () => {
    const busy = await startService({ throttle: 'enforce', capacity: { accountTarget: 40, queueLength: 0 } });
    await from.createTable('busy');
    const source = clientOf(from);
    const rows = Array.from({ length: 40 }, (_, at) => ({ partitionKey: `p${at % 8}`, rowKey: `${at}` }));
    await Promise.all(rows.map((key) => source.upsertEntity('busy', key, { mode: 'replace', properties: every })));
    const options = copyBetween(sideOf(from), sideOf(busy), ['busy']);
    const [outcome] = await copyAccount({ ...options, time: hurried });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    expect(options.tally).toMatchObject({ entities: 40, entitiesRefused: 0 });
    expect(options.tally.repeats).toBeGreaterThan(0);
  });

  it('names the side and the table if it is refused', async () => {
    const wrong = {
      ...optionsFor(['types']),
      from: { url: `${from.origin}/devstoreaccount1`, credential: { ...credential, key: 'eA==' } },
    };
    await expect(copyAccount(wrong)).rejects.toMatchObject({ side: 'from', cause: { status: 403 } });
    const nowhere = { ...optionsFor(['types']), to: { url: 'http://127.0.0.1:1/a', credential } };
    await expect(copyAccount(nowhere)).rejects.toMatchObject({ side: 'to', message: /ECONNREFUSED/ });
  });
});
