import { quote } from '../../model/printable-text.ts';
import type { Snapshot, SnapshotRecord, SnapshotTarget } from '../../model/snapshot.ts';
import { snapshotsMax } from '../../storage/store.ts';
import { ControlError } from '../control-error.ts';
import { accountNamed, type ControlRoute, type ControlTools } from '../control-route.ts';

/** The parts of the emulator that snapshots use. */
export type SnapshotTools = Pick<ControlTools, 'store' | 'accountNames' | 'onReset'>;

const nameCharsMax = 128;

const accountQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { account: { type: 'string' } },
} as const;
const targetQuery = {
  ...accountQuery,
  properties: { ...accountQuery.properties, table: { type: 'string' } },
} as const;

/** The routes of `/_emulator/snapshots`. */
export function snapshotRoutes(tools: SnapshotTools): readonly ControlRoute[] {
  const url = '/_emulator/snapshots/:name';
  const nameOf = (params: unknown): string => (params as { name: string }).name;
  return [
    {
      method: 'GET',
      url: '/_emulator/snapshots',
      schema: { querystring: accountQuery },
      handler: ({ query }) => listSnapshots(query as SnapshotTarget, tools),
    },
    {
      method: 'PUT',
      url,
      schema: { querystring: targetQuery },
      preHandler: async ({ body }) => refuseBody(body),
      handler: ({ params, query }) => saveSnapshot(nameOf(params), query as SnapshotTarget, tools),
    },
    {
      method: 'POST',
      url: `${url}/restore`,
      schema: { querystring: targetQuery },
      preHandler: async ({ body }) => refuseBody(body),
      handler: ({ params, query }) => restoreSnapshot(nameOf(params), query as SnapshotTarget, tools),
    },
    {
      method: 'DELETE',
      url,
      schema: { querystring: accountQuery },
      preHandler: async ({ body }) => refuseBody(body),
      handler: ({ params, query }) => deleteSnapshot(nameOf(params), query as SnapshotTarget, tools),
    },
  ];
}

/** All functions here throw ControlError for accounts, tables and names that do not exist or are not allowed. */
export async function listSnapshots(
  target: SnapshotTarget,
  tools: SnapshotTools,
): Promise<{ readonly account: string; readonly snapshots: readonly SnapshotRecord[] }> {
  const account = accountNamed(target.account, await tools.accountNames());
  // A query must not create data for an account that was never used.
  const isUsed = await tools.store.exists(account);
  return { account, snapshots: isUsed ? await tools.store.account(account).listSnapshots() : [] };
}

export async function saveSnapshot(name: string, target: SnapshotTarget, tools: SnapshotTools): Promise<Snapshot> {
  checkName(name);
  const account = accountNamed(target.account, await tools.accountNames());
  const { table = '' } = target;
  const outcome = await tools.store.account(account).saveSnapshot({ name, table: target.table });
  switch (outcome.kind) {
    case 'saved':
      return { account, ...outcome.snapshot };
    case 'tooManySnapshots':
      throw new ControlError('TooManySnapshots', `Account ${account} has ${snapshotsMax} snapshots; delete one first.`);
    case 'tableMissing':
      throw new ControlError('TableNotFound', `"table": account ${account} has no table ${table}.`);
    case 'tableBeingDeleted':
      throw new ControlError('TableBeingDeleted', `"table": ${table} of account ${account} is being deleted.`);
  }
}

/** Counts and observations of the restored data are dropped, as after a reset. */
export async function restoreSnapshot(name: string, target: SnapshotTarget, tools: SnapshotTools): Promise<Snapshot> {
  checkName(name);
  const account = accountNamed(target.account, await tools.accountNames());
  const isUsed = await tools.store.exists(account);
  const outcome = isUsed
    ? await tools.store.account(account).restoreSnapshot({ name, table: target.table })
    : { kind: 'snapshotMissing' as const };
  switch (outcome.kind) {
    case 'restored':
      tools.onReset(account, target.table ?? outcome.snapshot.table);
      return { account, ...outcome.snapshot };
    case 'snapshotMissing':
      throw snapshotNotFound(name, account);
    case 'tableNotSaved':
      throw new ControlError('TableNotFound', `"table": the snapshot ${quote(name)} holds no table ${target.table}.`);
  }
}

export async function deleteSnapshot(
  name: string,
  target: SnapshotTarget,
  tools: SnapshotTools,
): Promise<{ readonly account: string; readonly name: string }> {
  checkName(name);
  const account = accountNamed(target.account, await tools.accountNames());
  const isUsed = await tools.store.exists(account);
  const { kind } = isUsed
    ? await tools.store.account(account).deleteSnapshot(name)
    : { kind: 'snapshotMissing' as const };
  if (kind === 'snapshotMissing') throw snapshotNotFound(name, account);
  return { account, name };
}

const snapshotNotFound = (name: string, account: string): ControlError =>
  new ControlError('SnapshotNotFound', `Account ${account} has no snapshot ${quote(name)}.`);

/** A name is not used as a path. But as a part of an address, `.` and `..` would change the address. */
function checkName(name: string): void {
  const refuse = (what: string): never => {
    throw new ControlError('InvalidInput', `The name of a snapshot ${what}.`);
  };
  if (name.length < 1 || name.length > nameCharsMax) refuse(`has 1 to ${nameCharsMax} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(name)) refuse('has no control characters and no half of a surrogate pair');
  if (name === '.' || name === '..') refuse('is not "." or ".."');
}

/** Reject a body: it would be ignored, not narrow the target. */
function refuseBody(body: unknown): void {
  if (body === undefined || body === null) return;
  throw new ControlError('InvalidRequest', 'Send no body: the account and the table belong in the query.');
}

/** The operations on snapshots for a program that runs the emulator in its own process. */
export interface RunningSnapshots {
  save(name: string, target: SnapshotTarget): Promise<Snapshot>;
  restore(name: string, target: SnapshotTarget): Promise<Snapshot>;
  list(target: SnapshotTarget): Promise<readonly Snapshot[]>;
  delete(name: string, target: SnapshotTarget): Promise<object>;
}

export function snapshotsWith(tools: SnapshotTools): RunningSnapshots {
  return {
    save: (name, target) => saveSnapshot(name, target, tools),
    restore: (name, target) => restoreSnapshot(name, target, tools),
    delete: (name, target) => deleteSnapshot(name, target, tools),
    async list(target) {
      const { account, snapshots } = await listSnapshots(target, tools);
      return snapshots.map((one) => ({ account, ...one }));
    },
  };
}
