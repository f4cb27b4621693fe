import type { ResetTarget } from '../../model/reset-target.ts';
import type { Store } from '../../storage/store.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

/** The parts of the emulator that a reset uses. */
export type ResetTools = Pick<
  ControlTools,
  'store' | 'accountNames' | 'serviceClock' | 'faults' | 'onReset' | 'onResetAll'
>;

/** What was emptied and reset. */
interface Reset {
  /** The emptied accounts. Empty if only the clock or the fault rules were reset. */
  readonly accounts: readonly string[];
  /** If present, only this table of the account was emptied. */
  readonly table?: string;
  readonly clock?: true;
  readonly faults?: true;
}

const requestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    account: {
      type: 'string',
      description:
        'The account to empty or, with `table`, the account of this table. The default is all accounts or, with `table`, the first account.',
    },
    table: { type: 'string', description: 'The table to empty. By default, every table is deleted.' },
    clock: {
      type: 'boolean',
      description:
        'Whether to reset the clock. If true, data is deleted only in the account or table that the request names.',
    },
    faults: {
      type: 'boolean',
      description:
        'Whether to remove all fault rules. If true, data is deleted only in the account or table that the request names.',
    },
  },
} as const;

/** POST /_emulator/reset: makes the emulator, an account or a table what it was when it was new. */
export function resetRoute(tools: ControlTools): ControlRoute {
  return {
    method: 'POST',
    url: '/_emulator/reset',
    schema: { body: requestSchema },
    handler: ({ body }) => reset(body as ResetTarget, tools),
  };
}

/**
 * Empties and resets what `target` names. Throws ControlError for an account or table that does not exist or cannot be
 * emptied. If one account cannot be emptied, all other accounts are still emptied.
 */
export async function reset(target: ResetTarget, tools: ResetTools): Promise<Reset> {
  const { account, table, clock = false, faults = false } = target;
  const emptiesData = account !== undefined || table !== undefined || !(clock || faults);
  const emptied = emptiesData ? await empty(target, tools) : { accounts: [] };
  if (faults) await tools.faults.clear();
  if (clock) await tools.serviceClock.change({ kind: 'release' });
  return { ...emptied, ...(clock && { clock }), ...(faults && { faults }) };
}

async function empty({ account, table }: ResetTarget, tools: ResetTools): Promise<Reset> {
  const { store, onReset } = tools;
  const accounts = await tools.accountNames();
  if (table !== undefined) {
    const name = accountNamed(account, accounts);
    await resetTable(table, name, store);
    onReset(name, table);
    return { accounts: [name], table };
  }
  const names = account === undefined ? accounts : [accountNamed(account, accounts)];
  const failures = new Map<string, unknown>();
  for (const name of names) {
    try {
      await resetAccount(name, tools);
    } catch (error) {
      failures.set(name, error);
    }
  }
  if (failures.size > 0) throw notEmptied(failures, names.length);
  if (account === undefined) tools.onResetAll();
  return { accounts: names };
}

async function resetAccount(name: string, { store, onReset }: ResetTools): Promise<void> {
  // An account that was never used is empty, and a reset must not create data for it.
  if (await store.exists(name)) await store.account(name).clear();
  onReset(name);
}

function notEmptied(failures: ReadonlyMap<string, unknown>, accountCount: number): ControlError {
  const names = [...failures.keys()].join(', ');
  const others = failures.size < accountCount ? ' All others are empty.' : '';
  return new ControlError('StoreFailed', `Not emptied: ${names}.${others} The log of the emulator says why.`, {
    cause: new AggregateError(failures.values(), `accounts not emptied: ${names}`),
  });
}

async function resetTable(table: string, account: string, store: Store): Promise<void> {
  const isUsed = await store.exists(account);
  const { kind } = isUsed ? await store.account(account).clearTable(table) : { kind: 'tableMissing' as const };
  switch (kind) {
    case 'cleared':
      return;
    case 'tableMissing':
      throw new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
    case 'tableBeingDeleted':
      throw new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`);
  }
}
