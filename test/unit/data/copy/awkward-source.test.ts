import { describe, expect, it } from 'vitest';
import { isEqual } from '../../../../src/data/copy/compare-tables.ts';
import { copyAccount } from '../../../../src/data/copy/copy-account.ts';
import { copyBetween, developmentCredential as credential, type TestCopy } from '../../../support/copy-options.ts';
import { startFeedServer } from '../../../support/feed-server.ts';
import { startService } from '../../../support/service.ts';

const to = await startService();
const source = await startFeedServer();

type Entity = Readonly<Record<string, unknown>>;

function copyOf(table: string, entities: readonly Entity[]): TestCopy {
  source.tables.set(table, entities);
  return copyBetween({ url: source.base, credential }, { url: to.base, credential }, [table]);
}

const rows = (count: number, more: Entity = {}): Entity[] =>
  Array.from({ length: count }, (_, at) => ({ PartitionKey: 'p', RowKey: String(at).padStart(4, '0'), ...more }));

describe('a copy from a source that accepts more than the service', () => {
  it('contains all entities except those that the target refuses, and names these', async () => {
    const entities = rows(230);
    entities[5] = { ...entities[5], 'not-a-name': 1 };
    entities[7] = { ...entities[7], RowKey: '0007/7' };
    entities[220] = { ...entities[220], long: 'x'.repeat(40_000) };
    entities.push({ PartitionKey: 'q', RowKey: 'alone', 'not-a-name': 1 });
    const options = copyOf('refused', entities);
    const [outcome] = await copyAccount(options);
    expect(outcome).toMatchObject({ entities: 231, refused: 4, policies: { notCopied: /does not have them/ } });
    expect(options.tally).toMatchObject({ entities: 231, entitiesWritten: 227, entitiesRefused: 4 });
    const named = options.tally.refusals.map(({ key, status, code }) => `${key?.rowKey} ${status} ${code}`);
    expect(named.sort()).toEqual([
      '0005 400 PropertyNameInvalid',
      '0007/7 400 InvalidInput',
      '0220 400 PropertyValueTooLarge',
      'alone 400 PropertyNameInvalid',
    ]);
    expect(options.resume.tables.get('refused')).toEqual({ entities: 231, refused: 4, isDone: true });
    expect(outcome?.comparison).toMatchObject({ from: { entities: 231 }, to: { entities: 227 }, others: 0 });
  });

  it('contains everything except members that are not entities, and names these', async () => {
    const entities = rows(20);
    entities[3] = { ...entities[3], big: 'seven', 'big@odata.type': 'Edm.Int64' };
    entities[4] = { ...entities[4], nested: { PartitionKey: 'x' } };
    entities[5] = { PartitionKey: 'p', RowKey: 5 };
    entities[6] = { PartitionKey: 'p' };
    const options = copyOf('unreadable', entities);
    const [outcome] = await copyAccount(options);
    expect(outcome).toMatchObject({ entities: 20, refused: 4 });
    expect(options.tally).toMatchObject({ entities: 20, entitiesWritten: 16, entitiesRefused: 4 });
    expect(options.tally.refusals).toMatchObject([
      {
        table: 'unreadable',
        key: { partitionKey: 'p', rowKey: '0003' },
        message: /the value of property big is not of type Edm\.Int64/,
      },
      { table: 'unreadable', key: { partitionKey: 'p', rowKey: '0004' }, message: /one JSON object/ },
      { table: 'unreadable', message: /RowKey is missing or not a text/ },
      { table: 'unreadable', message: /RowKey is missing or not a text/ },
    ]);
    expect(options.tally.refusals.map(({ key }) => key !== undefined)).toEqual([true, true, false, false]);
    expect(outcome?.comparison).toMatchObject({
      from: { entities: 20 },
      to: { entities: 16 },
      difference: { partitionKey: 'p', rowKey: '0003' },
    });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(false);
  });

  it('names the first hundred entities if the target refuses all', async () => {
    const options = copyOf('hopeless', rows(150, { 'not-a-name': 1 }));
    const [outcome] = await copyAccount(options);
    expect(outcome).toMatchObject({ entities: 150, refused: 150 });
    expect(options.tally).toMatchObject({ entitiesWritten: 0, entitiesRefused: 150, refusals: { length: 100 } });
  });

  it('contains the other tables if the target refuses one', async () => {
    source.tables.set('fine', rows(1));
    const { patterns: _, ...options } = copyOf('no-table', rows(1));
    const outcomes = await copyAccount({ ...options, patterns: ['no*', 'fine'] });
    expect(outcomes).toMatchObject([
      { name: 'fine', entities: 1, comparison: { to: { entities: 1 } } },
      { name: 'no-table', entities: 0, tableRefused: /.+/ },
    ]);
  });

  it('compares entire tables if pages are not in the order of keys', async () => {
    const entities = rows(1_200).reverse();
    const [outcome] = await copyAccount(copyOf('reversed', entities));
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    expect(outcome?.comparison).toMatchObject({ from: { entities: 1_200 }, to: { entities: 1_200 }, others: 0 });
    await to.insert('reversed', { RowKey: 'other' });
    const [again] = await copyAccount(copyOf('reversed', entities));
    expect(again?.comparison).toMatchObject({ from: { entities: 1_200 }, to: { entities: 1_201 }, others: 0 });
  });

  it('requests smaller pages if a page is too long', async () => {
    const strings = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, 'x'.repeat(30_000)]));
    const [outcome] = await copyAccount(copyOf('large', rows(70, strings)));
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    const pages = source.requests.filter((request) => request.startsWith('large()'));
    expect(pages.map((page) => /top=(\d+)/.exec(page)?.[1]).slice(0, 4)).toEqual([undefined, '250', '62', '15']);
    expect(outcome).toMatchObject({ entities: 70 });
  });

  it('begins a table again if the source no longer knows the continuation', async () => {
    await to.createTable('expired');
    await to.insert('expired', { RowKey: '0000' });
    const options = copyOf('expired', rows(3));
    options.resume.set('expired', { entities: 1, refused: 0, next: { NextPartitionKey: 'nowhere' } });
    const [outcome] = await copyAccount(options);
    expect(options.startedOver).toEqual([['expired', expect.stringMatching(/^the source refuses to continue: /)]]);
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    expect(options.tally).toMatchObject({ entities: 3, entitiesWritten: 3 });
  });
});
