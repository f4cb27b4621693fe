// The server under attack: its requests, and what it holds, as a state of the model.

import { ask } from '../support/control-plane.ts';
import { openClient, type TableClient, type WireRequest } from '../support/table-client.ts';
import { type AccountState, type Answer, emptyAccount, type TableState } from './attack-model.ts';

export interface Reply {
  readonly answer: Answer;
  readonly status: number;
  readonly text: string;
}

const lost: Reply = { answer: 'unknown', status: 0, text: 'no answer' };
const propertiesPath = '/?restype=service&comp=properties';

export class AttackedServer {
  readonly #origin: string;
  readonly #client: TableClient;

  constructor(url: string) {
    this.#origin = new URL(url).origin;
    this.#client = openClient(this.#origin);
  }

  /** A request to the table service of an account. */
  async send(account: string, request: WireRequest): Promise<Reply> {
    const client = this.#client.with({ account, prefix: `/${account}` });
    return client.send(request).then(
      ({ status, body }) => replyOf(status, body),
      () => lost,
    );
  }

  async control(method: string, path: string, body?: object | string): Promise<Reply> {
    const headers = typeof body === 'string' ? { 'Content-Type': 'application/x-ndjson' } : {};
    const sent = ask(this.#origin, { method, path: `/_emulator/${path}`, body, headers });
    return sent.then(
      ({ status, text }) => replyOf(status, text),
      () => lost,
    );
  }

  setAge(account: string, age: number): Promise<Reply> {
    const rule = `<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>${age}</MaxAgeInSeconds><ExposedHeaders/><AllowedHeaders/></CorsRule>`;
    const body = `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Cors>${rule}</Cors></StorageServiceProperties>`;
    return this.send(account, {
      method: 'PUT',
      path: propertiesPath,
      headers: { 'Content-Type': 'application/xml', Accept: 'application/xml' },
      body,
    });
  }

  /** What an account holds, without the contents of its snapshots. Throws where it cannot be read. */
  async read(account: string): Promise<AccountState> {
    const begun = await this.control('POST', 'export', { account });
    if (begun.text.includes('AccountNotFound')) return emptyAccount;
    const { export: id, tables: listed } = parsed(begun) as {
      export: string;
      tables: { name: string; signedIdentifiers: { id: string }[] }[];
    };
    const tables: Record<string, TableState> = {};
    for (const { name, signedIdentifiers } of listed) {
      const lines = await this.control('GET', `export/${id}/tables/${name}`);
      if (lines.answer !== 'done') throw new Error(`${account}/${name} cannot be read: ${lines.text}`);
      const rows = lines.text.split('\n').filter((line) => line !== '');
      const pairs = rows.map((line) => JSON.parse(line) as { RowKey: string; Value: string });
      const values = Object.fromEntries(pairs.map(({ RowKey, Value }) => [RowKey, Value]));
      if (Object.keys(values).length !== rows.length) throw new Error(`${account}/${name} has a key twice`);
      tables[name] = { policy: signedIdentifiers[0]?.id ?? '', rows: values };
    }
    await this.control('DELETE', `export/${id}`);
    const headers = { Accept: 'application/xml' };
    const settings = await this.send(account, { method: 'GET', path: propertiesPath, headers });
    if (settings.answer !== 'done') throw new Error(`the settings of ${account} cannot be read: ${settings.text}`);
    const age = Number(/<MaxAgeInSeconds>(\d+)/.exec(settings.text)?.[1] ?? 0);
    const { snapshots } = parsed(await this.control('GET', `snapshots?account=${account}`)) as {
      snapshots: { name: string }[];
    };
    return { tables, age, snapshots: Object.fromEntries(snapshots.map(({ name }) => [name, { tables: {} }])) };
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
  }
}

function replyOf(status: number, text: string): Reply {
  const answer = status < 300 ? 'done' : status < 500 ? 'refused' : 'unknown';
  return { answer, status, text };
}

function parsed({ answer, status, text }: Reply): unknown {
  if (answer !== 'done') throw new Error(`answered ${status}: ${text}`);
  return JSON.parse(text);
}
