import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isEqual } from '../../../../src/data/copy/compare-tables.ts';
import { type CopyOptions, copyAccount, newTally } from '../../../../src/data/copy/copy-account.ts';
import { notesFile, openNotes } from '../../../../src/data/copy/notes.ts';
import { openTableClient } from '../../../../src/data/table-client.ts';
import type { EdmValue } from '../../../../src/model/edm.ts';
import { systemModelTime } from '../../../../src/model/time.ts';
import { type Service, startService } from '../../../support/service.ts';
import { developmentKey } from '../../../support/table-client.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const [from, to] = [await startService(), await startService()];
const credential = { kind: 'key', account: 'devstoreaccount1', key: developmentKey } as const;
const clientOf = ({ base }: Service) => openTableClient({ url: base, credential }, systemModelTime);

function optionsFor(patterns: readonly string[], target: Service = to): CopyOptions & { readonly file: string } {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const subject = { from: { url: from.base, credential }, to: { url: target.base, credential }, patterns };
  const file = notesFile(join(folder.path, 'copies'), subject);
  const unexpected = (...words: unknown[]): never => {
    throw new Error(words.join(' '));
  };
  const time = systemModelTime;
  const notes = openNotes({ file, subject, restarts: false, time, onUnusable: unexpected, onUnwritable: unexpected });
  const { signal } = new AbortController();
  return {
    ...subject,
    file,
    notes,
    signal,
    time: systemModelTime,
    verifies: true,
    tally: newTally(),
    onBegunAnew: unexpected,
  };
}

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
  it('has every type and any key, in transactions and alone, and leaves other entities at the target', async () => {
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

  it('says where a table differs', async () => {
    await from.createTable('differs');
    for (const RowKey of ['1', '2', '3']) await from.insert('differs', { RowKey, n: 1 });
    await copyAccount(optionsFor(['differs']));
    await from.insert('differs', { RowKey: '15', n: 1 });
    const options = optionsFor(['differs']);
    options.notes.set('differs', { entities: 3, refused: 0, isDone: true });
    const [outcome] = await copyAccount(options);
    expect(outcome?.comparison).toMatchObject({
      difference: { partitionKey: 'p', rowKey: '15' },
      from: { entities: 4 },
      to: { entities: 3 },
    });
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(false);
  });

  it('has pages, transactions of 100, and those of 4 MiB', async () => {
    await from.createTable('many');
    const source = clientOf(from);
    const big = new Map<string, EdmValue>(
      Array.from({ length: 15 }, (_, at) => [`p${at}`, { type: 'Edm.String', value: 'ü'.repeat(32_000) }]),
    );
    for (let at = 0; at < 3; at++) {
      await source.upsertEntity('many', { partitionKey: 'big', rowKey: `${at}` }, { mode: 'replace', properties: big });
    }
    const rows = Array.from({ length: 1_250 }, (_, at) => ({ partitionKey: 'small', rowKey: String(at) }));
    for (let at = 0; at < rows.length; at += 50) {
      await Promise.all(
        rows
          .slice(at, at + 50)
          .map((key) => source.upsertEntity('many', key, { mode: 'replace', properties: new Map() })),
      );
    }
    const options = optionsFor(['many']);
    const [outcome] = await copyAccount(options);
    expect(outcome?.comparison && isEqual(outcome.comparison)).toBe(true);
    // Three large entities, each alone, and 13 or 14 transactions: a page ends one.
    expect(options.tally).toMatchObject({ entities: 1_253 });
    expect([16, 17]).toContain(options.tally.transactions);
  });

  it('has the access policies of a table', async () => {
    await from.createTable('policies');
    const xml =
      '<SignedIdentifiers><SignedIdentifier><Id>read</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>';
    const headers = { 'Content-Type': 'application/xml', Accept: 'application/xml' };
    expect((await from.send({ method: 'PUT', path: '/policies?comp=acl', headers, body: xml })).status).toBe(204);
    const [outcome] = await copyAccount(optionsFor(['policies']));
    expect(outcome?.policies).toBe('copied');
    expect((await to.get('/policies?comp=acl', headers)).body).toContain('<Id>read</Id>');
  });

  it('goes on where its notes say, but for tables that are gone from the target', async () => {
    await from.createTable('noted');
    for (const RowKey of ['1', '2']) await from.insert('noted', { RowKey });
    await to.createTable('noted');
    const options = optionsFor(['noted']);
    options.notes.set('noted', { entities: 2, refused: 0, isDone: true });
    options.notes.save();
    expect(statSync(options.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(options.file, 'utf8')).not.toContain(developmentKey);
    await copyAccount(options);
    expect(options.tally).toMatchObject({ entities: 2, entitiesWritten: 0 });
    await clientOf(to).deleteTable('noted');
    const again = optionsFor(['noted']);
    again.notes.set('noted', { entities: 2, refused: 0, isDone: true });
    await copyAccount(again);
    expect(again.tally).toMatchObject({ entities: 2, entitiesWritten: 2 });
    again.notes.drop();
    expect(existsSync(again.file)).toBe(false);
  });

  it('names the side and the table that is refused', async () => {
    const options = {
      ...optionsFor(['types']),
      from: { url: `${from.origin}/devstoreaccount1`, credential: { ...credential, key: 'eA==' } },
    };
    await expect(copyAccount(options)).rejects.toMatchObject({ side: 'from', cause: { status: 403 } });
    const nowhere = { ...optionsFor(['types']), to: { url: 'http://127.0.0.1:1/a', credential } };
    await expect(copyAccount(nowhere)).rejects.toMatchObject({ side: 'to', message: /ECONNREFUSED/ });
  });
});
