// Operations as data. A seed determines all operations of a history before the first operation is sent. So the history
// can be repeated without some of its operations.

import type { Random } from '../support/random.mjs';

export interface Place {
  readonly account: string;
  readonly table: string;
}

export interface RowWrite {
  readonly verb: 'insert' | 'replace' | 'merge' | 'delete';
  /** The partition and row key, as `p/r`. */
  readonly row: string;
  /** Whether it requires the last version of the row that was seen. */
  readonly isConditional: boolean;
  /** Different for each write. */
  readonly number: number;
  readonly hasExtra: boolean;
}

export type Operation =
  | ({ readonly kind: 'write'; readonly write: RowWrite } & Place)
  | ({ readonly kind: 'batch'; readonly writes: readonly RowWrite[] } & Place)
  | ({
      readonly kind: 'get';
      readonly row: string /** The policy to which the signature refers. */;
      readonly policy?: number;
    } & Place)
  | ({ readonly kind: 'query'; readonly rowKind?: number } & Place)
  | ({ readonly kind: 'createTable' | 'deleteTable' | 'clearTable' } & Place)
  | { readonly kind: 'listTables' | 'emptyAccount'; readonly account: string }
  | ({
      readonly kind: 'saveSnapshot' | 'restoreSnapshot' | 'deleteSnapshot';
      readonly name: string;
      readonly isOfTable: boolean;
    } & Place)
  | ({ readonly kind: 'setPolicy'; readonly policy: number; readonly byService: boolean } & Place)
  | { readonly kind: 'setAge'; readonly account: string; readonly age: number }
  /** An operation on a load or an export that does not exist first begins one for the account. */
  | { readonly kind: 'beginLoad'; readonly account: string; readonly load: number }
  | { readonly kind: 'finishLoad' | 'abandonLoad'; readonly account: string; readonly load: number }
  | ({ readonly kind: 'loadTable'; readonly load: number; readonly policy: number } & Place)
  | ({ readonly kind: 'loadRows'; readonly load: number; readonly rows: readonly RowWrite[] } & Place)
  | { readonly kind: 'beginExport'; readonly account: string; readonly place: number }
  | { readonly kind: 'endExport'; readonly account: string; readonly place: number }
  | ({ readonly kind: 'readExport'; readonly place: number } & Place)
  | { readonly kind: 'stageFault'; readonly fault: object }
  | { readonly kind: 'clearFaults' }
  | { readonly kind: 'turnClock'; readonly change: object | undefined };

const usedAccounts = ['devstoreaccount1', 'fresh1', 'fresh2'];
/** Accounts that only loads can create. */
const loadedAccounts = ['loaded1', 'loaded2', 'loaded3'];
export const accounts = [...usedAccounts, ...loadedAccounts];
export const tables = ['Pets', 'Plants'];
const [firstAccount = ''] = usedAccounts;
const [firstTable = ''] = tables;
const snapshots = ['base', 'other'];
const loadsMax = 3;
const exportsMax = 2;
export const rowKinds = 3;
const rowsOfPartition = 5;
/** The maximum number of rows in a transaction. */
const rowsOfFill = 100;

const dayMs = 86_400_000;

/** How often each kind of operation is chosen. */
const weights: Readonly<Record<Operation['kind'], number>> = {
  write: 30,
  batch: 12,
  get: 8,
  query: 10,
  createTable: 9,
  deleteTable: 4,
  clearTable: 2,
  listTables: 2,
  emptyAccount: 2,
  saveSnapshot: 5,
  restoreSnapshot: 4,
  deleteSnapshot: 3,
  setPolicy: 5,
  setAge: 3,
  beginLoad: 8,
  loadTable: 9,
  loadRows: 8,
  finishLoad: 5,
  abandonLoad: 7,
  beginExport: 2,
  readExport: 6,
  endExport: 2,
  stageFault: 1,
  clearFaults: 2,
  turnClock: 3,
};

export class Operations {
  readonly #random: Random;
  #serial = 0;
  /** The numbers of the latest policies, by table. */
  readonly #policies = new Map<string, readonly number[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Operations that begin at the same time. Often they are on the same row, or loads of one account. */
  together(count: number): readonly Operation[] {
    const first = this.next();
    const operations = [first];
    while (operations.length < count) {
      const rival = this.#random.next() < 0.5 ? this.#rivalOf(first) : undefined;
      operations.push(rival ?? this.next());
    }
    return operations;
  }

  #rivalOf(first: Operation): Operation | undefined {
    if (first.kind === 'write') return { ...first, write: this.#write(first.write.row) };
    if (first.kind === 'beginLoad') return { ...first, load: (first.load + 1) % loadsMax };
    return undefined;
  }

  next(): Operation {
    let draw = this.#random.next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    for (const [kind, weight] of Object.entries(weights)) {
      draw -= weight;
      if (draw < 0) return this.#draw(kind as Operation['kind']);
    }
    return this.#draw('write');
  }

  #draw(kind: Operation['kind']): Operation {
    // Most requests go to one account, and mostly to one table.
    const account = this.#accountFor(kind);
    const table = this.#random.next() < 0.5 ? firstTable : this.#pick(tables);
    const place = { account, table };
    const load = this.#random.integer(0, loadsMax - 1);
    const at = this.#random.integer(0, exportsMax - 1);
    switch (kind) {
      case 'write':
        return { kind, ...place, write: this.#write() };
      case 'batch':
        return {
          kind,
          ...place,
          writes: this.#random.next() < 0.2 ? this.#fill() : this.#writes(this.#random.integer(2, 6)),
        };
      case 'get': {
        const row = this.#row();
        return { kind, ...place, row, ...(this.#random.next() < 0.6 && { policy: this.#recent(place) }) };
      }
      case 'query':
        return { kind, ...place, ...(this.#random.next() < 0.7 && { rowKind: this.#random.integer(0, rowKinds - 1) }) };
      case 'createTable':
      case 'deleteTable':
      case 'clearTable':
        return { kind, ...place };
      case 'listTables':
      case 'emptyAccount':
        return { kind, account };
      case 'saveSnapshot':
      case 'restoreSnapshot':
      case 'deleteSnapshot':
        return { kind, ...place, name: this.#pick(snapshots), isOfTable: this.#random.next() < 0.3 };
      case 'setPolicy':
        return { kind, ...place, policy: this.#policy(place), byService: this.#random.next() < 0.5 };
      case 'setAge':
        return { kind, account, age: ++this.#serial };
      case 'beginLoad':
        return { kind, account, load };
      case 'loadTable':
        return { kind, ...place, load, policy: this.#policy(place) };
      case 'loadRows':
        return { kind, ...place, load, rows: this.#writes(this.#random.integer(1, 4)) };
      case 'finishLoad':
      case 'abandonLoad':
        return { kind, account, load };
      case 'beginExport':
        return { kind, account, place: at };
      case 'readExport':
        return { kind, ...place, place: at };
      case 'endExport':
        return { kind, account, place: at };
      case 'stageFault':
        return { kind, fault: this.#fault() };
      case 'clearFaults':
        return { kind };
      case 'turnClock':
        return { kind, change: this.#clockChange() };
    }
  }

  #accountFor(kind: Operation['kind']): string {
    const draw = this.#random.next();
    if (kind.toLowerCase().includes('load') && draw < 0.6) return this.#pick(loadedAccounts);
    return draw < 0.8 ? firstAccount : this.#pick(usedAccounts);
  }

  #write(row = this.#row()): RowWrite {
    const verb = this.#pick(['insert', 'replace', 'replace', 'merge', 'merge', 'delete'] as const);
    const isConditional = verb !== 'insert' && this.#random.next() < 0.4;
    return { verb, row, isConditional, number: ++this.#serial, hasExtra: this.#random.next() < 0.5 };
  }

  /** Writes in one partition. Each is for a different row. */
  #writes(count: number): readonly RowWrite[] {
    const [partition = ''] = this.#row().split('/');
    const rows = Array.from({ length: rowsOfPartition }, (_, at) => `${partition}/r${at}`);
    return Array.from({ length: Math.min(count, rowsOfPartition) }, () =>
      this.#write(rows.splice(this.#random.integer(0, rows.length - 1), 1)[0]),
    );
  }

  /** Writes many rows: a large table is cached, copied and reclaimed in several steps. */
  #fill(): readonly RowWrite[] {
    return Array.from({ length: rowsOfFill }, (_, at) => ({
      ...this.#write(`p0/r${rowsOfPartition + at}`),
      verb: 'replace',
      isConditional: false,
    }));
  }

  #row(): string {
    if (this.#random.next() < 0.1) return `p0/r${this.#random.integer(0, rowsOfPartition + rowsOfFill - 1)}`;
    return `p${this.#random.integer(0, 1)}/r${this.#random.integer(0, rowsOfPartition - 1)}`;
  }

  #policy({ account, table }: Place): number {
    const policy = ++this.#serial;
    const name = `${account}/${table}`;
    this.#policies.set(name, [policy, ...(this.#policies.get(name) ?? [])].slice(0, 2));
    return policy;
  }

  /** The id of one of the table's last policies, or 0, which is not the id of any policy. */
  #recent({ account, table }: Place): number {
    return this.#pick(this.#policies.get(`${account}/${table}`) ?? [0]);
  }

  #fault(): object {
    const fault = this.#pick([
      { kind: 'error', code: 'ServerBusy' },
      { kind: 'timeout', at: 'afterCommit' },
      { kind: 'timeout', at: 'beforeCommit' },
      { kind: 'delay', ms: 40 },
      { kind: 'reset', at: 'afterCommit' },
    ]);
    return { fault, when: { every: this.#random.integer(1, 3) }, times: this.#random.integer(1, 4) };
  }

  #clockChange(): object | undefined {
    return this.#pick([
      undefined,
      { freeze: true },
      { freeze: false },
      { advanceMs: this.#random.integer(1, 100_000) },
      { now: new Date(startMs + this.#random.integer(-dayMs, dayMs)).toISOString() },
    ]);
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#random.integer(0, values.length - 1)] as T;
  }
}

/** The date when the first process starts. */
export const startMs = Date.UTC(2026, 0, 1);
