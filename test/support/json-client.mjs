// A client of a table endpoint, for programs outside vitest and for tests of the built command. The client sends and
// returns values as JSON, and has its own connections. Tests of the exact HTTP text use table-client.ts instead.
import { Pool } from 'undici';
import { decodeChangesetAnswer, encodeChangeset } from './changeset.mjs';
import { authorization, developmentKey } from './sign.mjs';

const account = 'devstoreaccount1';
const signer = { account, key: developmentKey, scheme: 'SharedKeyLite' };
const json = 'application/json';

export class JsonClient {
  #url;
  #pool;

  /** `options` are options for undici's Pool. */
  constructor(url, connections = 1, options = {}) {
    this.#url = url;
    this.#pool = new Pool(url, { connections, pipelining: 1, ...options });
  }

  send({ body, ...call }) {
    return this.#sendText(body === undefined ? call : { ...call, contentType: json, text: JSON.stringify(body) });
  }

  /** Sends the calls as one entity group transaction. */
  async sendTransaction(calls) {
    const { origin } = new URL(this.#url);
    const requests = calls.map(({ path, ...call }) => ({ ...call, url: `${origin}/${account}/${path}` }));
    const answer = await this.#sendText({ method: 'POST', path: '$batch', ...encodeChangeset(requests) });
    return { status: answer.status, text: answer.text, parts: decodeChangesetAnswer(answer.text) };
  }

  async #sendText({ method, path, query = '', ifMatch, contentType, text: body }) {
    const wirePath = `/${account}/${path}`;
    const dated = { 'x-ms-date': new Date().toUTCString() };
    const answer = await this.#pool.request({
      method,
      path: wirePath + query,
      headers: {
        Accept: 'application/json;odata=minimalmetadata',
        Authorization: authorization({ method, target: wirePath, headers: dated }, signer),
        Prefer: 'return-no-content',
        ...dated,
        'x-ms-version': '2019-02-02',
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...(body === undefined ? {} : { 'Content-Type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  async createTable(name) {
    const { status, text } = await this.send({ method: 'POST', path: 'Tables', body: { TableName: name } });
    if (status !== 204 && status !== 409) throw new Error(`creating ${name} was answered ${status}: ${text}`);
  }

  /** Reads every entity of a table, page by page. Returns none if the table is missing. */
  async readAll(table) {
    const entities = [];
    let query = '';
    for (;;) {
      const { status, headers, text } = await this.send({ method: 'GET', path: `${table}()`, query });
      if (status === 404) return entities;
      if (status !== 200) throw new Error(`reading ${table} was answered ${status}: ${text}`);
      entities.push(...JSON.parse(text).value);
      const partition = headers['x-ms-continuation-nextpartitionkey'];
      if (partition === undefined) return entities;
      const row = headers['x-ms-continuation-nextrowkey'];
      query = `?NextPartitionKey=${encodeURIComponent(partition)}&NextRowKey=${encodeURIComponent(row)}`;
    }
  }

  async close() {
    await this.#pool.destroy();
  }
}
