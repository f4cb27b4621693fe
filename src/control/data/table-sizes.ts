import { tableLookup } from '../../model/table-name.ts';
import { measureTable, type TableSize } from '../../storage/measure-table.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

export interface SizedTable extends TableSize {
  readonly name: string;
}

export interface TableSizes {
  readonly account: string;
  /** In the order of their names. */
  readonly tables: readonly SizedTable[];
  /** The table with which the next answer begins; null after the last one. */
  readonly next: string | null;
}

/** Counting in a table stops at these limits: after about a twentieth of a second. */
const tableBounds = { entitiesMax: 10_000, bytesMax: 16 * 1_048_576 };
/** Limits of an answer, which ends after the table that reaches one of them. */
const [answerTablesMax, answerEntitiesMax, answerBytesMax] = [100, 50_000, 64 * 1_048_576];

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: { type: 'string' },
    from: { type: 'string', minLength: 1, maxLength: 63 },
    limit: { type: 'string', pattern: `^([1-9][0-9]?|${answerTablesMax})$` },
  },
} as const;

interface Query {
  readonly account?: string;
  readonly from?: string;
  readonly limit?: string;
}

/** GET /_emulator/tables: the tables of an account with what they hold, counted up to a bound. */
export function tableSizesRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'GET',
    url: '/_emulator/tables',
    schema: { querystring: querySchema },
    handler: ({ query }) => tableSizesOf(query as Query, tools),
  };
}

/** Throws ControlError for an unknown account. */
export async function tableSizesOf(
  { account: given, from, limit = String(answerTablesMax) }: Query,
  { store, accountNames, schedule }: ControlTools,
): Promise<TableSizes> {
  const account = accountNamed(given, await accountNames());
  if (!(await store.exists(account))) return { account, tables: [], next: null };
  const page = await store
    .account(account)
    .listTables({ ...(from !== undefined && { from: tableLookup(from) }), limit: Number(limit) });
  const tables: SizedTable[] = [];
  let [entities, bytes] = [0, 0];
  for (const { name } of page.tables) {
    if (entities >= answerEntitiesMax || bytes >= answerBytesMax) return { account, tables, next: name };
    const size = await measureTable(store, { account, table: name }, { ...tableBounds, schedule });
    // The table may have been deleted meanwhile.
    if (!size) continue;
    tables.push({ name, ...size });
    entities += size.entities;
    bytes += size.bytes;
  }
  return { account, tables, next: page.next?.name ?? null };
}
