// The roles of token holders, in the format of `az role assignment list`.
// Evidence: documented (Azure built-in roles, Azure role definitions); assumed (what Reader may do, and what the scope
// of a table covers).

import { type TableAction, tableActions } from '../auth/access.ts';
import { compileGlob, type Glob } from '../model/glob.ts';
import type { PrincipalRole } from './principal-role.ts';

/** A role of one principal in one scope. */
export interface RoleAssignment {
  /** Object id or application id, in lower case. */
  readonly principalId: string;
  /** The name of the role. */
  readonly role: string;
  readonly actions: ReadonlySet<TableAction>;
  /** Undefined for every account. */
  readonly account: string | undefined;
  /** In lower case. Undefined if the role is for every table of the account and for the account itself. */
  readonly table: string | undefined;
}

export interface ParsedRoles {
  readonly assignments: readonly RoleAssignment[];
  /** Assignments without effect: the role has no action on tables, or the scope is another resource. */
  readonly ignored: readonly string[];
}

/** Reads the assignments in a text. Throws an Error that says what is wrong. */
export function parseRoleAssignments(text: string): ParsedRoles {
  const list = parseList(text);
  const ignored = new Set<string>();
  const assignments = list.flatMap((entry, index): RoleAssignment[] => {
    const { principalId, role, actions, scope } = readEntry(entry, `entry ${index + 1}`);
    if (actions.size === 0) ignored.add(role);
    const place = parseScope(scope);
    if (place === undefined) ignored.add(`${role} on ${scope}`);
    return actions.size === 0 || place === undefined ? [] : [{ principalId, role, actions, ...place }];
  });
  return { assignments, ignored: [...ignored] };
}

function parseList(text: string): readonly unknown[] {
  const list = parseJson(text.replace(/^\ufeff/, ''));
  if (Array.isArray(list)) return list;
  throw new Error('it is not a JSON list of role assignments such as the command az role assignment list prints');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly principalId: string;
  readonly role: string;
  readonly actions: ReadonlySet<TableAction>;
  readonly scope: string;
}

function readEntry(entry: unknown, place: string): Entry {
  if (typeof entry !== 'object' || entry === null) throw new Error(`${place} is not an object`);
  const members = entry as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = members[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    throw new Error(`${place} has no ${name}`);
  };
  const { roleDefinitionName: name, roleDefinitionId: id } = members;
  const given = patternsOf(members['dataActions'], `dataActions of ${place}`);
  const builtIn = findBuiltIn(name, id);
  const actions = given
    ? actionsOf(given, patternsOf(members['notDataActions'], `notDataActions of ${place}`))
    : builtIn?.actions;
  return {
    principalId: text('principalId').toLowerCase(),
    role: typeof name === 'string' ? name : (builtIn?.name ?? 'a role without a name'),
    actions: actions ?? new Set(),
    scope: text('scope'),
  };
}

function patternsOf(value: unknown, place: string): readonly Glob[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.map((one: string) => compileGlob(one.toLowerCase()));
  }
  throw new Error(`${place} is not a list of texts`);
}

const actionPrefix = 'microsoft.storage/storageaccounts/tableservices/';

function actionsOf(given: readonly Glob[], taken: readonly Glob[] = []): ReadonlySet<TableAction> {
  const isIn = (globs: readonly Glob[], action: TableAction): boolean =>
    globs.some((matches) => matches(`${actionPrefix}${action}`));
  return new Set(tableActions.filter((action) => isIn(given, action) && !isIn(taken, action)));
}

interface BuiltInRole {
  readonly name: string;
  /** The id of the role's definition, which is the same in every tenant. */
  readonly id: string;
  readonly actions: ReadonlySet<TableAction>;
}

/** The roles of Azure with actions on tables. Neither gives access to the service properties. */
export const contributor: BuiltInRole = {
  name: 'Storage Table Data Contributor',
  id: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
  actions: new Set(tableActions.filter((action) => action.startsWith('tables/'))),
};
export const reader: BuiltInRole = {
  name: 'Storage Table Data Reader',
  id: '76199698-9eea-4c19-bc75-cec21354c6b6',
  actions: new Set(['tables/read', 'tables/entities/read']),
};

function findBuiltIn(name: unknown, id: unknown): BuiltInRole | undefined {
  return [contributor, reader].find(
    (role) =>
      (typeof name === 'string' && name.toLowerCase() === role.name.toLowerCase()) ||
      (name === undefined && typeof id === 'string' && id.toLowerCase().endsWith(`/${role.id}`)),
  );
}

/** A role that the emulator's issuer gives a principal; undefined for a role without actions on tables. */
export function assignmentOf({ role, account, table }: PrincipalRole, principalId: string): RoleAssignment | undefined {
  const builtIn = findBuiltIn(role, undefined);
  if (builtIn === undefined) return undefined;
  return {
    principalId,
    role: builtIn.name,
    actions: builtIn.actions,
    account: account?.toLowerCase(),
    table: table?.toLowerCase(),
  };
}

type Place = Pick<RoleAssignment, 'account' | 'table'>;

const accountScope = /\/storageaccounts\/([^/]+)(?:\/tableservices\/default(?:\/tables\/([^/]+))?)?$/;
/**
 * Matches the scopes above an account: a resource group, a subscription, a management group, or `/`. Each of these
 * scopes covers all accounts.
 */
const higherScope =
  /^\/$|^\/subscriptions\/[^/]+(?:\/resourcegroups\/[^/]+)?$|^\/providers\/microsoft\.management\/managementgroups\/[^/]+$/;

/** The place that a scope covers; undefined for a scope without tables. */
export function parseScope(text: string): Place | undefined {
  const scope = text === '/' ? text : text.toLowerCase().replace(/\/$/, '');
  const [, account, table] = accountScope.exec(scope) ?? [];
  if (account !== undefined) return { account, table };
  return higherScope.test(scope) ? { account: undefined, table: undefined } : undefined;
}

/** Whether the assignment covers a table of an account, or the account itself. */
export function coversPlace(
  { account, table }: RoleAssignment,
  place: { readonly account: string; readonly table: string | undefined },
): boolean {
  if (account !== undefined && account !== place.account) return false;
  return table === undefined || table === place.table?.toLowerCase();
}
