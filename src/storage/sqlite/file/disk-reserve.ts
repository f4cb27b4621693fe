// A deletion writes before it frees anything: pages of the write-ahead log, and with the next checkpoint those at the end of the
// database file. On a full disk it can do so because a file with no other use goes first.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from '../../store-unavailable.ts';

const mebibyte = 1_048_576;
/** Enough for a WAL as it is when its account rests. */
const smallBytes = mebibyte;
/** Enough for the pages that the database file may lack under load: those of one checkpoint, and what is written meanwhile. */
const largeBytes = 8 * mebibyte;
/** What a transaction gets that frees space. */
const lentBytes = 3 * mebibyte;
/** Larger than what a file system compresses as one, so that the reserve takes its size. */
const fillingBytes = mebibyte / 4;
/** Must be free, too, before writes go on, so that the disk is not full again with the next one. */
const spareBytes = mebibyte;
/** With less than this free, the disk counts as full. */
const leastBytes = mebibyte / 4;

/** The part that an account needs. */
export type DiskSpace = Omit<DiskReserve, 'prepare' | 'isShort' | 'close'>;

/**
 * The reserve of one location, and whether its disk is full: from a write that failed for lack of space until there is room for
 * the reserve and some more. Meanwhile only what frees space is written, and borrows the reserve for it.
 */
export class DiskReserve {
  readonly #location: string;
  readonly #file: string;
  readonly #freeSpace: () => void;
  #bytes: number;
  #isUsed = false;
  #isFull = false;
  #isLent = false;

  /** `freeSpace` begins to give back what the accounts need no longer. */
  constructor(location: string, freeSpace: () => void) {
    this.#location = location;
    this.#file = join(location, 'tanzanite.reserve');
    this.#freeSpace = freeSpace;
    // It is large after a stop on a full disk, or a crash.
    this.#bytes = Math.min(largeBytes, Math.max(smallBytes, this.#heldBytes));
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Makes the reserve, unless it is there: a location without data has none. */
  prepare(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    if (this.#isFull) return;
    if (this.#freeBytes < leastBytes || this.#fill(this.#bytes) === 'full') this.markFull();
  }

  /** Makes it large, before a WAL becomes large. On a small disk it takes up to a quarter of what is free. */
  enlarge(): void {
    const bytes = Math.min(largeBytes, Math.floor(this.#freeBytes / 4));
    if (this.#isFull || bytes <= this.#bytes) return;
    if (this.#fill(bytes) === 'done') this.#bytes = bytes;
    else this.#cut(this.#bytes);
  }

  /** A write has failed for lack of space. */
  markFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#freeSpace();
  }

  /** Whether there is no room for anything: after a failed write, as SQLite does not tell a quota that is used up from a broken disk. */
  isUsedUp(): boolean {
    const held = this.#heldBytes;
    const result = this.#fill(held + leastBytes);
    this.#cut(held);
    return result === 'full';
  }

  /** Why no more data can be stored; undefined if there is room, or room again. */
  refuseGrowth(): StoreUnavailable | undefined {
    if (this.#isFull && !this.#isLent) this.takeBack();
    if (!this.#isFull) return undefined;
    return new StoreUnavailable('full', `${this.#location} cannot be written: the disk, or a quota, is full.`);
  }

  /** Makes room for what frees space, until `takeBack`. */
  lend(bytes = lentBytes): void {
    if (!this.#isFull) return;
    this.#isLent = true;
    this.#cut(Math.max(0, this.#heldBytes - bytes));
  }

  /** Makes the reserve as large as it can be. If there is room for more, the disk is full no longer. */
  takeBack(): void {
    if (!this.#isFull) return;
    this.#isLent = false;
    if (this.#fill(this.#bytes + spareBytes) !== 'full') this.#isFull = false;
    this.#cut(this.#bytes);
    // Steps that failed are taken again.
    if (!this.#isFull) this.#freeSpace();
  }

  /** Whether no more can be stored, or hardly more. */
  get isShort(): boolean {
    const isRefused = this.refuseGrowth() !== undefined;
    if (isRefused) this.#freeSpace();
    return isRefused || this.#freeBytes < leastBytes;
  }

  /**
   * After the accounts are closed, which leaves no WAL. The next start finds the reserve, even if the disk is full by then, but not in
   * a location that is left without data.
   */
  close(): void {
    if (!this.#hasData) ignoreFaults(() => rmSync(this.#file, { force: true }));
    else if (this.#isFull) this.takeBack();
    else this.#cut(smallBytes);
  }

  /** What is there stays. `impossible`: for another reason than space. */
  #fill(bytes: number): 'done' | 'full' | 'impossible' {
    try {
      const descriptor = openSync(this.#file, 'a', 0o600);
      try {
        let left = bytes - fstatSync(descriptor).size;
        const filling = randomBytes(Math.min(fillingBytes, Math.max(0, left)));
        while (left > 0) left -= writeSync(descriptor, filling, 0, Math.min(filling.length, left));
      } finally {
        closeSync(descriptor);
      }
      return 'done';
    } catch (error) {
      return isForSpace(error as NodeJS.ErrnoException) ? 'full' : 'impossible';
    }
  }

  #cut(bytes: number): void {
    ignoreFaults(() => {
      if (this.#heldBytes > bytes) truncateSync(this.#file, bytes);
    });
  }

  /** Whether the location has files of accounts. */
  get #hasData(): boolean {
    try {
      return readdirSync(this.#location).some((name) => name.endsWith('.sqlite'));
    } catch {
      return true;
    }
  }

  get #heldBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Of the file system, for any user: where some of it is kept for others, a write shows it. */
  get #freeBytes(): number {
    try {
      const { blocks, bfree, bsize } = statfsSync(this.#location);
      return blocks > 0 ? bfree * bsize : Number.POSITIVE_INFINITY;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}

/** Node has no name for the error of a quota. */
function isForSpace({ code, errno }: NodeJS.ErrnoException): boolean {
  return code === 'ENOSPC' || errno === -constants.errno.EDQUOT;
}

/** The data can be used without a reserve. */
function ignoreFaults(work: () => void): void {
  try {
    work();
  } catch {
    // The folder is gone, or read-only.
  }
}
