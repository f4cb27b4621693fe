// Before a deletion frees space, pages have to be written to the write-ahead log and, at the next checkpoint, to the
// end of the database file. If the disk is full, a reserve file is made smaller before the deletion, so that there is
// room for these pages. The reserve file has no other use.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  rmSync,
  type StatsFs,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from '../../store-unavailable.ts';

const mebibyte = 1_048_576;
/** Enough for the WAL of an idle account. */
const smallBytes = mebibyte;
/**
 * The size of the reserve under load. One checkpoint may make the database file larger by the pages that it copies, and
 * writes during the checkpoint add more pages. The reserve has room for both.
 */
const largeBytes = 8 * mebibyte;
/** The part of the reserve that a transaction may use to free more space. */
const lentBytes = 3 * mebibyte;
/**
 * The reserve is filled with random bytes, which repeat after this number of bytes. File systems compress in smaller
 * units, so they cannot compress the reserve, and it takes up its full size.
 */
const fillingBytes = mebibyte / 4;
/**
 * After the disk was full, writes continue only when this much space is free in addition to the reserve. So the next
 * write does not fill the disk again.
 */
const spareBytes = mebibyte;
/** Space is short while less than this is free. The WAL of an account usually takes less under load (ADR 0012). */
const ampleBytes = 40 * mebibyte;
/** With less than this free, the disk counts as full. */
const leastBytes = mebibyte / 4;

/** The part that an account needs. */
export type DiskSpace = Omit<DiskReserve, 'prepare' | 'isShort' | 'close'>;

/**
 * Manages the reserve of one location, and records whether the disk is full. The disk counts as full when a write has
 * failed for lack of space. It no longer counts as full when there is room for the reserve and for another
 * `spareBytes`. While the disk counts as full, only operations that free space may write, and these operations borrow
 * the reserve.
 */
export class DiskReserve {
  readonly #location: string;
  readonly #file: string;
  readonly #freeSpace: () => void;
  #bytes: number;
  #isUsed = false;
  #isFull = false;
  #isLent = false;

  /** `freeSpace` begins to return space that the accounts no longer need. */
  constructor(location: string, freeSpace: () => void) {
    this.#location = location;
    this.#file = join(location, 'tanzanite.reserve');
    this.#freeSpace = freeSpace;
    // An existing reserve is large after a crash, or after a stop on a full disk.
    this.#bytes = Math.min(largeBytes, Math.max(smallBytes, this.#heldBytes));
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether space is short: WALs must stay small, and space must be freed in small steps. */
  get isTight(): boolean {
    return this.#isFull || this.#usableBytes < ampleBytes;
  }

  /** Creates the reserve if it does not exist. A location without data does not have one. */
  prepare(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    if (this.#isFull) return;
    if (this.#freeBytes < leastBytes || this.#fill(this.#bytes) === 'full') this.markFull();
  }

  /** Enlarges the reserve before a WAL becomes large. The new size is at most a quarter of the free space. */
  enlarge(): void {
    const bytes = Math.min(largeBytes, Math.floor(this.#freeBytes / 4));
    if (this.#isFull || bytes <= this.#bytes) return;
    if (this.#fill(bytes) === 'done') this.#bytes = bytes;
    else this.#cut(this.#bytes);
  }

  /** Must be called when a write has failed for lack of space. */
  markFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#freeSpace();
  }

  /**
   * Whether the disk has no room at all. Called after a failed write, because SQLite does not distinguish an exhausted
   * quota from a broken disk.
   */
  isUsedUp(): boolean {
    const held = this.#heldBytes;
    const result = this.#fill(held + leastBytes);
    this.#cut(held);
    return result === 'full';
  }

  /** The error if no more data can be stored; undefined if there is room, or room again. */
  refuseGrowth(): StoreUnavailable | undefined {
    if (this.#isFull && !this.#isLent) this.takeBack();
    return this.#isFull ? this.#refusal : undefined;
  }

  /**
   * The error if a file cannot be made this large by a checkpoint. Until then, its new pages are in the WAL too. The
   * reserve is left for the pages of the WAL that are not new.
   */
  refuseSize(file: string, bytes: number): StoreUnavailable | undefined {
    return 2 * (bytes - sizeOf(file)) > this.#usableBytes ? this.#refusal : undefined;
  }

  /** Makes room for operations that free space, until `takeBack`. */
  lend(bytes = lentBytes): void {
    if (!this.#isFull) return;
    this.#isLent = true;
    this.#cut(Math.max(0, this.#heldBytes - bytes));
  }

  /** Makes the reserve as large as possible. If there is room for more, the disk is no longer full. */
  takeBack(): void {
    if (!this.#isFull) return;
    this.#isLent = false;
    if (this.#fill(this.#bytes + spareBytes) !== 'full') this.#isFull = false;
    this.#cut(this.#bytes);
    // Repeats the steps that failed while the disk was full.
    if (!this.#isFull) this.#freeSpace();
  }

  /** Whether no more data can be stored, or hardly any. */
  get isShort(): boolean {
    const isRefused = this.refuseGrowth() !== undefined;
    if (isRefused) this.#freeSpace();
    return isRefused || this.#freeBytes < leastBytes;
  }

  /**
   * Must be called after the accounts are closed, when there are no WALs. If the location has data, keeps a small
   * reserve for the next start, because the disk may be full by then. If the location has no data, removes the reserve.
   */
  close(): void {
    if (!this.#hasData) ignoreFaults(() => rmSync(this.#file, { force: true }));
    else if (this.#isFull) this.takeBack();
    else this.#cut(smallBytes);
  }

  get #refusal(): StoreUnavailable {
    return new StoreUnavailable('full', `${this.#location} cannot be written: the disk, or a quota, is full.`);
  }

  /** Extends the reserve to this size. `impossible`: this failed for a reason other than space. */
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
    return sizeOf(this.#file);
  }

  /** Free bytes of the file system, including bytes that it may reserve for other users. Writing into those fails. */
  get #freeBytes(): number {
    return this.#countFree(({ bfree }) => bfree);
  }

  /** Free bytes without those that the file system reserves for other users. */
  get #usableBytes(): number {
    return process.getuid?.() === 0 ? this.#freeBytes : this.#countFree(({ bavail }) => bavail);
  }

  /** Returns infinity if the file system does not say how much is free. */
  #countFree(blocksOf: (found: StatsFs) => number): number {
    try {
      const found = statfsSync(this.#location);
      return found.blocks > 0 ? blocksOf(found) * found.bsize : Number.POSITIVE_INFINITY;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}

/** Returns 0 if the file does not exist, or cannot be examined. */
function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** Node has no name for the error of a quota. */
function isForSpace({ code, errno }: NodeJS.ErrnoException): boolean {
  return code === 'ENOSPC' || errno === -constants.errno.EDQUOT;
}

/** Runs work on the reserve and ignores its errors: the data can be used without a reserve. */
function ignoreFaults(work: () => void): void {
  try {
    work();
  } catch {
    // The folder is gone, or read-only.
  }
}
