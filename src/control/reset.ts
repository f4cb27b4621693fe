import type { Store } from '../storage/store.ts';
import { ControlError } from './control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from './control-route.ts';

/** What to empty: all of it, an account, or a table (of the first account, unless one is named). */
export interface ResetTarget {
  readonly account?: string;
  readonly table?: string;
}

/** What a reset works with. */
export type ResetTools = Pick<ControlTools, 'store' | 'accounts' | 'onReset'>;

/** What is empty now. */
interface Reset {
  readonly accounts: readonly string[];
  /** Present: only this table of the account. */
  readonly table?: string;
}

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: {
      type: 'string',
      description:
        'The account to empty, or the one the table is in; without one, all of them, or the first for a table.',
    },
    table: { type: 'string', description: 'The table to empty; without one, every table goes.' },
  },
} as const;

/** POST /_emulator/reset: the emulator, an account or a table as it was when it was new. */
export function resetRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/reset',
    schema: { body: requestSchema },
    handler: ({ body }) => reset(body as ResetTarget, tools),
  };
}

/** Throws ControlError for what is not there. */
export async function reset({ account, table }: ResetTarget, tools: ResetTools): Promise<Reset> {
  const { store, accounts, onReset } = tools;
  if (table !== undefined) {
    const name = accountNamed(account, accounts);
    await resetTable(table, name, store);
    onReset(name, table);
    return { accounts: [name], table };
  }
  const names = account === undefined ? accounts : [accountNamed(account, accounts)];
  for (const name of names) {
    // An account that was never used is empty, and gets no data by being reset.
    await store.find(name)?.clear();
    onReset(name);
  }
  return { accounts: names };
}

async function resetTable(table: string, account: string, store: Store): Promise<void> {
  const outcome = await store.find(account)?.clearTable(table);
  switch (outcome?.kind) {
    case 'cleared':
      return;
    case undefined:
    case 'tableMissing':
      throw new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
    case 'tableBeingDeleted':
      throw new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`);
  }
}
