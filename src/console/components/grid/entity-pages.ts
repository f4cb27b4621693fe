// The entities of a query. The browser tab keeps only some of the pages in memory. A page can be read only with the
// continuation token of the page before it, so the tab keeps the token at which each page begins. When rows of a page
// that is not in memory come into view, the page is read again.

import { signal } from '@preact/signals';
import type { Continuation } from '../../../data/table-client.ts';
import { firstIndex } from '../../../model/first-index.ts';
import type { ShownEntityPage } from '../../client/data-plane.ts';
import type { EdmType, ShownEntity } from '../../client/edm.ts';

/** Reads the page that begins at a token. Without a token, reads the first page. */
export type ReadPage = (next: Continuation | undefined, abort: AbortSignal) => Promise<ShownEntityPage>;

export interface PropertyColumn {
  readonly name: string;
  /** All types found so far. */
  readonly types: ReadonlySet<EdmType>;
}

interface Page {
  readonly start: Continuation | undefined;
  /** Number of its first row. */
  first: number;
  count: number;
  /** Undefined while the page is not in memory. */
  entities: readonly ShownEntity[] | undefined;
}

/** Maximum number of pages in memory. Each has at most a thousand entities, or 4 MiB. */
const pagesMax = 12;
/** Maximum number of rows in the grid, because browsers limit the height of what scrolls. */
export const gridRowsMax = 1_000_000;
/** After this many empty pages in succession, reading pauses until the user continues. */
const emptyPagesMax = 20;

export interface PagesState {
  readonly rows: number;
  /** Whether the service has no further entities. */
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  /** Whether reading paused after a number of empty pages. */
  readonly isPaused: boolean;
  /** Requests so far. */
  readonly pagesRead: number;
  readonly fault: unknown;
  readonly columns: readonly PropertyColumn[];
}

const initial: PagesState = {
  rows: 0,
  isComplete: false,
  isLoading: false,
  isPaused: false,
  pagesRead: 0,
  fault: undefined,
  columns: [],
};

export class EntityPages {
  /** Changes whenever rows change. */
  readonly state = signal(initial);
  readonly #read: ReadPage;
  readonly #abort = new AbortController();
  readonly #columns = new Map<string, ReadonlySet<EdmType>>();
  #pages: Page[] = [];
  /** Where the page after the last one begins; null after the end. */
  #next: Continuation | undefined | null;
  #emptyPages = 0;
  /** Rows that are in view. */
  #view = { first: 0, last: 0 };
  #isLoading = false;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  /** The row at an index; undefined while its page is not in memory. */
  row(index: number): ShownEntity | undefined {
    const page = this.#pageAt(index);
    return page?.entities?.[index - page.first];
  }

  /** Rows of the pages in memory, with their numbers. */
  *loaded(): Generator<readonly [number, ShownEntity]> {
    for (const { first, entities = [] } of this.#pages) {
      for (const [at, entity] of entities.entries()) yield [first + at, entity];
    }
  }

  /** Sets which rows are in view. Reads those that are missing, and some rows ahead. */
  show(first: number, last: number): void {
    this.#view = { first, last };
    void this.#load();
  }

  /** Continues reading after a pause or a fault. */
  resume(): void {
    this.#emptyPages = 0;
    this.#change({ isPaused: false, fault: undefined });
    void this.#load();
  }

  /** Shows an entity that was just written in its row. */
  replace(index: number, entity: ShownEntity): void {
    const page = this.#pageAt(index);
    if (!page?.entities) return;
    page.entities = page.entities.with(index - page.first, entity);
    this.#recordColumns([entity]);
    this.#change({});
  }

  /** Removes deleted entities. */
  remove(isGone: (entity: ShownEntity) => boolean): void {
    let first = 0;
    for (const page of this.#pages) {
      page.first = first;
      if (page.entities) {
        page.entities = page.entities.filter((entity) => !isGone(entity));
        page.count = page.entities.length;
      }
      first += page.count;
    }
    this.#change({ rows: first });
    void this.#load();
  }

  close(): void {
    this.#abort.abort();
  }

  #pageAt(index: number): Page | undefined {
    const pages = this.#pages;
    const page = pages[firstIndex(pages.length, (at) => (pages[at] as Page).first > index) - 1];
    return page && index >= page.first && index < page.first + page.count ? page : undefined;
  }

  /** Reads one page at a time, pages in view first, until no row is missing in view or shortly after it. */
  async #load(): Promise<void> {
    if (this.#isLoading || this.#abort.signal.aborted) return;
    this.#isLoading = true;
    try {
      for (let work = this.#nextWork(); work; work = this.#nextWork()) {
        this.#change({ isLoading: true });
        await work();
      }
      this.#change({ isLoading: false });
    } catch (fault) {
      if (!this.#abort.signal.aborted) this.#change({ isLoading: false, fault });
    } finally {
      this.#isLoading = false;
    }
  }

  #nextWork(): (() => Promise<void>) | undefined {
    const { isPaused, fault, rows } = this.state.peek();
    if (isPaused || fault !== undefined || this.#abort.signal.aborted) return undefined;
    const missing = this.#pages.find((page) => page.entities === undefined && this.#isInView(page));
    if (missing) return () => this.#readAgain(missing);
    // Pages are read up to two screens ahead of the view.
    const ahead = this.#view.last + 2 * (this.#view.last - this.#view.first) + 1;
    if (this.#next === null || rows > ahead || rows >= gridRowsMax) return undefined;
    return () => this.#readNext();
  }

  #isInView({ first, count }: Page): boolean {
    return first <= this.#view.last && first + count > this.#view.first;
  }

  async #readNext(): Promise<void> {
    const start = this.#next ?? undefined;
    const { entities, next } = await this.#read(start, this.#abort.signal);
    const { rows, pagesRead } = this.state.peek();
    this.#recordColumns(entities);
    this.#next = next ?? null;
    this.#emptyPages = entities.length === 0 ? this.#emptyPages + 1 : 0;
    if (entities.length > 0) this.#pages.push({ start, first: rows, count: entities.length, entities });
    this.#forgetFarPages();
    this.#change({
      rows: rows + entities.length,
      isComplete: next === undefined,
      isPaused: next !== undefined && this.#emptyPages >= emptyPagesMax,
      pagesRead: pagesRead + 1,
    });
  }

  /**
   * Reads a page again after it was dropped from memory. If another program has changed the page in the meantime, the
   * rows after the page are no longer known.
   */
  async #readAgain(page: Page): Promise<void> {
    const { entities, next } = await this.#read(page.start, this.#abort.signal);
    const at = this.#pages.indexOf(page);
    const following = at + 1 < this.#pages.length ? this.#pages[at + 1]?.start : this.#next;
    this.#recordColumns(entities);
    page.entities = entities;
    if (entities.length !== page.count || !isSameToken(next ?? null, following ?? null)) {
      page.count = entities.length;
      this.#pages = this.#pages.slice(0, at + 1);
      this.#next = next ?? null;
    }
    this.#forgetFarPages();
    this.#change({
      rows: this.#pages.reduce((sum, { count }) => sum + count, 0),
      isComplete: this.#next === null,
      pagesRead: this.state.peek().pagesRead + 1,
    });
  }

  #forgetFarPages(): void {
    const middle = (this.#view.first + this.#view.last) / 2;
    const distance = ({ first, count }: Page): number => Math.abs(first + count / 2 - middle);
    const inMemory = this.#pages.filter(({ entities }) => entities !== undefined);
    const far = inMemory.sort((one, other) => distance(one) - distance(other)).slice(pagesMax);
    for (const page of far) page.entities = undefined;
  }

  #recordColumns(entities: readonly ShownEntity[]): void {
    let isNew = false;
    for (const { properties } of entities) {
      for (const [name, { type }] of properties) {
        const types = this.#columns.get(name) ?? new Set<EdmType>();
        if (types.has(type)) continue;
        this.#columns.set(name, new Set([...types, type]));
        isNew = true;
      }
    }
    if (isNew) this.#change({ columns: [...this.#columns].map(([name, types]) => ({ name, types })) });
  }

  #change(change: Partial<PagesState>): void {
    this.state.value = { ...this.state.peek(), ...change };
  }
}

function isSameToken(one: Continuation | null, other: Continuation | null): boolean {
  return one?.NextPartitionKey === other?.NextPartitionKey && one?.NextRowKey === other?.NextRowKey;
}
