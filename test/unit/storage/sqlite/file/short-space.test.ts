// Tests an account while space is short: the disk was full, and little is free again. The WAL must stay small, and the
// work that frees space must write little. The disk is a stand-in here; full-disk.test.ts fills a real one.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteAccountStore } from '../../../../../src/storage/sqlite/account/sqlite-account-store.ts';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import {
  type CheckpointOutcome,
  type CheckpointRequest,
  CheckpointThread,
} from '../../../../../src/storage/sqlite/file/checkpoint-thread.ts';
import { FileShrink } from '../../../../../src/storage/sqlite/file/file-shrink.ts';
import type { Work } from '../../../../../src/storage/sqlite/file/group-commit.ts';
import { prepareStatements } from '../../../../../src/storage/sqlite/file/statements.ts';
import { StatedDisk } from '../../../../support/disk-space.ts';
import { insertion, keyOf, tableNamed, texts } from '../../../../support/entities.ts';
import { ManualTime, storeTimes } from '../../../../support/manual-time.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const megabyte = 1_048_576;
const pageBytes = 4_096;

const short = new StatedDisk({ isTight: true });
const full = new StatedDisk({ isFull: true, isTight: true });

/** Counts the checkpoints that it makes. `beforeFirst` runs before the first of them. */
class CountingThread extends CheckpointThread {
  asked = 0;
  beforeFirst = (): void => undefined;

  override checkpoint(request: CheckpointRequest): Promise<CheckpointOutcome> {
    this.asked++;
    if (this.asked === 1) this.beforeFirst();
    return super.checkpoint(request);
  }
}

let folder: { path: string; remove(): void };
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'account.sqlite');
});
afterEach(() => folder.remove());

describe('The WAL while space is short', () => {
  let thread: CountingThread;
  let account: SqliteAccountStore;
  let written: number;

  beforeEach(async () => {
    thread = new CountingThread();
    written = 0;
    const options = { ...storeTimes(), checkpointThread: thread, disk: short };
    account = new SqliteAccountStore(openAccountFile(file, 'none'), options);
    await account.createTable(tableNamed('Pets'));
  });
  afterEach(async () => {
    await account.close();
    await thread.close();
  });

  const walBytes = (): number => statSync(`${file}-wal`).size;
  const insert = async (): Promise<void> => {
    const mutation = insertion(keyOf('cats', String(written++)), texts({ text: 'x'.repeat(3_000) }));
    expect(await account.apply('Pets', [mutation])).toMatchObject({ kind: 'applied' });
  };

  it('is emptied again and again, although writes and reads continue', async () => {
    let most = 0;
    for (let at = 0; at < 2_000; at++) {
      await insert();
      await account.get('Pets', keyOf('cats', '0'));
      most = Math.max(most, walBytes());
    }
    expect(thread.asked).toBeGreaterThan(10);
    expect(most).toBeLessThan(megabyte);
    expect(await account.get('Pets', keyOf('cats', String(written - 1)))).toMatchObject({ kind: 'found' });
  });

  it('does not cause a checkpoint at every commit if another process keeps it in use, and is emptied afterwards', async () => {
    const reader = new Database(file, { readonly: true });
    try {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM tables').get();
      for (let at = 0; at < 400; at++) await insert();
    } finally {
      reader.close();
    }
    const pages = walBytes() / pageBytes;
    expect(pages).toBeGreaterThan(400);
    expect(thread.asked).toBeLessThanOrEqual(pages / 64 + 1);
    for (let at = 0; at < 200; at++) await insert();
    expect(walBytes()).toBeLessThan(megabyte);
  });

  it('is emptied after it has grown as much again, if a reader prevented the first time', async () => {
    const reader = new Database(file, { readonly: true });
    thread.beforeFirst = () => {
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM tables').get();
    };
    while (thread.asked === 0) await insert();
    const count = written;
    await account.drained();
    const bytes = walBytes();
    expect(bytes).toBeGreaterThan(64 * pageBytes);
    reader.close();
    for (let at = 0; at < count + 2; at++) await insert();
    await account.drained();
    expect(thread.asked).toBe(2);
    expect(walBytes()).toBeLessThan(bytes / 2);
  });
});

describe('The shrinking of a file while space is short', () => {
  let database: Database.Database;
  let time: ManualTime;

  beforeEach(() => {
    database = openAccountFile(file, 'none');
    time = new ManualTime();
  });
  afterEach(() => database.close());

  const freePages = (): number => database.pragma('freelist_count', { simple: true }) as number;
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  /** Leaves this many free pages, about. */
  function free(pages: number): void {
    database.exec('CREATE TABLE junk (bytes BLOB)');
    database.prepare('INSERT INTO junk VALUES (zeroblob(?))').run(pages * pageBytes);
    database.exec('DROP TABLE junk');
  }

  /** Shrinks the file. `before` runs before each step, like the write of a client. Returns the number of rewrites. */
  async function shrink(before: () => void, disk = short, truncated: 'done' | 'inUse' = 'done'): Promise<number> {
    let rewrites = 0;
    const write = async <T>(work: Work<T>): Promise<T> => {
      before();
      return database.transaction(() => work(() => false)?.result as T)();
    };
    const pauseWhile = async (work: () => Promise<unknown>): Promise<void> => {
      rewrites++;
      await work();
    };
    const shrinking = new FileShrink({
      statements: prepareStatements(database),
      machineTime: time,
      writer: { write, pauseWhile },
      checkpoints: { truncate: async () => truncated },
      disk,
      endReads() {},
    });
    time.advance(1_000);
    await turns();
    shrinking.close();
    return rewrites;
  }

  it('returns few pages at a time, and leaves some for later writes', async () => {
    free(1_000);
    const steps: number[] = [];
    await shrink(() => steps.push(freePages()));
    const returned = steps.slice(1).map((pages, at) => (steps[at] ?? 0) - pages);
    expect(returned.length).toBeGreaterThan(20);
    expect(Math.max(...returned)).toBeLessThanOrEqual(32);
    expect(freePages()).toBe(256);
  });

  it('returns all free pages of a full disk', async () => {
    free(1_000);
    await shrink(() => undefined, full);
    expect(freePages()).toBe(0);
  });

  it('returns nothing on a full disk while a reader needs the WAL, so that the reserve is not used up', async () => {
    free(1_000);
    const before = freePages();
    await shrink(() => undefined, full, 'inUse');
    expect(freePages()).toBe(before);
  });

  it('leaves the pages that remain when writes have used the others meanwhile', async () => {
    free(1_000);
    let isUsed = false;
    await shrink(() => {
      if (isUsed) return;
      isUsed = true;
      database.exec('CREATE TABLE used (bytes BLOB)');
      database.prepare('INSERT INTO used VALUES (zeroblob(?))').run((freePages() - 100) * pageBytes);
    });
    expect(freePages()).toBeGreaterThan(50);
    expect(freePages()).toBeLessThan(256);
  });

  it('does not rewrite a file of an older layout', async () => {
    database.pragma('auto_vacuum = NONE');
    database.exec('VACUUM');
    free(1_000);
    const before = freePages();
    expect(before).toBeGreaterThan(500);
    expect(await shrink(() => undefined)).toBe(0);
    expect(freePages()).toBe(before);
  });
});
