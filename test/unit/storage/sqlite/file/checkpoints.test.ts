// Tests checkpoints, which run on a separate thread. The write-ahead log of an account must stay small, however long
// writes continue.

import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { type CheckpointOutcome, CheckpointThread } from '../../../../../src/storage/sqlite/file/checkpoint-thread.ts';
import { StatedDisk } from '../../../../support/disk-space.ts';
import { insertion, keyOf, tableNamed, texts } from '../../../../support/entities.ts';
import { storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const megabyte = 1_048_576;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function turns(count: number): Promise<void> {
  for (let turned = 0; turned < count; turned++) await turn();
}

describe('an account with a checkpoint thread', () => {
  let folder: { path: string; remove(): void };
  let file: string;
  let thread: CheckpointThread;
  let account: SqliteAccountStore;
  let written: number;

  const open = (): void => {
    account = new SqliteAccountStore(openAccountFile(file, 'none'), { ...storeTimes(), checkpointThread: thread });
  };

  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder.path, 'account.sqlite');
    thread = new CheckpointThread();
    written = 0;
    open();
    await account.createTable(tableNamed('Pets'));
  });
  afterEach(async () => {
    await account.close();
    await thread.close();
    folder.remove();
  });

  /** Writes entities of 60 KB, in transactions of ten. */
  const writeMegabytes = async (megabytes: number): Promise<void> => {
    const text = 'x'.repeat(60_000);
    for (let bytes = 0; bytes < megabytes * megabyte; bytes += 10 * text.length) {
      const batch = Array.from({ length: 10 }, () => insertion(keyOf('cats', String(written++)), texts({ text })));
      expect(await account.apply('Pets', batch)).toMatchObject({ kind: 'applied' });
    }
  };

  /** Reads an entity in every turn of the event loop, until the writes have ended. */
  const readAll = async (writing: Promise<void>): Promise<void> => {
    let isWriting = true;
    const written = writing.finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      await account.get('Pets', keyOf('cats', '0'));
      await turn();
    }
    await written;
  };

  const walBytes = (): number => statSync(`${file}-wal`).size;

  it('starts a thread when the WAL has 1 MiB, before the first checkpoint is due', async () => {
    await writeMegabytes(0.3);
    await turn();
    expect(thread.isRunning).toBe(false);
    await writeMegabytes(1.2);
    await turn();
    expect(thread.isRunning).toBe(true);
    expect(statSync(file).size).toBeLessThan(megabyte);
  });

  it('copies the WAL into the database file', async () => {
    await writeMegabytes(6);
    await account.drained();
    expect(statSync(file).size).toBeGreaterThan(4 * megabyte);
  });

  it('writes the WAL from its beginning again while reads and writes continue', async () => {
    await readAll(writeMegabytes(200));
    expect(walBytes()).toBeGreaterThan(4 * megabyte);
    expect(walBytes()).toBeLessThan(70 * megabyte);
  });

  it('has all data after it was closed in the middle of a checkpoint', async () => {
    await writeMegabytes(5);
    await account.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    open();
    for (const at of [0, written - 1]) {
      expect(await account.get('Pets', keyOf('cats', String(at)))).toMatchObject({ kind: 'found' });
    }
  });

  it('lets SQLite make checkpoints if no thread can start', async () => {
    await account.close();
    thread = new CheckpointThread(join(folder.path, 'missing.js'));
    open();
    await writeMegabytes(5);
    await account.drained();
    expect(thread.isRunning).toBe(false);
    await writeMegabytes(40);
    expect(walBytes()).toBeLessThan(20 * megabyte);
  });

  it.skipIf(process.platform === 'win32')('lets SQLite make them where another file has taken its place', async () => {
    for (const ending of ['', '-wal', '-shm']) renameSync(file + ending, `${file}.moved${ending}`);
    openAccountFile(file, 'none').close();
    await writeMegabytes(5);
    await account.drained();
    await writeMegabytes(40);
    expect(statSync(`${file}.moved-wal`).size).toBeLessThan(20 * megabyte);
  });

  it('continues after another connection kept pages in the WAL', async () => {
    const reader = new Database(file, { readonly: true });
    try {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM tables').get();
      await writeMegabytes(24);
    } finally {
      reader.close();
    }
    await writeMegabytes(56);
    expect(walBytes()).toBeLessThan(70 * megabyte);
    expect(await account.get('Pets', keyOf('cats', '0'))).toMatchObject({ kind: 'found' });
  });
});

describe('an account with checkpoints that take long', () => {
  let folder: { path: string; remove(): void };
  let thread: HeldThread;
  let database: Database.Database;
  let disk: StatedDisk;
  let account: SqliteAccountStore;
  let written: number;

  beforeEach(async () => {
    folder = temporaryFolder();
    thread = new HeldThread();
    written = 0;
    database = openAccountFile(join(folder.path, 'account.sqlite'), 'none');
    disk = new StatedDisk();
    account = new SqliteAccountStore(database, { ...storeTimes(), checkpointThread: thread, disk });
    await account.createTable(tableNamed('Pets'));
  });
  afterEach(async () => {
    thread.answerAll('done');
    await account.close();
    folder.remove();
  });

  const writeMegabyte = async (): Promise<void> => {
    const text = 'x'.repeat(60_000);
    const batch = Array.from({ length: 18 }, () => insertion(keyOf('cats', String(written++)), texts({ text })));
    expect(await account.apply('Pets', batch)).toMatchObject({ kind: 'applied' });
  };

  const walBytes = (): number => statSync(join(folder.path, 'account.sqlite-wal')).size;

  /** Whether a write is answered within a few turns of the event loop. */
  const isWriting = async (): Promise<boolean> => {
    return Promise.race([writeMegabyte().then(() => true), turns(20).then(() => false)]);
  };

  it('can be written while the first checkpoint runs, and read while writes wait for the second', async () => {
    for (let megabytes = 0; megabytes < 20; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(1);
    thread.answerNext('done');
    await turn();
    expect(thread.asked).toBe(2);
    expect(await isWriting()).toBe(false);
    expect(await account.get('Pets', keyOf('cats', '0'))).toMatchObject({ kind: 'found' });
    thread.answerNext('done');
    await writeMegabyte();
  });

  it('completes the writes that wait for a second checkpoint if that fails', async () => {
    for (let megabytes = 0; megabytes < 20; megabytes++) await writeMegabyte();
    thread.answerNext('done');
    await turn();
    const waiting = writeMegabyte();
    thread.answerNext('failed');
    await waiting;
    expect(thread.asked).toBe(2);
  });

  it('requests further checkpoints if a deletion on a full disk emptied the WAL while the first was due', async () => {
    for (let megabytes = 0; megabytes < 6; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(1);
    disk.markFull();
    expect(await account.deleteTable('Pets')).toEqual({ kind: 'deleted' });
    expect(walBytes()).toBe(0);
    // The thread finds fewer pages than were due.
    thread.answerNext('failed');
    await account.createTable(tableNamed('Pets'));
    for (let megabytes = 0; megabytes < 6; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(2);
  });

  it('requests only one checkpoint while the WAL is small', async () => {
    for (let megabytes = 0; megabytes < 6; megabytes++) await writeMegabyte();
    thread.answerNext('done');
    await writeMegabyte();
    expect(thread.asked).toBe(1);
  });

  it('makes writes wait for the first checkpoint when the WAL has 64 MB', async () => {
    for (let megabytes = 0; megabytes < 56; megabytes++) await writeMegabyte();
    for (let megabytes = 0; megabytes < 12; megabytes++) await Promise.race([writeMegabyte(), turns(20)]);
    expect(await isWriting()).toBe(false);
    expect(await account.get('Pets', keyOf('cats', '0'))).toMatchObject({ kind: 'found' });
    thread.answerNext('done');
    await turn();
    thread.answerNext('done');
    await writeMegabyte();
  });

  it.each([0, 1, 2, 3, 5, 8, 13])('closes gracefully if a checkpoint ends %i turns later', async (count) => {
    const rows = Array.from({ length: 100 }, (_, at) => insertion(keyOf('dogs', String(at)), texts({ text: 'x' })));
    await account.createTable(tableNamed('Dropped'));
    for (let batch = 0; batch < 40; batch++) {
      await account.apply(
        'Dropped',
        rows.map((row) => ({ ...row, partitionKey: String(batch) })),
      );
    }
    for (let megabytes = 0; megabytes < 5; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(1);
    await account.deleteTable('Dropped');
    const closed = account.close();
    await turns(count);
    thread.answerAll('done');
    await closed;
    const { asked } = thread;
    await turns(20);
    expect(thread.asked).toBe(asked);
    expect(database.open).toBe(false);
  });

  it('leaves checkpoints to SQLite after one has failed', async () => {
    for (let megabytes = 0; megabytes < 20; megabytes++) await writeMegabyte();
    thread.answerNext('failed');
    const before = walBytes();
    for (let megabytes = 0; megabytes < 40; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(1);
    expect(walBytes()).toBeLessThan(before + 10 * megabyte);
  });

  it('does not request one at every commit while pages stay in the WAL', async () => {
    for (let megabytes = 0; megabytes < 5; megabytes++) await writeMegabyte();
    thread.answerNext('done');
    for (let megabytes = 0; megabytes < 3; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(1);
    for (let megabytes = 0; megabytes < 3; megabytes++) await writeMegabyte();
    expect(thread.asked).toBe(2);
  });

  it('requests one when a commit failed', async () => {
    await writeMegabyte();
    database.pragma('max_page_count = 1');
    await expect(writeMegabyte()).rejects.toThrow('full');
    expect(thread.asked).toBe(1);
    database.pragma('max_page_count = 1000000');
    thread.answerNext('done');
    await writeMegabyte();
  });
});

describe('a checkpoint thread', () => {
  it('starts once, and not after it was closed', async () => {
    const thread = new CheckpointThread();
    thread.prepare();
    thread.prepare();
    expect(thread.isRunning).toBe(true);
    await thread.close();
    thread.prepare();
    expect(thread.isRunning).toBe(false);
  });

  it('fails for a file that does not exist, and stays usable', async () => {
    const thread = new CheckpointThread();
    expect(await thread.checkpoint({ file: '/no/such/file.sqlite', synchronous: '0', pages: 0 })).toBe('failed');
    expect(thread.isRunning).toBe(true);
    await thread.close();
    expect(thread.isRunning).toBe(false);
  });

  it('answers waiting requests when it dies, and is not started again', async () => {
    const thread = new CheckpointThread('/no/such/driver.js');
    const request = { file: '/no/such/file.sqlite', synchronous: '0', pages: 0 };
    expect(await Promise.all([thread.checkpoint(request), thread.checkpoint(request)])).toEqual(['failed', 'failed']);
    expect(await thread.checkpoint(request)).toBe('failed');
    expect(thread.isRunning).toBe(false);
  });

  it('answers requests from before it was closed, and no later ones', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'account.sqlite');
    const database = openAccountFile(file, 'none');
    const thread = new CheckpointThread();
    const request = { file, synchronous: '0', pages: 0 };
    const asked = [thread.checkpoint(request), thread.checkpoint(request)];
    const closed = thread.close();
    expect(await thread.checkpoint(request)).toBe('failed');
    expect(await Promise.all(asked)).toEqual(['done', 'done']);
    await closed;
    expect(thread.isRunning).toBe(false);
    database.close();
    folder.remove();
  });
});

/** A thread that makes no checkpoints. A test decides when it answers requests for them. */
class HeldThread {
  asked = 0;
  readonly #waiting: ((outcome: CheckpointOutcome) => void)[] = [];
  #answerAtOnce: CheckpointOutcome | undefined;

  prepare(): void {}

  checkpoint(): Promise<CheckpointOutcome> {
    this.asked++;
    if (this.#answerAtOnce) return Promise.resolve(this.#answerAtOnce);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  answerNext(outcome: CheckpointOutcome): void {
    this.#waiting.shift()?.(outcome);
  }

  answerAll(outcome: CheckpointOutcome): void {
    this.#answerAtOnce = outcome;
    for (const resolve of this.#waiting.splice(0)) resolve(outcome);
  }
}
