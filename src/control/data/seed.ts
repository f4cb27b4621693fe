// Loads entities into tables. One load takes several requests, because sending the data may take longer than the time
// limit of one request.

import type { FileEntity } from '../../data/file-entity.ts';
import { twiceText } from '../../data/file-fault.ts';
import { readSignedIdentifiers } from '../../data/table-files.ts';
import { encodeSignedIdentifiers } from '../../model/access-policy.ts';
import { parseTableName, type TableName, tableLookup } from '../../model/table-name.ts';
import type { TableLoad } from '../../storage/table-load.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools, checkAccount } from '../control-route.ts';
import { readEntityLines } from './entity-lines.ts';
import { Leases } from './leases.ts';

/** A load is dropped after this time without a request: its client is gone. */
const idleMsMax = 60_000;
const loadsMax = 16;
/** Enough for a batch with an entity of the largest size. */
const batchBytesMax = 8 * 1_048_576;

interface Session {
  readonly account: string;
  readonly load: TableLoad;
  /** The tables by lookup name. */
  readonly tables: Map<string, SessionTable>;
}

interface SessionTable {
  readonly name: TableName;
  readonly keepsTimestamps: boolean;
  entities: number;
}

const accountSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: { type: 'string', description: 'The account of the tables. The default is the first account.' },
  },
} as const;

const tableSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    signedIdentifiers: { type: 'array', items: { type: 'object' }, description: 'The access policies of the table.' },
    keepsTimestamps: {
      type: 'boolean',
      description: 'Whether to keep the Timestamp of an entity. A Timestamp before 1601 or in the future is not kept.',
    },
  },
} as const;

/**
 * The routes of a load: begin it, add a table, add entities to the table, put all tables in place, or drop the load.
 */
export function seedRoutes(tools: ControlTools): readonly ControlRoute[] {
  const sessions = new Sessions(tools);
  const url = '/_emulator/seed';
  return [
    {
      method: 'POST',
      url,
      schema: { body: accountSchema },
      whenClosed: () => sessions.close(),
      handler: async ({ body }) => sessions.begin(body as { account?: string }),
    },
    {
      method: 'PUT',
      url: `${url}/:load/tables/:table`,
      schema: { body: tableSchema },
      handler: ({ params, body }) => sessions.addTable(params as Place, body as TableBody),
    },
    {
      method: 'POST',
      url: `${url}/:load/tables/:table`,
      bodyLimit: batchBytesMax,
      handler: ({ params, body }) => sessions.addEntities(params as Place, body),
    },
    {
      method: 'POST',
      url: `${url}/:load/finish`,
      handler: ({ params }) => sessions.finish(params as Place),
    },
    {
      method: 'DELETE',
      url: `${url}/:load`,
      async handler({ params }, reply) {
        await sessions.abandon(params as Place);
        return reply.code(204).send();
      },
    },
  ];
}

interface Place {
  readonly load: string;
  readonly table: string;
}

interface TableBody {
  readonly signedIdentifiers?: readonly object[];
  readonly keepsTimestamps?: boolean;
}

type SessionTools = Pick<
  ControlTools,
  'store' | 'accountNames' | 'accounts' | 'onReset' | 'machineTime' | 'modelTime' | 'schedule' | 'onInternalError'
>;

class Sessions {
  readonly #tools: SessionTools;
  readonly #sessions: Leases<Session>;

  constructor(tools: SessionTools) {
    this.#tools = tools;
    this.#sessions = new Leases({
      machineTime: tools.machineTime,
      schedule: tools.schedule,
      idleMsMax,
      countMax: loadsMax,
      release: ({ load }) => load.abandon(),
      onReleaseFailed: tools.onInternalError,
      tooMany: () => new ControlError('TooManyLoads', `${loadsMax} loads are in progress; wait until one has ended.`),
      notFound: () =>
        new ControlError(
          'LoadNotFound',
          'There is no load of this name: it has ended, or had no request for a minute.',
        ),
    });
  }

  async begin({ account }: { readonly account?: string }): Promise<object> {
    // With `--accounts any` a name may be new: data can be loaded before its first request.
    if (account !== undefined) checkAccount(account, this.#tools.accounts);
    const name = account ?? accountNamed(undefined, await this.#tools.accountNames());
    const { id } = await this.#sessions.add(async () => {
      const load = await this.#tools.store.account(name).beginLoad();
      return { account: name, load, tables: new Map() };
    });
    return { load: id, account: name };
  }

  addTable(
    { load: id, table: text }: Place,
    { signedIdentifiers = [], keepsTimestamps = false }: TableBody,
  ): Promise<object> {
    const name = tableNamed(text);
    const policies = readSignedIdentifiers(signedIdentifiers);
    if (typeof policies === 'string') throw new ControlError('InvalidRequest', `"signedIdentifiers": ${policies}.`);
    return this.#sessions.inTurn(id, async ({ load, tables }) => {
      const acl = policies.length === 0 ? undefined : encodeSignedIdentifiers(policies);
      const { kind } = await load.addTable({ name, acl });
      if (kind === 'duplicate') throw new ControlError('DuplicateTable', `The load has a table ${name} already.`);
      tables.set(tableLookup(name), { name, keepsTimestamps, entities: 0 });
      return { table: name };
    });
  }

  addEntities({ load: id, table: text }: Place, body: unknown): Promise<object> {
    return this.#sessions.inTurn(id, async ({ load, tables }) => {
      const table = tables.get(tableLookup(text));
      if (!table) throw new ControlError('TableNotFound', `The load has no table ${text}.`);
      const nowMs = table.keepsTimestamps ? this.#tools.modelTime.nowMs() : undefined;
      const { entities, lines } = await readEntityLines(body, nowMs, this.#tools.schedule);
      const outcome = await load.addEntities(table.name, entities);
      if (outcome.kind === 'duplicate') {
        const line = lines[outcome.at] ?? 0;
        const message = `Line ${line}: ${twiceText(entities[outcome.at] as FileEntity)}.`;
        throw new ControlError('DuplicateEntity', message, { line });
      }
      table.entities += entities.length;
      return { table: table.name, entities: table.entities, added: entities.length };
    });
  }

  finish({ load: id }: Place): Promise<object> {
    return this.#sessions.inTurn(id, async ({ account, load, tables }) => {
      const outcome = await load.finish();
      if (outcome.kind === 'tableBeingDeleted') {
        throw new ControlError('TableBeingDeleted', `Table ${outcome.table} of account ${account} is being deleted.`);
      }
      this.#sessions.forget(id);
      for (const { name } of tables.values()) this.#tools.onReset(account, name);
      return { account, tables: [...tables.values()].map(({ name, entities }) => ({ name, entities })) };
    });
  }

  async abandon({ load: id }: Place): Promise<void> {
    await this.#sessions.inTurn(id, () => this.#sessions.end(id));
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }
}

function tableNamed(text: string): TableName {
  try {
    return parseTableName(text);
  } catch {
    throw new ControlError(
      'InvalidRequest',
      'The name of a table has 3 to 63 letters and digits, a letter first, and is not Tables.',
    );
  }
}
