// The server under attack: sends requests to it, and reads what it stores as a state of the model.

import { type AccountState, emptyAccount, type TableState } from '../simulation/model.ts';
import { type Reply, rowsOfLines } from '../simulation/requests.ts';
import { controlCall, propertiesPath, type WireCall } from '../simulation/wire-calls.ts';
import { ask } from '../support/control-plane.ts';
import { openClient, type TableClient } from '../support/table-client.ts';

const lost: Reply = { answer: 'unknown', status: 0, text: 'no answer' };

export class AttackedServer {
  readonly #origin: string;
  readonly #client: TableClient;

  constructor(url: string) {
    this.#origin = new URL(url).origin;
    this.#client = openClient(this.#origin);
  }

  send({ account, method, path, headers = {}, body, isSigned = false }: WireCall): Promise<Reply> {
    if (account === undefined) {
      return ask(this.#origin, { method, path, headers, body }).then(
        ({ status, text }) => replyOf(status, text),
        () => lost,
      );
    }
    const client = this.#client.with({ account, prefix: `/${account}` });
    const credentials = isSigned ? { Authorization: undefined } : {};
    return client.send({ method, path, headers: { ...headers, ...credentials }, body }).then(
      (answer) => replyOf(answer.status, answer.body, answer.header('ETag')),
      () => lost,
    );
  }

  /** What an account stores, without the contents of its snapshots. Throws if it cannot be read. */
  async read(account: string): Promise<AccountState> {
    const begun = await this.send(controlCall('POST', 'export', { account }));
    if (begun.text.includes('AccountNotFound')) return emptyAccount;
    const { export: id, tables: listed } = parsed(begun) as {
      export: string;
      tables: { name: string; signedIdentifiers: { id: string }[] }[];
    };
    const tables: Record<string, TableState> = {};
    for (const { name, signedIdentifiers } of listed) {
      const lines = await this.send(controlCall('GET', `export/${id}/tables/${name}`));
      if (lines.answer !== 'done') throw new Error(`${account}/${name} cannot be read: ${lines.text}`);
      tables[name] = { policy: signedIdentifiers[0]?.id ?? '', rows: rowsOfLines(lines.text) };
    }
    await this.send(controlCall('DELETE', `export/${id}`));
    const headers = { Accept: 'application/xml' };
    const settings = await this.send({ account, method: 'GET', path: propertiesPath, headers });
    if (settings.answer !== 'done') throw new Error(`the settings of ${account} cannot be read: ${settings.text}`);
    const age = Number(/<MaxAgeInSeconds>(\d+)/.exec(settings.text)?.[1] ?? 0);
    const { snapshots } = parsed(await this.send(controlCall('GET', `snapshots?account=${account}`))) as {
      snapshots: { name: string }[];
    };
    const saved = Object.fromEntries(snapshots.map(({ name }) => [name, { tables: {} }]));
    return { tables, age, snapshots: saved, exports: {} };
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => undefined);
  }
}

function replyOf(status: number, text: string, etag?: string): Reply {
  const answer = status < 300 ? 'done' : status < 500 ? 'refused' : 'unknown';
  return { answer, status, text, ...(etag !== undefined && { etag }) };
}

function parsed({ answer, status, text }: Reply): unknown {
  if (answer !== 'done') throw new Error(`answered ${status}: ${text}`);
  return JSON.parse(text);
}
