// One writer. It sends random inserts, replaces, merges, upserts and deletes, one request at a time. A request is a
// single write or a transaction. No other writer touches the keys of this writer. The writer compares each response
// with the expected response.
import { faultOfAnswer, planTransaction } from './transaction.mjs';

const kinds = ['insert', 'replace', 'merge', 'insertOrReplace', 'insertOrMerge', 'insertOrMerge', 'delete'];
const conditions = ['any', 'current', 'current', 'stale'];
const staleEtag = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`;
const texts = ['', 'plain', "it's", 'Grüße 漢字 😀', '\u2028"\\'];
const fillerCharsMax = 6000;
const transactionShare = 0.4;
const changesMax = 100;

export class Writer {
  #name;
  #keys;
  #table;
  #random;
  #ledger;
  #serial = 0;

  constructor({ name, keys, table, random, ledger }) {
    this.#name = name;
    this.#keys = keys;
    this.#table = table;
    this.#random = random;
    this.#ledger = ledger;
  }

  /** Writes until the server ends or `isStopped` returns true. */
  async run(client, isStopped) {
    while (!isStopped()) {
      const isTransaction = this.#random.next() < transactionShare;
      const { results, send, check } = isTransaction ? this.#transaction(client) : this.#singleWrite(client);
      this.#ledger.begin(results);
      let answer;
      try {
        answer = await send();
      } catch {
        return;
      }
      const { fault, etags } = check(answer);
      if (fault) {
        const [key] = results.keys();
        this.#ledger.violations.push(`${key}: ${fault}`);
        return;
      }
      this.#ledger.settle(results, new Map(etags));
    }
  }

  #singleWrite(client) {
    const { key, request, status, result } = this.#plan(this.#pickRow());
    return {
      results: new Map([[key, result]]),
      send: () => client.send(request),
      check(answer) {
        const { etag } = answer.headers;
        if (answer.status === status) return { etags: etag === undefined ? [] : [[key, etag]] };
        return { fault: `${request.method} was answered ${answer.status}, not ${status}` };
      },
    };
  }

  #transaction(client) {
    const rows = this.#pickRows();
    const plan = planTransaction({ rows, random: this.#random, planWrite: (row) => this.#plan(row) });
    const { writes, failedAt } = plan;
    const isRefused = failedAt !== undefined;
    return {
      results: new Map(writes.map(({ key, result }) => [key, isRefused ? this.#ledger.stateOf(key) : result])),
      send: () => client.sendTransaction(writes.map(({ request }) => request)),
      check(answer) {
        const fault = faultOfAnswer(plan, answer);
        if (fault || isRefused) return { fault, etags: [] };
        const etags = writes.map(({ key }, index) => [key, answer.parts[index].etag]);
        return { etags: etags.filter(([, etag]) => etag !== undefined) };
      },
    };
  }

  #pickRow() {
    return `key${this.#random.integer(0, this.#keys - 1)}`;
  }

  /** Chooses distinct rows. It chooses few, many, or the maximum of a transaction, equally often. */
  #pickRows() {
    const random = this.#random;
    const most = Math.min(changesMax, this.#keys);
    const size = random.pick([random.integer(2, 10), random.integer(2, most), most]);
    const rows = new Set();
    while (rows.size < size) rows.add(this.#pickRow());
    return [...rows];
  }

  #plan(row) {
    const key = `${this.#name}/${row}`;
    const state = this.#ledger.stateOf(key);
    const kind = this.#random.pick(kinds);
    const path = `${this.#table}(PartitionKey='${this.#name}',RowKey='${row}')`;
    if (kind === 'insert') {
      const properties = this.#properties();
      const body = { PartitionKey: this.#name, RowKey: row, ...properties };
      const request = { method: 'POST', path: this.#table, body };
      return state
        ? { key, request, status: 409, result: state }
        : { key, request, status: 204, result: { properties } };
    }
    if (kind === 'insertOrReplace' || kind === 'insertOrMerge') {
      const body = this.#properties();
      const properties = kind === 'insertOrMerge' ? { ...state?.properties, ...body } : body;
      const method = kind === 'insertOrMerge' ? 'PATCH' : 'PUT';
      return { key, request: { method, path, body }, status: 204, result: { properties } };
    }
    return { key, ...this.#planConditional(kind, path, state) };
  }

  #planConditional(kind, path, state) {
    const condition = this.#random.pick(conditions);
    const body = kind === 'delete' ? undefined : this.#properties();
    const method = { replace: 'PUT', merge: 'PATCH', delete: 'DELETE' }[kind];
    const ifMatch = condition === 'any' ? '*' : condition === 'current' && state ? state.etag : staleEtag;
    const request = { method, path, body, ifMatch };
    if (!state) return { request, status: 404, result: state };
    if (condition === 'stale') return { request, status: 412, result: state };
    if (kind === 'delete') return { request, status: 204, result: undefined };
    const properties = kind === 'merge' ? { ...state.properties, ...body } : body;
    return { request, status: 204, result: { properties } };
  }

  /** No two writes are equal: a serial number identifies each. */
  #properties() {
    const random = this.#random;
    const properties = { Serial: ++this.#serial };
    if (random.next() < 0.5) properties.Text = random.pick(texts);
    if (random.next() < 0.3) properties.Ratio = random.integer(0, 1000) + 0.5;
    if (random.next() < 0.3) properties.Flag = random.next() < 0.5;
    if (random.next() < 0.3) {
      properties['Large@odata.type'] = 'Edm.Int64';
      properties.Large = String(2n ** 53n + BigInt(random.integer(0, 1_000_000)));
    }
    if (random.next() < 0.5) properties.Filler = String(this.#serial).repeat(random.integer(0, fillerCharsMax / 5));
    return properties;
  }
}
