// Makes requests of operations. For each request, it knows what an answer says about the data.

import {
  type AccountState,
  type After,
  type Answer,
  changes,
  onAccount,
  onTable,
  type Row,
  type Rows,
  reads,
  type State,
  type TableState,
  type Tables,
  textOf,
  without,
} from './model.ts';
import type { Operation, Place, RowWrite } from './operations.ts';
import {
  ageCall,
  batchCall,
  controlCall,
  entityPath,
  policyCall,
  policyOf,
  signedGet,
  valuesOf,
  type WireCall,
  writeCall,
} from './wire-calls.ts';

export interface Reply {
  readonly answer: Answer;
  readonly status: number;
  readonly text: string;
  readonly etag?: string;
  /** Whether a fault rule struck the request. */
  readonly isStaged?: boolean;
}

export interface Request {
  readonly account: string | undefined;
  readonly text: string;
  readonly call: WireCall;
  readonly after: (reply: Reply) => After;
  /** Called with the answer to the request. */
  readonly settle?: (reply: Reply) => void;
  /** The ETags that the request wrote into an account. */
  readonly etagsOf?: (reply: Reply) => readonly string[];
}

interface Load {
  readonly account: string;
  readonly id: string;
  readonly tables: Map<string, TableState>;
  /** Whether its content is unknown, because an answer was lost. */
  isDoubtful: boolean;
}

interface Export {
  readonly account: string;
  readonly id: string;
  readonly read: Set<string>;
}

/** An ETag that no row has. */
const otherEtag = `W/"datetime'2001-01-01T00%3A00%3A00.0000000Z'"`;

/** A version of a row that a request has seen: its value and its ETag. */
interface Version {
  readonly value: string;
  readonly etag: string;
}

export class Requests {
  readonly #isCertain: boolean;
  readonly #versions = new Map<string, Version>();
  readonly #loads = new Map<number, Load>();
  readonly #exports = new Map<number, Export>();
  /** The loads and exports that a request in progress uses. */
  readonly #used = new Set<Load | Export | string>();

  /** `isCertain`: if adding rows to a load fails, no row was added. */
  constructor({ isCertain }: { readonly isCertain: boolean }) {
    this.#isCertain = isCertain;
  }

  /** Call this when the server was restarted. */
  forgetProcess(): void {
    this.#loads.clear();
    this.#exports.clear();
    this.#used.clear();
  }

  /** The number of rows in loads in progress, by account. Undefined if it is unknown. */
  get loadedRows(): ReadonlyMap<string, number | undefined> {
    const counts = new Map<string, number | undefined>();
    for (const { account, tables, isDoubtful } of this.#loads.values()) {
      const before = counts.has(account) ? counts.get(account) : 0;
      const rows = [...tables.values()].reduce((sum, table) => sum + Object.keys(table.rows).length, 0);
      counts.set(account, isDoubtful || before === undefined ? undefined : before + rows);
    }
    for (const { account } of this.#exports.values()) counts.set(account, undefined);
    return counts;
  }

  /** The request for an operation. Undefined if there is nothing to request. */
  of(operation: Operation): Request | undefined {
    switch (operation.kind) {
      case 'write':
      case 'batch':
      case 'get':
      case 'query':
        return this.#ofRows(operation);
      case 'createTable':
      case 'deleteTable':
      case 'clearTable':
      case 'listTables':
      case 'emptyAccount':
      case 'setPolicy':
      case 'setAge':
        return ofTables(operation);
      case 'saveSnapshot':
      case 'restoreSnapshot':
      case 'deleteSnapshot':
        return ofSnapshots(operation);
      case 'beginLoad':
      case 'loadTable':
      case 'loadRows':
      case 'finishLoad':
      case 'abandonLoad':
        return this.#ofLoads(operation);
      case 'beginExport':
      case 'readExport':
      case 'endExport':
        return this.#ofExports(operation);
      case 'stageFault':
        return ofEmulator('stage a fault', controlCall('POST', 'faults', operation.fault));
      case 'clearFaults':
        return ofEmulator('clear the faults', controlCall('DELETE', 'faults'));
      case 'turnClock': {
        const { change } = operation;
        const call = change ? controlCall('POST', 'clock', change) : controlCall('DELETE', 'clock');
        return ofEmulator(`clock ${textOf(change ?? {})}`, call);
      }
    }
  }

  #ofRows(operation: Operation & { kind: 'write' | 'batch' | 'get' | 'query' }): Request {
    switch (operation.kind) {
      case 'write':
        return this.#write(operation, operation.write);
      case 'batch':
        return this.#batch(operation, operation.writes);
      case 'get':
        return operation.policy === undefined
          ? this.#get(operation, operation.row)
          : signedRead(operation, operation.row, `p${operation.policy}`);
      case 'query':
        return query(operation, operation.rowKind);
    }
  }

  #write(place: Place, write: RowWrite): Request {
    const seen = this.#conditionOf(place, write);
    return {
      account: place.account,
      text: `${textOfWrite(write)} ${place.account}/${place.table}`,
      call: writeCall(place, write, seen?.etag),
      after: ({ answer }) =>
        changes(
          answer,
          onRows(place, (rows) => written(rows, write, seen)),
        ),
      settle: ({ answer, etag }) => this.#see(place, { row: write.row, value: valuesOf(write).Value, answer, etag }),
      etagsOf: ({ answer, etag }) => (answer === 'done' && etag !== undefined ? [etag] : []),
    };
  }

  #batch(place: Place, writes: readonly RowWrite[]): Request {
    const conditions = writes.map((write) => this.#conditionOf(place, write));
    const calls = writes.map((write, at) => writeCall(place, write, conditions[at]?.etag));
    const effect = onRows(place, (rows) =>
      writes.reduce<Rows | undefined>((found, write, at) => found && written(found, write, conditions[at]), rows),
    );
    return {
      account: place.account,
      text: `batch ${place.account}/${place.table}: ${textOfWrites(writes)}`,
      call: batchCall(place.account, calls),
      after: (reply) => changes(answerOfBatch(reply), effect),
      settle: (reply) => {
        if (answerOfBatch(reply) !== 'done') return;
        for (const [at, write] of writes.entries()) {
          const etag = partsOf(reply)[at];
          this.#see(place, { row: write.row, value: valuesOf(write).Value, answer: 'done', etag });
        }
      },
      etagsOf: (reply) => (answerOfBatch(reply) === 'done' ? partsOf(reply).filter((etag) => etag !== undefined) : []),
    };
  }

  #get(place: Place, row: string): Request {
    return {
      account: place.account,
      text: `get ${row} ${place.account}/${place.table}`,
      call: { account: place.account, method: 'GET', path: entityPath(place.table, row) },
      after: (reply) => reads(reply.answer, (state) => isRow(tableIn(state, place)?.rows[row], reply)),
      settle: ({ answer, etag, text }) => {
        if (answer === 'done') this.#see(place, { row, value: rowOf(JSON.parse(text)).Value, answer, etag });
      },
    };
  }

  #conditionOf(place: Place, { row, isConditional }: RowWrite): Version | undefined {
    if (!isConditional) return undefined;
    return this.#versions.get(nameOf(place, row)) ?? { value: '', etag: otherEtag };
  }

  #see(
    place: Place,
    seen: { readonly row: string; readonly value: string; readonly answer: Answer; readonly etag: string | undefined },
  ): void {
    const { row, value, answer, etag } = seen;
    if (answer === 'done' && etag !== undefined) this.#versions.set(nameOf(place, row), { value, etag });
  }

  #ofLoads(operation: Operation & { kind: `${string}Load` | 'loadTable' | 'loadRows' }): Request | undefined {
    const name = `load ${operation.load}`;
    const load = this.#loads.get(operation.load);
    if (!load) {
      if (this.#used.has(name)) return undefined;
      this.#used.add(name);
      return this.#beginLoad(operation.account, operation.load);
    }
    if (operation.kind === 'beginLoad' || this.#used.has(load)) return undefined;
    this.#used.add(load);
    const request = this.#ofLoad(load, load.isDoubtful ? { ...operation, kind: 'abandonLoad' } : operation);
    return {
      ...request,
      settle: (reply) => {
        this.#used.delete(load);
        load.isDoubtful ||= !this.#isCertain && reply.answer === 'unknown';
        request.settle?.(reply);
      },
    };
  }

  #beginLoad(account: string, at: number): Request {
    return {
      account,
      text: `begin load ${at} ${account}`,
      call: controlCall('POST', 'seed', { account }),
      after: ({ answer }) => changes(answer, unchanged),
      settle: ({ answer, text }) => {
        this.#used.delete(`load ${at}`);
        if (answer !== 'done') return;
        const { load: id } = JSON.parse(text) as { load: string };
        this.#loads.set(at, { account, id, tables: new Map(), isDoubtful: false });
      },
    };
  }

  #ofLoad(
    load: Load,
    operation: Operation & { kind: 'loadTable' | 'loadRows' | 'finishLoad' | 'abandonLoad' },
  ): Request {
    const { account, id, tables } = load;
    const text = `${operation.kind} ${operation.load} ${account}`;
    switch (operation.kind) {
      case 'loadTable': {
        const { table, policy } = operation;
        return {
          account,
          text: `${text}/${table} p${policy}`,
          call: controlCall('PUT', `seed/${id}/tables/${table}`, { signedIdentifiers: [policyOf(`p${policy}`)] }),
          after: ({ answer }) => changes(answer, (state) => (tables.has(table) ? undefined : state)),
          settle: ({ answer }) => {
            if (answer === 'done') tables.set(table, { policy: `p${policy}`, rows: {} });
          },
        };
      }
      case 'loadRows': {
        const { table, rows } = operation;
        const added = Object.fromEntries(rows.map((write) => [write.row, valuesOf(write)]));
        const lines = rows.map((write) => {
          const [PartitionKey, RowKey] = write.row.split('/');
          return JSON.stringify({ PartitionKey, RowKey, ...valuesOf(write) });
        });
        const before = tables.get(table);
        const isTaken = before !== undefined && Object.keys(added).some((row) => row in before.rows);
        return {
          account,
          text: `${text}/${table} ${Object.keys(added)}`,
          call: controlCall('POST', `seed/${id}/tables/${table}`, `${lines.join('\n')}\n`),
          after: ({ answer }) => changes(answer, (state) => (before && !isTaken ? state : undefined)),
          settle: ({ answer, text: refusal }) => {
            if (!before) return;
            if (answer === 'done') tables.set(table, { ...before, rows: { ...before.rows, ...added } });
            // The rows before the duplicate key may have been added.
            if (answer === 'refused' && refusal.includes('DuplicateEntity')) load.isDoubtful = true;
          },
        };
      }
      case 'finishLoad':
      case 'abandonLoad': {
        const isFinish = operation.kind === 'finishLoad';
        const loaded = Object.fromEntries(tables);
        return {
          account,
          text: `${text} ${Object.keys(loaded)}`,
          call: isFinish ? controlCall('POST', `seed/${id}/finish`) : controlCall('DELETE', `seed/${id}`),
          after: ({ answer }) =>
            changes(
              answer,
              isFinish
                ? onAccount(account, (found) => ({ ...found, tables: { ...found.tables, ...loaded } }))
                : unchanged,
            ),
          settle: ({ answer }) => {
            if (!isFinish || answer === 'done') this.#loads.delete(operation.load);
          },
        };
      }
    }
  }

  #ofExports(operation: Operation & { kind: `${string}Export` }): Request | undefined {
    const { place: at } = operation;
    const found = this.#exports.get(at);
    const name = `export ${at}`;
    if (this.#used.has(name)) return undefined;
    if (found && operation.kind === 'beginExport') return undefined;
    this.#used.add(name);
    if (!found || operation.kind === 'beginExport') return this.#beginExport(operation.account, at);
    const { account, id, read } = found;
    if (operation.kind === 'endExport') {
      return {
        account,
        text: `end export ${at}`,
        call: controlCall('DELETE', `export/${id}`),
        after: ({ answer }) => changes(answer, unchanged),
        settle: () => {
          this.#used.delete(name);
          this.#exports.delete(at);
        },
      };
    }
    const { table } = operation;
    return {
      account,
      text: `read export ${at} ${account}/${table}`,
      call: controlCall('GET', `export/${id}/tables/${table}`),
      after: ({ answer, text }) =>
        reads(answer, (state) => {
          const seen = read.has(table) ? undefined : state[account]?.exports[at]?.[table];
          return answer === 'done' ? textOf(seen?.rows) === textOf(rowsOfLines(text)) : seen === undefined;
        }),
      settle: ({ answer }) => {
        this.#used.delete(name);
        if (answer === 'done') read.add(table);
        else if (answer !== 'refused') this.#exports.delete(at);
      },
    };
  }

  #beginExport(account: string, at: number): Request {
    return {
      account,
      text: `begin export ${at} ${account}`,
      call: controlCall('POST', 'export', { account }),
      after: ({ answer, text }) => {
        const listed = answer === 'done' ? policiesOf(text) : '';
        const begun = onAccount(account, (found) =>
          answer === 'done' && listed !== policiesIn(found.tables)
            ? undefined
            : { ...found, exports: { ...found.exports, [at]: found.tables } },
        );
        return answer === 'unknown' ? (state) => [state] : changes(answer, begun);
      },
      settle: ({ answer, text }) => {
        this.#used.delete(`export ${at}`);
        if (answer !== 'done') return;
        const { export: id } = JSON.parse(text) as { export: string };
        this.#exports.set(at, { account, id, read: new Set() });
      },
    };
  }
}

const unchanged = (state: State): State => state;

function ofEmulator(text: string, call: WireCall): Request {
  return { account: undefined, text, call, after: () => (state) => [state] };
}

const nameOf = ({ account, table }: Place, row: string): string => `${account}/${table}/${row}`;

const textOfWrite = ({ verb, row, number, isConditional }: RowWrite): string =>
  `${verb} ${row} v${number}${isConditional ? ' if unchanged' : ''}`;

const textOfWrites = (writes: readonly RowWrite[]): string =>
  writes.length > 10 ? `${writes.length} writes` : writes.map(textOfWrite).join(', ');

const tableIn = (state: State, { account, table }: Place): TableState | undefined => state[account]?.tables[table];

function onRows({ account, table }: Place, change: (rows: Rows) => Rows | undefined) {
  return onTable(account, table, (found) => {
    const rows = change(found.rows);
    return rows && { ...found, rows };
  });
}

/** The rows after a write. Undefined if the write must be refused. */
function written(rows: Rows, write: RowWrite, condition: Version | undefined): Rows | undefined {
  const { verb, row } = write;
  const found = rows[row];
  if (condition && found?.Value !== condition.value) return undefined;
  if (verb === 'insert') return found ? undefined : { ...rows, [row]: valuesOf(write) };
  if (verb === 'delete') return found && without(rows, row);
  return { ...rows, [row]: verb === 'merge' ? { ...found, ...valuesOf(write) } : valuesOf(write) };
}

/** The ETags of the responses inside a batch response. */
function partsOf({ text }: Reply): readonly (string | undefined)[] {
  return text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((part) => /^ETag: (.*)$/im.exec(part)?.[1]?.trim());
}

function answerOfBatch({ answer, text }: Reply): Answer {
  if (answer !== 'done') return answer;
  const status = Number(/HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  return status < 300 ? 'done' : status < 500 ? 'refused' : /ServerBusy/.test(text) ? 'notDone' : 'unknown';
}

export function rowOf({ Value, Kind, Extra }: Row): Row {
  return { Value, Kind, ...(Extra !== undefined && { Extra }) };
}

export type KeyedRow = Row & { readonly PartitionKey: string; readonly RowKey: string };

/** The rows that were found. Throws if a key occurs twice. */
export function rowsOf(found: readonly KeyedRow[]): Rows {
  const rows = Object.fromEntries(found.map((row) => [`${row.PartitionKey}/${row.RowKey}`, rowOf(row)]));
  if (Object.keys(rows).length !== found.length) throw new Error(`a key is there twice: ${JSON.stringify(found)}`);
  return rows;
}

export function rowsOfLines(text: string): Rows {
  const lines = text.split('\n').filter((line) => line !== '');
  return rowsOf(lines.map((line) => JSON.parse(line) as KeyedRow));
}

function isRow(found: Row | undefined, { answer, text }: Reply): boolean {
  if (answer === 'refused') return found === undefined;
  return found !== undefined && textOf(found) === textOf(rowOf(JSON.parse(text) as Row));
}

function signedRead(place: Place, row: string, policy: string): Request {
  return {
    account: place.account,
    text: `get ${row} ${place.account}/${place.table} by ${policy}`,
    call: signedGet(place, row, policy),
    after: (reply) =>
      reads(reply.answer, (state) => {
        const table = tableIn(state, place);
        const isAllowed = table?.policy === policy;
        return reply.status === 403 ? !isAllowed : isAllowed && isRow(table.rows[row], reply);
      }),
  };
}

function query(place: Place, rowKind: number | undefined): Request {
  const filter = rowKind === undefined ? '' : `?$filter=${encodeURIComponent(`Kind eq ${rowKind}`)}`;
  return {
    account: place.account,
    text: `query ${place.account}/${place.table} ${rowKind ?? 'all'}`,
    call: { account: place.account, method: 'GET', path: `/${place.table}()${filter}` },
    after: ({ answer, text }) =>
      reads(answer, (state) => {
        const table = tableIn(state, place);
        if (answer === 'refused') return table === undefined;
        const rows = Object.entries(table?.rows ?? {}).filter(
          ([, { Kind }]) => rowKind === undefined || Kind === rowKind,
        );
        const { value } = JSON.parse(text) as { value: KeyedRow[] };
        return table !== undefined && textOf(Object.fromEntries(rows)) === textOf(rowsOf(value));
      }),
  };
}

type OfTables = Operation & {
  kind: 'createTable' | 'deleteTable' | 'clearTable' | 'listTables' | 'emptyAccount' | 'setPolicy' | 'setAge';
};

function ofTables(operation: OfTables): Request {
  const { account } = operation;
  const request = (text: string, call: WireCall, effect: (state: State) => State | undefined): Request => ({
    account,
    text: `${operation.kind} ${account}${text}`,
    call,
    after: ({ answer }) => changes(answer, effect),
  });
  switch (operation.kind) {
    case 'createTable': {
      const { table } = operation;
      const body = JSON.stringify({ TableName: table });
      const added = { [table]: { policy: '', rows: {} } };
      return request(`/${table}`, { account, method: 'POST', path: '/Tables', body }, (state) =>
        onAccount(account, (found) =>
          table in found.tables ? undefined : { ...found, tables: { ...found.tables, ...added } },
        )(state),
      );
    }
    case 'deleteTable': {
      const { table } = operation;
      return request(
        `/${table}`,
        { account, method: 'DELETE', path: `/Tables('${table}')` },
        onAccount(account, (found) =>
          table in found.tables ? { ...found, tables: without(found.tables, table) } : undefined,
        ),
      );
    }
    case 'clearTable':
      return request(
        `/${operation.table}`,
        controlCall('POST', 'reset', { account, table: operation.table }),
        onTable(account, operation.table, (found) => ({ ...found, rows: {} })),
      );
    case 'emptyAccount':
      return request(
        '',
        controlCall('POST', 'reset', { account }),
        onAccount(account, (found) => ({ ...found, tables: {}, age: 0 })),
      );
    case 'setPolicy': {
      const { table, policy, byService } = operation;
      const id = `p${policy}`;
      const body = { signedIdentifiers: [policyOf(id)] };
      const call = byService
        ? policyCall(operation, id)
        : controlCall('PUT', `policies/${table}?account=${account}`, body);
      return request(
        `/${table} ${id}`,
        call,
        onTable(account, table, (found) => ({ ...found, policy: id })),
      );
    }
    case 'setAge': {
      const { age } = operation;
      return request(
        ` ${age}`,
        ageCall(account, age),
        onAccount(account, (found) => ({ ...found, age })),
      );
    }
    case 'listTables':
      return {
        account,
        text: `list tables ${account}`,
        call: { account, method: 'GET', path: '/Tables' },
        after: ({ answer, text }) =>
          reads(answer, (state) => {
            if (answer === 'refused') return false;
            const { value } = JSON.parse(text) as { value: { TableName: string }[] };
            const names = Object.keys(state[account]?.tables ?? {}).sort();
            return textOf(value.map(({ TableName }) => TableName)) === textOf(names);
          }),
      };
  }
}

function ofSnapshots({ kind, account, table, name, isOfTable }: Operation & { kind: `${string}Snapshot` }): Request {
  const only = isOfTable && kind !== 'deleteSnapshot' ? table : undefined;
  const place = `?account=${account}${only === undefined ? '' : `&table=${only}`}`;
  const calls = {
    saveSnapshot: () => controlCall('PUT', `snapshots/${name}${place}`),
    restoreSnapshot: () => controlCall('POST', `snapshots/${name}/restore${place}`),
    deleteSnapshot: () => controlCall('DELETE', `snapshots/${name}${place}`),
  };
  const effects = {
    saveSnapshot: (found: AccountState) => saved(found, name, only),
    restoreSnapshot: (found: AccountState) => restored(found, name, only),
    deleteSnapshot: (found: AccountState) =>
      name in found.snapshots ? { ...found, snapshots: without(found.snapshots, name) } : undefined,
  };
  return {
    account,
    text: `${kind} ${name} ${place}`,
    call: calls[kind](),
    after: ({ answer }) => changes(answer, onAccount(account, effects[kind])),
  };
}

function saved(found: AccountState, name: string, only: string | undefined): AccountState | undefined {
  if (only === undefined) {
    const { tables, age } = found;
    return { ...found, snapshots: { ...found.snapshots, [name]: { tables, age } } };
  }
  const table = found.tables[only];
  return table && { ...found, snapshots: { ...found.snapshots, [name]: { tables: { [only]: table } } } };
}

function restored(found: AccountState, name: string, only: string | undefined): AccountState | undefined {
  const snapshot = found.snapshots[name];
  if (!snapshot) return undefined;
  const { tables: kept, age } = snapshot;
  if (only === undefined && age !== undefined) return { ...found, tables: kept, age };
  if (only !== undefined && !(only in kept)) return undefined;
  const back = only === undefined ? kept : { [only]: kept[only] as TableState };
  return { ...found, tables: { ...found.tables, ...back } };
}

const policiesIn = (tables: Tables): string =>
  textOf(Object.fromEntries(Object.entries(tables).map(([name, { policy }]) => [name, policy])));

/** The policies in the answer to the beginning of an export. */
function policiesOf(text: string): string {
  const { tables } = JSON.parse(text) as { tables: { name: string; signedIdentifiers: { id: string }[] }[] };
  return textOf(Object.fromEntries(tables.map(({ name, signedIdentifiers: [one] }) => [name, one?.id ?? ''])));
}
