// Copies the entities of one table: pages are read one after another, and written while the next are read.

import type { CopyNotes } from './notes.ts';
import { pageTransactions } from './page-transactions.ts';
import type { Permits } from './permits.ts';
import type { Side } from './side.ts';

/** What a copy did so far. */
export interface Tally {
  tables: number;
  tablesDone: number;
  /** Of all tables, those of earlier runs included. */
  entities: number;
  /** Of this run. */
  entitiesWritten: number;
  transactions: number;
  /** Requests that were sent again. */
  repeats: number;
}

export interface CopyRun {
  readonly from: Side;
  readonly to: Side;
  readonly notes: CopyNotes;
  readonly tally: Tally;
  /** Raised when the copy is interrupted, or has failed elsewhere. */
  readonly signal: AbortSignal;
  /** Bounds the pages in memory, and the writes on their way. */
  readonly pages: Permits;
  readonly writes: Permits;
}

/** Returns how many entities the table has. Throws SideError, and the reason of the signal. */
export async function copyEntities(run: CopyRun, table: string): Promise<number> {
  const { from, notes, pages, signal, tally } = run;
  const before = notes.tables.get(table);
  let entities = before?.entities ?? 0;
  tally.entities += entities;
  let next = before?.next;
  // Notes are made in the order of the pages: a later page may be written first.
  let noted = Promise.resolve();
  const ended = new AbortController();
  try {
    do {
      await pages.take();
      const page = await from.readPage(table, next).catch((error: unknown) => {
        pages.give();
        throw error;
      });
      const written = writePage(run, table, page.rows).finally(() => pages.give());
      written.catch(() => ended.abort());
      const { next: after } = page;
      noted = noted.then(async () => {
        await written;
        entities += page.rows.length;
        if (after) notes.set(table, { entities, next: after });
      });
      noted.catch(() => undefined);
      next = after;
    } while (next !== undefined && !ended.signal.aborted && !signal.aborted);
  } finally {
    // A failed read still leaves pages that are being written.
    await noted.catch(() => undefined);
  }
  await noted;
  signal.throwIfAborted();
  return entities;
}

async function writePage(run: CopyRun, table: string, rows: Parameters<typeof pageTransactions>[0]): Promise<void> {
  const { to, tally, writes, signal } = run;
  let hasFailed = false;
  const write = async ({ upserts }: ReturnType<typeof pageTransactions>[number]): Promise<void> => {
    await writes.take();
    try {
      signal.throwIfAborted();
      if (hasFailed) return;
      await to.upsert(table, upserts);
      tally.entities += upserts.length;
      tally.entitiesWritten += upserts.length;
      tally.transactions++;
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      writes.give();
    }
  };
  const results = await Promise.allSettled(pageTransactions(rows, table, to.endpoint.url).map(write));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
