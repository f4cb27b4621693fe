// Exports of tables. An export takes several requests. All of these requests return the state that the account had at
// the first request.

import { Readable } from 'node:stream';
import { openAccountExport } from '../../data/account-export.ts';
import type { ExportSource } from '../../data/export.ts';
import { tableLookup } from '../../model/table-name.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';
import { entitiesMediaType } from './entity-lines.ts';
import { Leases } from './leases.ts';

/** An export ends after this time without a request. A client may write a large file between two requests. */
const idleMsMax = 300_000;
const exportsMax = 16;

const bodySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: { type: 'string', description: 'The account of the tables. The default is the first account.' },
    tables: {
      type: 'array',
      items: { type: 'string' },
      description: 'The tables whose entities the client will read. The default is all tables.',
    },
  },
} as const;

interface Request {
  readonly account?: string;
  readonly tables?: readonly string[];
}

interface Place {
  readonly export: string;
  readonly table: string;
}

interface Session {
  readonly account: string;
  readonly source: ExportSource;
  /** Lookup names of the tables that can still be asked for. */
  readonly waiting: Set<string>;
}

/** The routes of an export: begin it, ask for the entities of a table, end it. */
export function exportRoutes(tools: ControlTools): readonly ControlRoute[] {
  const url = '/_emulator/export';
  const { store, accountNames, machineTime, schedule, onInternalError } = tools;
  const sessions = new Leases<Session>({
    machineTime,
    schedule,
    idleMsMax,
    countMax: exportsMax,
    release: ({ source }) => source.close(),
    onReleaseFailed: onInternalError,
    tooMany: () =>
      new ControlError('TooManyExports', `${exportsMax} exports are in progress; wait until one has ended.`),
    notFound: () =>
      new ControlError(
        'ExportNotFound',
        'There is no export of this name: it has ended, its client disconnected, or it had no request for five minutes.',
      ),
  });
  const begin = async ({ account: given, tables }: Request): Promise<object> => {
    const account = accountNamed(given, await accountNames());
    const { id, item } = await sessions.add(async () => {
      const source = await openAccountExport(store, account, tables);
      const names = (tables ?? source.tables.map(({ name }) => name)).map(tableLookup);
      const existing = new Set(source.tables.map(({ name }) => tableLookup(name)));
      return { account, source, waiting: new Set(names.filter((name) => existing.has(name))) };
    });
    const described = item.source.tables.map(({ name, policies }) => ({ name, signedIdentifiers: policies }));
    return { export: id, account, tables: described };
  };
  return [
    {
      method: 'POST',
      url,
      schema: { body: bodySchema },
      whenClosed: () => sessions.close(),
      handler: ({ body }) => begin(body as Request),
    },
    {
      method: 'GET',
      url: `${url}/:export/tables/:table`,
      async handler({ params }, reply) {
        const { export: id, table } = params as Place;
        const text = tableText(sessions, { id, table });
        return reply.type(entitiesMediaType).send(Readable.from(text, { objectMode: false }));
      },
    },
    {
      method: 'DELETE',
      url: `${url}/:export`,
      async handler({ params }, reply) {
        const { export: id } = params as Place;
        sessions.use(id).done();
        await sessions.end(id);
        return reply.code(204).send();
      },
    },
  ];
}

/** The lines of a table. If the client disconnects before the last line, the export ends. Throws ControlError. */
function tableText(
  sessions: Leases<Session>,
  { id, table }: { readonly id: string; readonly table: string },
): AsyncGenerator<string> {
  const { item, done } = sessions.use(id);
  done();
  const { account, source, waiting } = item;
  // A table is released once it is read, so that writes to it cost no more than usual.
  if (!waiting.delete(tableLookup(table))) {
    throw new ControlError(
      'TableNotFound',
      `The export of account ${account} has no table ${table}, or gave it before.`,
    );
  }
  return (async function* () {
    // In use only once the response begins. If the response never begins, the export still expires.
    const { done } = sessions.use(id);
    let isWhole = false;
    try {
      // An empty piece would end the stream.
      for await (const lines of source.lines(table)) if (lines.length > 0) yield `${lines.join('\n')}\n`;
      isWhole = true;
    } finally {
      done();
      if (!isWhole) await sessions.end(id);
    }
  })();
}
