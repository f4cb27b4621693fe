import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mutation } from '../../../../../src/model/mutation.ts';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { GroupCommit } from '../../../../../src/storage/sqlite/file/group-commit.ts';
import { prepareStatements } from '../../../../../src/storage/sqlite/file/statements.ts';
import {
  contentsOf,
  insertion,
  keyOf,
  tableNamed,
  texts,
  ticksOf,
  unchangedSince,
  write,
} from '../../../../support/entities.ts';
import { costlyTime, ManualTime, storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { openSpoilable } from '../spoilable-database.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a group', () => {
  /** The names of the jobs in each group, in order. */
  let groups: string[][];
  let running: string[];
  let time: ManualTime;
  let database: Database.Database;
  let writer: GroupCommit;

  beforeEach(() => {
    groups = [];
    running = [];
    time = new ManualTime();
    database = openAccountFile(undefined, 'none');
    writer = new GroupCommit({
      statements: prepareStatements(database),
      machineTime: time,
      beforeBegin: () => undefined,
      beforeCommit: () => groups.push(running.splice(0)),
      afterCommit: () => undefined,
      onRollback: (error) => {
        groups.push(['rolled back', ...running.splice(0)]);
        return error;
      },
    });
  });
  afterEach(() => {
    database.close();
  });

  const job = (name: string, ms = 0): Promise<string> =>
    writer.write(
      () => {
        running.push(name);
        time.advance(ms);
        return { keep: true, result: name };
      },
      { needsSavepoint: false, grows: false },
    );

  const failingJob = (): Promise<string> =>
    writer.write(
      () => {
        throw new Error('disk on fire');
      },
      { needsSavepoint: false, grows: false },
    );

  it('consists of the jobs of one turn, in order of arrival', async () => {
    expect(await Promise.all([job('a'), job('b'), job('c')])).toEqual(['a', 'b', 'c']);
    expect(await job('d')).toBe('d');
    expect(groups).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('begins after the turn of its first job', async () => {
    const written = job('a');
    expect(running).toEqual([]);
    await Promise.resolve();
    expect(running).toEqual([]);
    await written;
  });

  it('ends at about 5 ms of work, and the rest follows in further groups, in order', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(names.map((name) => job(name, 2)));
    expect(groups.flat()).toEqual(names);
    for (const group of groups) expect(group.length).toBeLessThanOrEqual(3);
    expect(groups.length).toBeGreaterThan(2);
  });

  it('may be one long job', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => job(name, 7)));
    expect(groups).toEqual([['a'], ['b'], ['c']]);
  });

  it('lets other work run before the next group', async () => {
    const written = Promise.all(['a', 'b', 'c'].map((name) => job(name, 7)));
    await turn();
    expect(groups).toEqual([['a']]);
    await turn();
    expect(groups).toEqual([['a'], ['b']]);
    await written;
  });

  it('fails as a whole if a job throws, except for jobs that have not begun', async () => {
    const outcomes = await Promise.allSettled([job('a'), failingJob(), job('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(groups).toEqual([['rolled back', 'a'], ['b']]);
  });

  it('that cannot begin rejects all its jobs, and does not prevent later groups', async () => {
    database.exec('BEGIN');
    const outcomes = await Promise.allSettled([job('a'), job('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await job('c')).toBe('c');
  });

  it('lets drained() resolve immediately if nothing waits', async () => {
    await writer.settled();
    expect(groups).toEqual([]);
  });

  it('lets drained() resolve when the last of several groups is committed', async () => {
    const written = ['a', 'b', 'c'].map((name) => job(name, 7));
    await writer.settled();
    expect(groups).toEqual([['a'], ['b'], ['c']]);
    await Promise.all(written);
  });

  it('lets drained() resolve even if the last group failed', async () => {
    const [outcome] = await Promise.allSettled([failingJob(), writer.settled()]);
    expect(outcome.status).toBe('rejected');
    expect(database.inTransaction).toBe(false);
  });

  it('does not begin while commits are paused', async () => {
    let resume = (): void => undefined;
    const paused = writer.pauseWhile(() => new Promise<void>((resolve) => (resume = resolve)));
    const first = job('first');
    await turn();
    await turn();
    expect(groups).toEqual([]);
    const second = job('second');
    resume();
    await paused;
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
    expect(groups).toEqual([['first', 'second']]);
  });

  it('does not begin during a pause if it was scheduled before', async () => {
    const waiting = job('waiting');
    let resume = (): void => undefined;
    const paused = writer.pauseWhile(() => new Promise<void>((resolve) => (resume = resolve)));
    await turn();
    await turn();
    expect(groups).toEqual([]);
    resume();
    await paused;
    expect(await waiting).toBe('waiting');
  });

  it('that is open between turns ends before a pause begins', async () => {
    let parts = 0;
    const long = writer.write(() => (++parts < 3 ? undefined : { keep: true, result: 'long' }), {
      needsSavepoint: false,
      grows: false,
    });
    await turn();
    let partsAtPause = 0;
    await writer.pauseWhile(async () => {
      partsAtPause = parts;
    });
    expect(partsAtPause).toBe(3);
    expect(await long).toBe('long');
  });

  it('begins again after a pause that failed', async () => {
    const paused = writer.pauseWhile(() => Promise.reject(new Error('the disk is full')));
    const waiting = job('waiting');
    await expect(paused).rejects.toThrow('the disk is full');
    expect(await waiting).toBe('waiting');
  });
});

function openSpoilableAccount(): { database: Database.Database; account: SqliteAccountStore; time: ManualTime } {
  const database = openSpoilable();
  const time = new ManualTime();
  return {
    database,
    account: new SqliteAccountStore(database, { modelTime: time, machineTime: time }),
    time,
  };
}

describe.each(['spoiled', 'rolled back'])('a transaction that is lost (%s)', (partition) => {
  const spoiled = insertion(keyOf(partition, 'row'));
  const present = insertion(keyOf('cats', 'tom'));

  it('rejects all its requests, even those that would be refused, and changes nothing', async () => {
    const { account } = openSpoilableAccount();
    await account.createTable(tableNamed('Pets'));
    await write(account, 'Pets', present);
    const before = await contentsOf(account, 'Pets');
    const outcomes = await Promise.allSettled([
      account.apply('Pets', [insertion(keyOf('cats', 'felix'))]),
      account.apply('Pets', [present]),
      account.apply('Pets', [{ kind: 'delete', ...keyOf('cats', 'none'), ifMatch: { kind: 'any' } }]),
      account.apply('Missing', [present]),
      account.createTable(tableNamed('Pets')),
      account.deleteTable('Missing'),
      account.apply('Pets', [insertion(keyOf('cats', 'a')), insertion(keyOf('cats', 'b')), present]),
      account.apply('Pets', [spoiled]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
    expect(await contentsOf(account, 'Pets')).toEqual(before);
    await account.close();
  });

  it('does not change tables, not even those that it created or deleted', async () => {
    const { account } = openSpoilableAccount();
    await account.createTable(tableNamed('Pets'));
    await account.createTable(tableNamed('Kept'));
    await write(account, 'Kept', present);
    await Promise.allSettled([
      account.createTable(tableNamed('Created')),
      account.apply('Created', [present]),
      account.deleteTable('Kept'),
      account.createTable(tableNamed('kept')),
      account.apply('kept', [insertion(keyOf('cats', 'felix'))]),
      account.apply('Pets', [spoiled]),
    ]);
    expect(await account.findTable('Created')).toEqual({ kind: 'tableMissing' });
    expect(await account.findTable('kept')).toMatchObject({ kind: 'found', table: { name: 'Kept' } });
    await turn();
    expect((await contentsOf(account, 'Kept')).map(({ rowKey }) => rowKey)).toEqual(['tom']);
    expect((await account.listTables({ limit: 9 })).tables.map(({ name }) => name)).toEqual(['Kept', 'Pets']);
    await account.close();
  });

  it('is followed by others that succeed, with later timestamps that are stored', async () => {
    const { database, account, time } = openSpoilableAccount();
    await account.createTable(tableNamed('Pets'));
    const first = await write(account, 'Pets', present);
    time.advance(1000);
    await expect(account.apply('Pets', [spoiled])).rejects.toThrow();
    time.stepDate(-1000);
    const second = await write(account, 'Pets', {
      kind: 'delete',
      ...keyOf('cats', 'tom'),
      ifMatch: unchangedSince(first),
    });
    expect(ticksOf(second)).toBeGreaterThan(ticksOf(first));
    const stored = database.prepare('SELECT last_ticks FROM account').pluck().safeIntegers(true).get();
    expect(stored).toBe(ticksOf(second));
    await account.close();
  });

  it('does not affect the requests of the next turn', async () => {
    const { account } = openSpoilableAccount();
    await account.createTable(tableNamed('Pets'));
    const lost = account.apply('Pets', [spoiled]);
    await expect(lost).rejects.toThrow();
    expect((await account.apply('Pets', [present])).kind).toBe('applied');
    await account.close();
  });
});

describe('an outcome', () => {
  it('is returned after another connection can see its data, for a refusal and a write', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'account.sqlite');
    const account = new SqliteAccountStore(openAccountFile(file, 'process'), storeTimes());
    const other = new Database(file, { readonly: true });
    try {
      await account.createTable(tableNamed('Pets'));
      const count = other.prepare('SELECT count(*) FROM entities').pluck();
      const seenAtAnswer = async (): Promise<unknown> => {
        const { kind } = await account.apply('Pets', [insertion(keyOf('cats', 'tom'))]);
        return [kind, count.get()];
      };
      expect(await Promise.all([seenAtAnswer(), seenAtAnswer()])).toEqual([
        ['applied', 1],
        ['exists', 1],
      ]);
    } finally {
      other.close();
      await account.close();
      folder.remove();
    }
  });

  describe('while another connection holds the write lock', () => {
    let folder: { path: string; remove(): void };
    let time: ManualTime;
    let account: SqliteAccountStore;
    let other: Database.Database;

    beforeEach(async () => {
      folder = temporaryFolder();
      const file = join(folder.path, 'account.sqlite');
      time = new ManualTime();
      account = new SqliteAccountStore(openAccountFile(file, 'process'), { ...storeTimes(), machineTime: time });
      await account.createTable(tableNamed('Pets'));
      await write(account, 'Pets', insertion(keyOf('cats', 'felix')));
      other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
    });
    afterEach(async () => {
      other.close();
      await account.close();
      folder.remove();
    });

    /** Advances the time in steps, with turns of the event loop between them. */
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        await turn();
        time.advance(50);
      }
      await turn();
    };

    it('is delayed until the lock is free, while reads are answered', async () => {
      const order: string[] = [];
      const writing = write(account, 'Pets', insertion(keyOf('cats', 'tom'))).then(() => order.push('write'));
      for (let read = 0; read < 3; read++) {
        await pass(500);
        expect(await account.get('Pets', keyOf('cats', 'felix'))).toMatchObject({ kind: 'found' });
        order.push('read');
      }
      other.exec('ROLLBACK');
      await pass(100);
      await writing;
      expect(order).toEqual(['read', 'read', 'read', 'write']);
    });

    it('is a rejection if the lock is held too long; nothing is changed, and later writes succeed', async () => {
      const refused = expect(
        Promise.all([
          account.apply('Pets', [insertion(keyOf('cats', 'tom'))]),
          expect(account.createTable(tableNamed('Plants'))).rejects.toMatchObject({ reason: 'locked' }),
        ]),
      ).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'locked' });
      await pass(6000);
      await refused;
      other.exec('ROLLBACK');
      expect((await contentsOf(account, 'Pets')).map(({ rowKey }) => rowKey)).toEqual(['felix']);
      await write(account, 'Pets', insertion(keyOf('cats', 'tom')));
    });
  });
});

describe('a transaction that takes longer than a slice', () => {
  const manyMerges = (value: string): Mutation[] =>
    Array.from({ length: 20 }, (_, at) => ({
      kind: 'insertOrMerge',
      ...keyOf('cats', String(at)),
      properties: texts({ Value: value }),
    }));
  let account: SqliteAccountStore;
  let cost: { msPerReading: number };

  beforeEach(async () => {
    cost = { msPerReading: 0 };
    account = new SqliteAccountStore(openSpoilable(), { ...storeTimes(), machineTime: costlyTime(cost) });
    await account.createTable(tableNamed('Pets'));
    await account.apply('Pets', manyMerges('old'));
    cost.msPerReading = 10;
  });
  afterEach(() => account.close());

  it('lets other work of the process run in between; reads begun during it see all of its changes', async () => {
    const seen: string[] = [];
    let turns = 0;
    let isAnswered = false;
    const writing = account.apply('Pets', manyMerges('new')).then(({ kind }) => {
      isAnswered = true;
      return kind;
    });
    const reads: Promise<unknown>[] = [];
    while (!isAnswered) {
      await turn();
      turns += 1;
      const note = async (): Promise<void> => {
        const contents = await contentsOf(account, 'Pets');
        seen.push([...new Set(contents.map(({ properties }) => properties))].join());
      };
      if (turns === 3) reads.push(note(), account.get('Pets', keyOf('cats', '0')), account.findTable('Pets'));
    }
    await Promise.all(reads);
    expect(await writing).toBe('applied');
    expect(turns).toBeGreaterThan(10);
    expect(seen).toEqual(['"Value":"new"']);
  });

  it('is undone completely if its last mutation is refused, and does not affect others', async () => {
    const refusal = insertion(keyOf('cats', '0'));
    const outcomes = await Promise.all([
      account.apply('Pets', [insertion(keyOf('dogs', 'first'))]),
      account.apply('Pets', [...manyMerges('new'), refusal]),
      account.apply('Pets', [insertion(keyOf('dogs', 'second'))]),
    ]);
    expect(outcomes).toMatchObject([{ kind: 'applied' }, { kind: 'exists', failedAt: 20 }, { kind: 'applied' }]);
    const contents = await contentsOf(account, 'Pets');
    expect(new Set(contents.slice(0, 20).map(({ properties }) => properties))).toEqual(new Set(['"Value":"old"']));
    expect(contents.slice(20).map(({ rowKey }) => rowKey)).toEqual(['first', 'second']);
  });

  it('is rejected completely if the engine fails half-way, and later ones are carried out', async () => {
    const spoiler = insertion(keyOf('rolled back', 'row'));
    const [lost, next] = await Promise.allSettled([
      account.apply('Pets', [...manyMerges('new'), spoiler]),
      turn().then(() => account.apply('Pets', [insertion(keyOf('dogs', 'next'))])),
    ]);
    expect([lost.status, next.status]).toEqual(['rejected', 'fulfilled']);
    expect((await contentsOf(account, 'Pets')).map(({ properties }) => properties)).not.toContain('"Value":"new"');
  });

  it('is completed even if the store is closed during it', async () => {
    const writing = account.apply('Pets', manyMerges('new'));
    await turn();
    await account.close();
    expect(await writing).toMatchObject({ kind: 'applied' });
  });
});
