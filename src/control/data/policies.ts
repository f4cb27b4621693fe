import { readSignedIdentifiers } from '../../data/table-files.ts';
import { decodeSignedIdentifiers, encodeSignedIdentifiers, type SignedIdentifier } from '../../model/access-policy.ts';
import type { AccountStore } from '../../storage/store.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

export interface PoliciesReport {
  readonly account: string;
  readonly table: string;
  readonly signedIdentifiers: readonly SignedIdentifier[];
}

interface Params {
  readonly table: string;
}

interface Query {
  readonly account?: string;
}

const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['signedIdentifiers'],
  properties: {
    signedIdentifiers: { type: 'array', items: { type: 'object' }, description: 'The access policies of the table.' },
  },
} as const;

/**
 * GET and PUT /_emulator/policies/{table}: the access policies of a table. The table service returns access policies
 * only to a caller with an account key, and a browser has no account key.
 */
export function policiesRoutes(tools: ControlTools): readonly ControlRoute[] {
  const url = '/_emulator/policies/:table';
  return [
    {
      method: 'GET',
      url,
      schema: { querystring: querySchema },
      handler: ({ params, query }) => get(params as Params, query as Query, tools),
    },
    {
      method: 'PUT',
      url,
      schema: { querystring: querySchema, body: requestSchema },
      async handler({ params, query, body }) {
        await set(params as Params, query as Query, { tools, body: body as { signedIdentifiers: unknown } });
        return get(params as Params, query as Query, tools);
      },
    },
  ];
}

async function get({ table }: Params, { account }: Query, tools: ControlTools): Promise<PoliciesReport> {
  const { name, store } = await accountOf(account, table, tools);
  const outcome = await store.getTableAcl(table);
  if (outcome.kind !== 'found') throw absent(outcome.kind, { table, account: name });
  const signedIdentifiers = outcome.acl === undefined ? [] : decodeSignedIdentifiers(outcome.acl);
  return { account: name, table, signedIdentifiers };
}

interface SetWith {
  readonly tools: ControlTools;
  readonly body: { readonly signedIdentifiers: unknown };
}

async function set({ table }: Params, { account }: Query, { tools, body }: SetWith): Promise<void> {
  const policies = readSignedIdentifiers(body.signedIdentifiers);
  if (typeof policies === 'string') throw new ControlError('InvalidRequest', `"signedIdentifiers": ${policies}.`);
  const { name, store } = await accountOf(account, table, tools);
  const { kind } = await store.setTableAcl({ table, acl: encodeSignedIdentifiers(policies) });
  if (kind !== 'set') throw absent(kind, { table, account: name });
}

interface Account {
  readonly name: string;
  readonly store: AccountStore;
}

/** An account that was never used has no tables, and this request must not create data for it. */
async function accountOf(
  account: string | undefined,
  table: string,
  { store, accountNames }: ControlTools,
): Promise<Account> {
  const name = accountNamed(account, await accountNames());
  if (!(await store.exists(name))) throw absent('tableMissing', { table, account: name });
  return { name, store: store.account(name) };
}

function absent(
  kind: 'tableMissing' | 'tableBeingDeleted',
  { table, account }: { readonly table: string; readonly account: string },
): ControlError {
  return kind === 'tableMissing'
    ? new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`)
    : new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`);
}
