// The requests of an attack, each with what it does to a state of the model.

import type { Random } from '../support/random.mjs';
import type { AccountState, State, TableState } from './attack-model.ts';
import type { AttackedServer, Reply } from './attack-server.ts';

export interface Request {
  readonly account: string;
  readonly text: string;
  readonly send: (server: AttackedServer) => Promise<Reply>;
  readonly effect: (state: State) => State | undefined;
  /** Runs with the answer. */
  readonly settle?: (reply: Reply) => void;
}

export const accounts = ['devstoreaccount1', 'fresh1', 'fresh2'];
const tables = ['Pets', 'Plants'];
const snapshots = ['base', 'other'];
const loadsMax = 4;

interface Load {
  readonly account: string;
  readonly id: string;
  readonly tables: Map<string, TableState>;
  /** Whether nobody knows what it has. */
  isDoubtful: boolean;
}

/** Draws requests. No two write the same value, so that a value says where it is from. */
export class Requests {
  readonly #random: Random;
  readonly #isCertain: boolean;
  readonly #loads = new Set<Load>();
  /** Loads that a request in progress uses. */
  readonly #used = new Set<Load>();
  #serial = 0;

  /** `isCertain`: an addition to a load that fails did not happen. */
  constructor(random: Random, { isCertain }: { readonly isCertain: boolean }) {
    this.#random = random;
    this.#isCertain = isCertain;
  }

  /** The server was started again. */
  forgetLoads(): void {
    this.#loads.clear();
    this.#used.clear();
  }

  next(): Request {
    if (this.#random.next() < 0.45) return this.#loadRequest();
    const account = this.#pick(accounts);
    const table = this.#pick(tables);
    const kinds = [
      this.#writeRequest,
      this.#writeRequest,
      this.#tableRequest,
      this.#snapshotRequest,
      this.#settingRequest,
    ];
    return this.#pick(kinds).call(this, account, table);
  }

  #writeRequest(account: string, table: string): Request {
    const [row, value] = [`r${this.#random.integer(0, 4)}`, this.#value()];
    const path = `/${table}(PartitionKey='p',RowKey='${row}')`;
    const isDeletion = this.#random.next() < 0.2;
    return {
      account,
      text: `${isDeletion ? 'delete' : 'put'} ${account}/${table}/${row} ${value}`,
      send: (server) =>
        isDeletion
          ? server.send(account, { method: 'DELETE', path, headers: { 'If-Match': '*' } })
          : server.send(account, { method: 'PUT', path, body: JSON.stringify({ Value: value }) }),
      effect: onTable(account, table, (found) => {
        if (!isDeletion) return { ...found, rows: { ...found.rows, [row]: value } };
        if (!(row in found.rows)) return undefined;
        return { ...found, rows: without(found.rows, row) };
      }),
    };
  }

  #tableRequest(account: string, table: string): Request {
    const kind = this.#pick(['create', 'create', 'delete', 'clear', 'reset'] as const);
    const effects = {
      create: onAccount(account, (found) =>
        table in found.tables
          ? undefined
          : { ...found, tables: { ...found.tables, [table]: { policy: '', rows: {} } } },
      ),
      delete: onAccount(account, (found) =>
        table in found.tables ? { ...found, tables: without(found.tables, table) } : undefined,
      ),
      clear: onTable(account, table, (found) => ({ ...found, rows: {} })),
      reset: onAccount(account, (found) => ({ ...found, tables: {}, age: 0 })),
    };
    const sends = {
      create: (server: AttackedServer) =>
        server.send(account, { method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: table }) }),
      delete: (server: AttackedServer) => server.send(account, { method: 'DELETE', path: `/Tables('${table}')` }),
      clear: (server: AttackedServer) => server.control('POST', 'reset', { account, table }),
      reset: (server: AttackedServer) => server.control('POST', 'reset', { account }),
    };
    return { account, text: `${kind} ${account}/${table}`, send: sends[kind], effect: effects[kind] };
  }

  #snapshotRequest(account: string, table: string): Request {
    const name = this.#pick(snapshots);
    const only = this.#random.next() < 0.3 ? table : undefined;
    const query = `?account=${account}${only === undefined ? '' : `&table=${only}`}`;
    const kind = this.#pick(['save', 'save', 'restore', 'restore', 'delete'] as const);
    const text = `${kind} ${name} ${query}`;
    if (kind === 'save') {
      const effect = onAccount(account, (found) => {
        if (only !== undefined && !(only in found.tables)) return undefined;
        const saved =
          only === undefined
            ? { tables: found.tables, age: found.age }
            : { tables: { [only]: found.tables[only] as TableState } };
        return { ...found, snapshots: { ...found.snapshots, [name]: saved } };
      });
      return { account, text, effect, send: (server) => server.control('PUT', `snapshots/${name}${query}`) };
    }
    if (kind === 'restore') {
      const effect = onAccount(account, (found) => restored(found, name, only));
      return { account, text, effect, send: (server) => server.control('POST', `snapshots/${name}/restore${query}`) };
    }
    const effect = onAccount(account, (found) =>
      name in found.snapshots ? { ...found, snapshots: without(found.snapshots, name) } : undefined,
    );
    return {
      account,
      text,
      effect,
      send: (server) => server.control('DELETE', `snapshots/${name}?account=${account}`),
    };
  }

  #settingRequest(account: string, table: string): Request {
    const age = ++this.#serial;
    if (this.#random.next() < 0.5) {
      const effect = onAccount(account, (found) => ({ ...found, age }));
      return { account, text: `age ${account} ${age}`, effect, send: (server) => server.setAge(account, age) };
    }
    const body = { signedIdentifiers: [{ id: `p${age}` }] };
    return {
      account,
      text: `policy ${account}/${table} p${age}`,
      effect: onTable(account, table, (found) => ({ ...found, policy: `p${age}` })),
      send: (server) => server.control('PUT', `policies/${table}?account=${account}`, body),
    };
  }

  #loadRequest(): Request {
    const free = [...this.#loads].filter((load) => !this.#used.has(load));
    if (free.length === 0 || (this.#loads.size < loadsMax && this.#random.next() < 0.2)) return this.#begin();
    const load = this.#pick(free);
    this.#used.add(load);
    const draw = this.#random.next();
    const request = load.isDoubtful
      ? this.#end(load, 'abandon')
      : draw < 0.35 || load.tables.size === 0
        ? this.#addTable(load)
        : draw < 0.7
          ? this.#addEntity(load)
          : this.#end(load, draw < 0.88 ? 'finish' : 'abandon');
    return {
      ...request,
      settle: (reply) => {
        this.#used.delete(load);
        load.isDoubtful ||= !this.#isCertain && reply.answer === 'unknown';
        request.settle?.(reply);
      },
    };
  }

  #begin(): Request {
    const account = this.#pick(accounts);
    return {
      account,
      text: `begin ${account}`,
      effect: unchanged,
      send: (server) => server.control('POST', 'seed', { account }),
      settle: ({ answer, text }) => {
        if (answer !== 'done') return;
        this.#loads.add({
          account,
          id: (JSON.parse(text) as { load: string }).load,
          tables: new Map(),
          isDoubtful: false,
        });
      },
    };
  }

  #addTable(load: Load): Request {
    const table = this.#pick(tables);
    const policy = `p${++this.#serial}`;
    return {
      account: load.account,
      text: `load ${load.account}/${table} ${policy}`,
      effect: (state) => (load.tables.has(table) ? undefined : state),
      send: (server) =>
        server.control('PUT', `seed/${load.id}/tables/${table}`, { signedIdentifiers: [{ id: policy }] }),
      settle: ({ answer }) => {
        if (answer === 'done') load.tables.set(table, { policy, rows: {} });
      },
    };
  }

  #addEntity(load: Load): Request {
    const table = this.#pick(tables);
    const [row, value] = [`r${this.#random.integer(0, 4)}`, this.#value()];
    const line = JSON.stringify({ PartitionKey: 'p', RowKey: row, Value: value });
    return {
      account: load.account,
      text: `load ${load.account}/${table}/${row} ${value}`,
      effect: (state) => {
        const loaded = load.tables.get(table);
        return !loaded || row in loaded.rows ? undefined : state;
      },
      send: (server) => server.control('POST', `seed/${load.id}/tables/${table}`, `${line}\n`),
      settle: ({ answer }) => {
        const loaded = load.tables.get(table);
        if (answer === 'done' && loaded) load.tables.set(table, { ...loaded, rows: { ...loaded.rows, [row]: value } });
      },
    };
  }

  #end(load: Load, kind: 'finish' | 'abandon'): Request {
    const loaded = Object.fromEntries(load.tables);
    return {
      account: load.account,
      text: `${kind} ${load.account} ${Object.keys(loaded)}`,
      effect:
        kind === 'abandon'
          ? unchanged
          : onAccount(load.account, (found) => ({ ...found, tables: { ...found.tables, ...loaded } })),
      send: (server) =>
        kind === 'finish'
          ? server.control('POST', `seed/${load.id}/finish`)
          : server.control('DELETE', `seed/${load.id}`),
      settle: ({ answer }) => {
        if (kind === 'abandon' || answer === 'done') this.#loads.delete(load);
      },
    };
  }

  #value(): string {
    return `v${++this.#serial}`;
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#random.integer(0, values.length - 1)] as T;
  }
}

const unchanged = (state: State): State => state;

function restored(found: AccountState, name: string, only: string | undefined): AccountState | undefined {
  const saved = found.snapshots[name];
  if (!saved) return undefined;
  const { tables: kept, age } = saved;
  if (only === undefined && age !== undefined) return { ...found, tables: kept, age };
  if (only !== undefined && !(only in kept)) return undefined;
  const back = only === undefined ? kept : { [only]: kept[only] as TableState };
  return { ...found, tables: { ...found.tables, ...back } };
}

function onAccount(name: string, change: (found: AccountState) => AccountState | undefined) {
  return (state: State): State | undefined => {
    const changed = change(state[name] as AccountState);
    return changed && { ...state, [name]: changed };
  };
}

function onTable(account: string, table: string, change: (found: TableState) => TableState | undefined) {
  return onAccount(account, (found) => {
    const changed = found.tables[table] && change(found.tables[table]);
    return changed && { ...found, tables: { ...found.tables, [table]: changed } };
  });
}

function without<T>(values: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
}
