// Checkpoints run on a thread of their own, and the WAL of an account stays small however long writes go on.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccountFile } from '../../../src/storage/sqlite/account-file.ts';
import { CheckpointThread } from '../../../src/storage/sqlite/checkpoint-thread.ts';
import { SqliteAccountStore } from '../../../src/storage/sqlite/sqlite-account-store.ts';
import { insertion, keyOf, tableNamed, texts } from '../../support/entities.ts';
import { ManualTime, storeTimes } from '../../support/manual-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const megabyte = 1_048_576;
/** Pages of the WAL at which writes wait, as in checkpoints.ts, in bytes. */
const walBytesMax = 4_000 * 4_096;

describe('an account with a checkpoint thread', () => {
  let folder: { path: string; remove(): void };
  let file: string;
  let time: ManualTime;
  let thread: CheckpointThread;
  let account: SqliteAccountStore;
  let written: number;

  const open = (): void => {
    account = new SqliteAccountStore(openAccountFile(file, 'none'), { ...storeTimes(), checkpointThread: thread });
  };

  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder.path, 'account.sqlite');
    time = new ManualTime();
    thread = new CheckpointThread(time);
    written = 0;
    open();
    await account.createTable(tableNamed('Pets'));
  });
  afterEach(async () => {
    await account.close();
    await thread.close();
    folder.remove();
  });

  /** Writes entities of 60 KB, ten to a transaction. */
  const writeMegabytes = async (megabytes: number): Promise<void> => {
    const text = 'x'.repeat(60_000);
    for (let bytes = 0; bytes < megabytes * megabyte; bytes += 10 * text.length) {
      const batch = Array.from({ length: 10 }, () => insertion(keyOf('cats', String(written++)), texts({ text })));
      expect(await account.apply('Pets', batch)).toMatchObject({ kind: 'applied' });
    }
  };

  const walBytes = (): number => statSync(`${file}-wal`).size;

  it('starts no thread before the WAL has 4 MiB', async () => {
    await writeMegabytes(2);
    expect(thread.isRunning).toBe(false);
    await writeMegabytes(4);
    expect(thread.isRunning).toBe(true);
  });

  it('copies the WAL into the database file', async () => {
    await writeMegabytes(6);
    await account.drained();
    expect(statSync(file).size).toBeGreaterThan(4 * megabyte);
  });

  it('writes the WAL from its start again while writes go on', async () => {
    await writeMegabytes(80);
    expect(walBytes()).toBeGreaterThan(4 * megabyte);
    expect(walBytes()).toBeLessThan(2 * walBytesMax);
  });

  it('answers reads while writes wait for a checkpoint', async () => {
    const writing = writeMegabytes(40);
    let reads = 0;
    for (let isWriting = true; isWriting; reads++) {
      expect(await account.get('Pets', keyOf('cats', '0'))).toMatchObject({ kind: reads === 0 ? 'missing' : 'found' });
      isWriting = await Promise.race([writing.then(() => false), new Promise<true>((go) => setImmediate(go, true))]);
    }
    expect(reads).toBeGreaterThan(10);
  });

  it('has everything after it was closed in the middle of one', async () => {
    await writeMegabytes(5);
    await account.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    open();
    for (const at of [0, written - 1]) {
      expect(await account.get('Pets', keyOf('cats', String(at)))).toMatchObject({ kind: 'found' });
    }
  });

  it('ends the thread when there was nothing to do for ten seconds, and starts it again', async () => {
    await writeMegabytes(5);
    await account.drained();
    time.advance(9_999);
    expect(thread.isRunning).toBe(true);
    time.advance(1);
    expect(thread.isRunning).toBe(false);
    await writeMegabytes(5);
    expect(thread.isRunning).toBe(true);
    await account.drained();
    expect(thread.isUsable).toBe(true);
  });

  it('lets SQLite make its checkpoints where no thread can start', async () => {
    await account.close();
    thread = new CheckpointThread(time, join(folder.path, 'missing.js'));
    open();
    await writeMegabytes(5);
    await account.drained();
    expect(thread.isUsable).toBe(false);
    await writeMegabytes(40);
    expect(walBytes()).toBeLessThan(walBytesMax);
  });

  it('goes on after a checkpoint that failed', async () => {
    const reader = new Database(file, { readonly: true });
    try {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM tables').get();
      await writeMegabytes(12);
    } finally {
      reader.close();
    }
    await writeMegabytes(40);
    expect(walBytes()).toBeLessThan(3 * walBytesMax);
    expect(await account.get('Pets', keyOf('cats', '0'))).toMatchObject({ kind: 'found' });
  });
});

describe('a checkpoint thread', () => {
  it('fails for a file that is not there, and stays usable', async () => {
    const thread = new CheckpointThread(new ManualTime());
    expect(await thread.checkpoint({ file: '/no/such/file.sqlite', synchronous: '0' })).toBe('failed');
    expect(thread.isUsable).toBe(true);
    await thread.close();
    expect(thread.isRunning).toBe(false);
  });
});
