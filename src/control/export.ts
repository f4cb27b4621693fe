import { Readable } from 'node:stream';
import { openAccountExport } from '../data/account-export.ts';
import type { ExportedTable, ExportSource } from '../data/export.ts';
import { tableLookup } from '../model/table-name.ts';
import { ControlError } from './control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from './control-route.ts';
import { entitiesMediaType } from './seed.ts';

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;

interface Query {
  readonly account?: string;
}

/** GET /_emulator/export and /_emulator/export/{table}: which tables there are, and the entities of one. */
export function exportRoutes(tools: ControlTools): readonly ControlRoute[] {
  const url = '/_emulator/export';
  return [
    {
      method: 'GET',
      url,
      schema: { querystring: querySchema },
      async handler({ query }) {
        const { account, source } = await openSource(query as Query, tools);
        const tables = (await source.tables()).map(({ name, policies }) => ({ name, signedIdentifiers: policies }));
        return { account, tables };
      },
    },
    {
      method: 'GET',
      url: `${url}/:table`,
      schema: { querystring: querySchema },
      async handler({ params, query }, reply) {
        const { account, source } = await openSource(query as Query, tools);
        const { table } = params as { table: string };
        const found = (await source.tables()).find(
          ({ name }: ExportedTable) => tableLookup(name) === tableLookup(table),
        );
        if (!found) throw new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
        return reply.type(entitiesMediaType).send(Readable.from(textOf(source, found.name), { objectMode: false }));
      },
    },
  ];
}

async function openSource(
  { account }: Query,
  { store, accounts }: ControlTools,
): Promise<{ readonly account: string; readonly source: ExportSource }> {
  const name = accountNamed(account, await accounts());
  return { account: name, source: openAccountExport(store, name) };
}

/** An empty piece would end the stream. */
async function* textOf(source: ExportSource, table: string): AsyncGenerator<string> {
  for await (const lines of source.lines(table)) if (lines.length > 0) yield `${lines.join('\n')}\n`;
}
