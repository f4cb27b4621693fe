// One client of the checker. It sends one request at a time, chooses the node for each request, and records the
// response.
import { momentOf } from '../crash/ledger.mjs';
import * as operations from './operations.mjs';

export const layout = {
  table: 'Cluster',
  registers: Array.from({ length: 6 }, (_, at) => ({ partition: `part${at % 2}`, row: `row${at}` })),
  bank: 'bank',
  savers: Array.from({ length: 5 }, (_, at) => `saver${at}`),
  balance: 100,
  tables: ['Fleeting0', 'Fleeting1'],
};

/** Error codes of requests that changed nothing, and the outcome that is recorded for a register. */
const outcomes = {
  EntityAlreadyExists: 'exists',
  TableAlreadyExists: 'exists',
  UpdateConditionNotSatisfied: 'stale',
  ResourceNotFound: 'missing',
  TableNotFound: 'noTable',
};

export const savings = (row) => `${layout.bank}/${row}`;
export const registerOf = ({ partition, row }) => `${partition}/${row}`;
export const pathOf = (table, partition, row) => `${table}(PartitionKey='${partition}',RowKey='${row}')`;

export class Client {
  #name;
  #random;
  #history;
  #nodes;
  #serial = 0;

  /** `nodes()` returns a TableClient for each node, whether it is running or not. */
  constructor({ name, random, history, nodes }) {
    this.#name = name;
    this.#random = random;
    this.#history = history;
    this.#nodes = nodes;
  }

  async run(isStopped) {
    while (!isStopped()) {
      const share = this.#random.next();
      if (share < 0.5) await this.#useRegister();
      else if (share < 0.75) await this.#transfer();
      else if (share < 0.85) await this.checkSum();
      else await this.#useTable();
    }
  }

  #id() {
    return `${this.#name}-${++this.#serial}`;
  }

  /** Reads an entity, and then often writes it with the ETag that the read found. */
  async #useRegister() {
    const random = this.#random;
    const place = random.pick(layout.registers);
    const found = await this.readEntity(registerOf(place), pathOf(layout.table, place.partition, place.row));
    const share = random.next();
    if (found === undefined || share < 0.2) return;
    if (found === null || share < 0.25) await this.#insert(place);
    else if (share < 0.85) await this.#replace(place, found);
    else await this.#delete(place, found);
  }

  /** Returns `{ id, etag, body }`, null if there is no entity, or undefined if the response does not say. */
  async readEntity(register, path) {
    const { outcome, times, answer } = await this.#ask({ method: 'GET', path });
    if (outcome === 'missing') {
      this.#history.note(register, operations.read(null), times);
      return null;
    }
    if (outcome !== 'done') return undefined;
    const body = JSON.parse(answer.text);
    this.#history.note(register, operations.read(body.Id), times);
    return { id: body.Id, etag: answer.headers.etag, body };
  }

  async #insert({ partition, row }) {
    const id = this.#id();
    const body = { PartitionKey: partition, RowKey: row, Id: id, Count: 0 };
    const { outcome, times } = await this.#ask({ method: 'POST', path: layout.table, body }, ['exists']);
    this.#noteWrite(`${partition}/${row}`, { outcome, times, effect: (known) => operations.insert(id, known) });
  }

  async #replace({ partition, row }, found) {
    const id = this.#id();
    const request = {
      method: 'PUT',
      path: pathOf(layout.table, partition, row),
      body: { Id: id, Count: found.body.Count + 1 },
      ifMatch: found.etag,
    };
    const { outcome, times, answer } = await this.#ask(request, ['stale', 'missing']);
    const effect = (known) => operations.replace(found.id, id, known);
    this.#noteWrite(`${partition}/${row}`, { outcome, times, effect });
    if (outcome === 'done') this.#compareMoments(request.path, found.etag, answer.headers.etag);
  }

  async #delete({ partition, row }, found) {
    const request = { method: 'DELETE', path: pathOf(layout.table, partition, row), ifMatch: found.etag };
    const { outcome, times } = await this.#ask(request, ['stale', 'missing']);
    const effect = (known) => operations.remove(found.id, known);
    this.#noteWrite(`${partition}/${row}`, { outcome, times, effect });
  }

  #compareMoments(path, before, after) {
    if (momentOf(after) > momentOf(before)) return;
    this.#history.violations.push(`${path}: the ETag ${after} is not after ${before}, which it replaced`);
  }

  /** Moves an amount from one entity to another in one transaction. */
  async #transfer() {
    const random = this.#random;
    const from = random.pick(layout.savers);
    const to = random.pick(layout.savers.filter((saver) => saver !== from));
    const sides = [];
    for (const row of [from, to]) {
      const found = await this.readEntity(savings(row), pathOf(layout.table, layout.bank, row));
      if (found === null) this.#history.violations.push(`${savings(row)} is gone`);
      if (!found) return;
      sides.push({ row, found, id: this.#id() });
    }
    const amount = random.integer(1, 20);
    const calls = sides.map(({ row, found, id }, at) => ({
      method: 'PUT',
      path: pathOf(layout.table, layout.bank, row),
      body: { Id: id, Balance: found.body.Balance + (at === 0 ? -amount : amount) },
      ifMatch: found.etag,
    }));
    const { outcome, times, failedAt } = await this.#ask(calls, ['stale']);
    for (const [at, { row, found, id }] of sides.entries()) {
      // The refusal of a transaction says something only about the entity that it names.
      if (outcome === 'stale' && at !== failedAt) continue;
      this.#noteWrite(savings(row), { outcome, times, effect: (known) => operations.replace(found.id, id, known) });
    }
  }

  /** Checks that the balances on every page of the partition add up to the complete sum. */
  async checkSum() {
    const query = `?$filter=${encodeURIComponent(`PartitionKey eq '${layout.bank}'`)}`;
    const { outcome, times, answer } = await this.#ask({ method: 'GET', path: `${layout.table}()`, query });
    if (outcome !== 'done') return;
    const entities = JSON.parse(answer.text).value;
    const sum = entities.reduce((total, { Balance }) => total + Balance, 0);
    if (sum !== layout.balance * layout.savers.length || entities.length !== layout.savers.length) {
      this.#history.violations.push(`a page has ${entities.length} savers with a sum of ${sum}: ${answer.text}`);
    }
    for (const { RowKey, Id } of entities) this.#history.note(savings(RowKey), operations.read(Id), times);
  }

  /** Creates, fills, reads and deletes a table that other clients use too. */
  async #useTable() {
    const table = this.#random.pick(layout.tables);
    const act = this.#random.pick(['create', 'fill', 'fill', 'read', 'read', 'delete']);
    if (act === 'read') return this.readTable(table);
    if (act === 'create') {
      const { outcome, times } = await this.#ask({ method: 'POST', path: 'Tables', body: { TableName: table } }, [
        'exists',
      ]);
      return this.#noteWrite(table, { outcome, times, effect: operations.createTable });
    }
    if (act === 'delete') {
      const { outcome, times } = await this.#ask({ method: 'DELETE', path: `Tables('${table}')` }, ['missing']);
      return this.#noteWrite(table, { outcome, times, effect: operations.deleteTable });
    }
    const id = this.#id();
    const body = { PartitionKey: 'p', RowKey: 'r', Id: id };
    const { outcome, times } = await this.#ask({ method: 'POST', path: table, body }, ['exists', 'noTable']);
    const effect = (known) => operations.insertInto(id, known === 'noTable' ? 'missing' : known);
    this.#noteWrite(table, { outcome, times, effect });
  }

  async readTable(table) {
    const { outcome, times, answer } = await this.#ask({ method: 'GET', path: pathOf(table, 'p', 'r') });
    const state = { done: () => JSON.parse(answer.text).Id, missing: () => '', noTable: () => null }[outcome];
    if (state) this.#history.note(table, operations.read(state()), times);
  }

  #noteWrite(register, { outcome, times, effect }) {
    if (outcome === 'refused') return;
    const { calledAt, returnedAt } = times;
    this.#history.note(register, effect(outcome), outcome === 'unknown' ? { calledAt } : { calledAt, returnedAt });
  }

  /**
   * Sends a request, or several requests as a transaction. The outcome of a write must be `done`, `unknown`, `refused`,
   * or a member of `expected`. Any other outcome of a write is a violation. For a read, `expected` is undefined, and
   * every outcome is allowed.
   */
  async #ask(request, expected) {
    const client = this.#random.pick(this.#nodes());
    const calledAt = performance.now();
    const [answer, error] = await settle(
      Array.isArray(request) ? client.sendTransaction(request) : client.send(request),
    );
    const times = { calledAt, returnedAt: performance.now() };
    const told = error === undefined ? outcomeOf(answer) : outcomeOfFailure(error);
    const isRead = expected === undefined;
    const isKnown = told.outcome !== 'unknown' && told.outcome !== 'refused';
    if (isKnown && told.outcome !== 'done' && !(isRead || expected.includes(told.outcome))) {
      this.#history.violations.push(`${JSON.stringify(request)} was answered ${answer.status}: ${answer.text}`);
    }
    this.#history[isKnown ? 'answered' : told.outcome]++;
    return { ...told, times, answer };
  }
}

async function settle(promise) {
  try {
    return [await promise, undefined];
  } catch (error) {
    return [undefined, error];
  }
}

/** If there was no connection, the request was not sent. */
function outcomeOfFailure({ code }) {
  const isUnsent = code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
  return { outcome: isUnsent ? 'refused' : 'unknown' };
}

/** The error of a transaction is the error of its only refused part. */
function outcomeOf({ status, text, parts }) {
  const worst = Math.max(status, ...(parts ?? []).map((part) => part.status));
  if (worst === 503) return { outcome: 'refused' };
  if (worst >= 500) return { outcome: 'unknown' };
  if (worst < 300) return { outcome: 'done' };
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
  return { outcome: outcomes[code] ?? code, failedAt: parts?.[0]?.index };
}
