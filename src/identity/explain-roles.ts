import type { Access } from '../auth/access.ts';
import { quote } from '../model/printable-text.ts';
import { contributor, type RoleAssignment, reader } from './role-assignments.ts';

export interface Lack {
  readonly ids: readonly string[];
  readonly account: string;
  readonly table: string | undefined;
  /** The operation needs one of these actions. */
  readonly actions: Access['actions'];
  /** The role assignments that cover the table or the account. */
  readonly held: readonly RoleAssignment[];
}

/** Says which roles the caller has, and which role would be enough. */
export function explainRoles({ ids, account, table, actions, held }: Lack): string[] {
  const who =
    ids.length === 0
      ? 'The token names nobody: it has neither oid nor appid.'
      : `The token is of ${quote(ids.join(', '))}.`;
  const place = table === undefined ? `the account ${account}` : `the table ${quote(table)} of ${account}`;
  const roles = [...new Set(held.map(({ role }) => role))];
  const has = roles.length === 0 ? 'It has no role there' : `It has ${roles.map(quote).join(' and ')} there`;
  const needed = actions.map((alternative) => alternative.join(' and ')).join(', or ');
  return [who, `On ${place} the operation needs ${needed}.`, `${has}; ${remedy(actions)}.`];
}

function remedy(actions: Access['actions']): string {
  const role = [reader, contributor].find(({ actions: given }) =>
    actions.some((needed) => needed.every((one) => given.has(one))),
  );
  return role === undefined
    ? 'no built-in role for tables has this: use an account key'
    : `${role.name} on it, or above it, would do`;
}
