// Copies the entities of one table. Pages are read one after another, and written while the next ones are read.

import { pageTransactions } from './page-transactions.ts';
import type { ResumeFile } from './resume-file.ts';
import type { Semaphore } from './semaphore.ts';
import { type CopyPage, entitiesInPage, type Side } from './side.ts';
import { type RefusedEntity, type WriteTarget, writeUpserts } from './write-upserts.ts';

/** What a copy has done so far. */
export interface CopyTally {
  tables: number;
  tablesDone: number;
  /** Number of entities in all tables, including those that earlier runs wrote. */
  entities: number;
  /** Number of entities written in this run. */
  entitiesWritten: number;
  /** Entities of the source that were compared with the target's. */
  entitiesCompared: number;
  /** Requests that wrote entities. */
  transactions: number;
  /** Requests that were sent again. */
  repeats: number;
  /** Entities left out in this run: the target refused them, or the source did not send them as entities. */
  entitiesRefused: number;
  /** The first of the refused entities. */
  readonly refusals: RefusedEntity[];
}

export interface CopyRun {
  readonly from: Side;
  readonly to: Side;
  readonly resume: ResumeFile;
  readonly tally: CopyTally;
  /** Aborts when the copy is interrupted, or fails elsewhere. */
  readonly signal: AbortSignal;
  /** `pages` limits the pages in memory, `writes` the writes in progress. */
  readonly pages: Semaphore;
  readonly writes: Semaphore;
}

export interface CopiedEntities {
  /** Number of entities in the source. */
  readonly entities: number;
  /** How many of them were refused. */
  readonly refused: number;
}

/** Copies entities, from the point that the resume file names. Throws SideError, or the signal's reason. */
export async function copyEntities(run: CopyRun, table: string): Promise<CopiedEntities> {
  const { from, resume, pages, signal } = run;
  const before = resume.tables.get(table);
  let copied: CopiedEntities = { entities: before?.entities ?? 0, refused: before?.refused ?? 0 };
  let next = before?.next;
  // Progress is recorded in the order of the pages, although a later page may be written first.
  let recorded = Promise.resolve();
  const ended = new AbortController();
  try {
    do {
      await pages.acquire();
      const page = await from.readPage(table, next).catch((error: unknown) => {
        pages.release();
        throw error;
      });
      const written = writePage(run, table, page).finally(() => pages.release());
      written.catch(() => ended.abort());
      const { next: after } = page;
      recorded = recorded.then(async () => {
        const refused = await written;
        copied = { entities: copied.entities + entitiesInPage(page), refused: copied.refused + refused };
        if (after) resume.set(table, { ...copied, next: after });
      });
      recorded.catch(() => undefined);
      next = after;
    } while (next !== undefined && !ended.signal.aborted && !signal.aborted);
  } finally {
    // After a failed read some pages are still being written.
    await recorded.catch(() => undefined);
  }
  await recorded;
  signal.throwIfAborted();
  return copied;
}

/** Writes a page. Returns how many entities were left out. */
async function writePage(run: CopyRun, table: string, { rows, unreadable }: CopyPage): Promise<number> {
  const { to, tally, writes, signal } = run;
  let refused = 0;
  let hasFailed = false;
  const refuse = (entity: RefusedEntity): void => {
    refused++;
    tally.entities++;
    tally.entitiesRefused++;
    if (tally.refusals.length < refusalsKeptMax) tally.refusals.push(entity);
  };
  for (const { key, reason } of unreadable) refuse({ table, ...(key && { key }), message: reason });
  const target: WriteTarget = {
    to,
    table,
    onWritten(entities) {
      tally.entities += entities;
      tally.entitiesWritten += entities;
      tally.transactions++;
    },
    onRefused: refuse,
  };
  const write = async ({ upserts }: ReturnType<typeof pageTransactions>[number]): Promise<void> => {
    await writes.acquire();
    try {
      signal.throwIfAborted();
      if (!hasFailed) await writeUpserts(target, upserts);
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      writes.release();
    }
  };
  const results = await Promise.allSettled(pageTransactions(rows, table, to.endpoint.url).map(write));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return refused;
}

/** Maximum number of refused entities that are listed. */
const refusalsKeptMax = 100;
