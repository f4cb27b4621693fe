import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccountFile } from '../../../../../src/storage/sqlite/file/account-file.ts';
import { SharedRead } from '../../../../../src/storage/sqlite/file/shared-read.ts';
import { prepareStatements } from '../../../../../src/storage/sqlite/file/statements.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the reads of one turn', () => {
  let database: Database;
  let reads: SharedRead;

  beforeEach(() => {
    database = openAccountFile(undefined, 'none');
    reads = new SharedRead(prepareStatements(database));
  });
  afterEach(() => {
    reads.end();
    database.close();
  });

  it('share a transaction that ends with the turn', async () => {
    reads.share();
    reads.share();
    expect(database.inTransaction).toBe(true);
    await turn();
    expect(database.inTransaction).toBe(false);
  });

  it('share a transaction that can be ended earlier, and after that another one', async () => {
    reads.share();
    reads.end();
    reads.end();
    expect(database.inTransaction).toBe(false);
    reads.share();
    expect(database.inTransaction).toBe(true);
    await turn();
    expect(database.inTransaction).toBe(false);
  });

  it('continue if SQLite itself ends their transaction, as on an I/O error', async () => {
    reads.share();
    database.exec('ROLLBACK');
    expect(() => reads.end()).not.toThrow();
    reads.share();
    expect(database.inTransaction).toBe(true);
    await turn();
    expect(database.inTransaction).toBe(false);
  });
});
