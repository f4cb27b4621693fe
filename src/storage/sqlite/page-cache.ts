import type { Database } from 'better-sqlite3';

/** Enough for writes. What is beyond this comes from the system's own cache, which costs them nothing that can be measured (ADR 0008). */
const writingBytesMax = 6 * 1_048_576;
/**
 * After so many reads of entities, an account keeps more pages until it is closed: reads among 20,000 entities take 4 to 10 % less processor
 * time when all of them are in SQLite's cache (ADR 0008).
 */
const fewReads = 1_024;

/** How many pages of a database SQLite keeps in memory. It fills them as they are used. */
export class PageCache {
  readonly #database: Database;
  /** Undefined in memory, where the pages that SQLite keeps are the data. */
  #bytesMax: number | undefined;
  #readsLeft = fewReads;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The account's share of the memory that all accounts have; set to whole KiB. */
  set bytesMax(bytes: number) {
    this.#bytesMax = bytes;
    this.#apply();
  }

  /** What it may take now. */
  get bytes(): number {
    return -1024 * (this.#database.pragma('cache_size', { simple: true }) as number);
  }

  /** To be called for each time that entities are read. Never throws. */
  noteRead(): void {
    if (this.#readsLeft === 0) return;
    this.#readsLeft--;
    if (this.#readsLeft > 0) return;
    try {
      this.#apply();
    } catch {
      // The database fails, and says so at the next statement.
    }
  }

  #apply(): void {
    if (this.#bytesMax === undefined) return;
    const bytes = this.#readsLeft === 0 ? this.#bytesMax : Math.min(this.#bytesMax, writingBytesMax);
    this.#database.pragma(`cache_size = -${Math.floor(bytes / 1024)}`);
  }
}
