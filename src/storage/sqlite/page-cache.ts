import type { Database } from 'better-sqlite3';

/** What is beyond this comes from the system's own cache, which costs writes nothing that can be measured (ADR 0008). */
const writingBytesMax = 6 * 1_048_576;
/** After so many turns with reads, an account keeps more pages: they are read from there with 5 to 10 % less processor time. */
const readingTurns = 256;

/** How many pages of a database SQLite keeps in memory. It fills them as they are used. */
export class PageCache {
  readonly #database: Database;
  /** Undefined in memory, where the pages that SQLite keeps are the data. */
  #bytesMax: number | undefined;
  #turnsLeft = readingTurns;

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

  /** To be called for each turn of the event loop in which the account is read. */
  noteRead(): void {
    if (this.#turnsLeft === 0) return;
    this.#turnsLeft--;
    if (this.#turnsLeft === 0) this.#apply();
  }

  #apply(): void {
    if (this.#bytesMax === undefined) return;
    const bytes = this.#turnsLeft === 0 ? this.#bytesMax : Math.min(this.#bytesMax, writingBytesMax);
    this.#database.pragma(`cache_size = -${Math.floor(bytes / 1024)}`);
  }
}
