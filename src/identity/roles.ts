// The roles in force: those of a file, which is read again when it changes, and those that were given at run time.

import type { TableAction } from '../auth/access.ts';
import { type PolledFile, pollFile } from '../auth/polled-file.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import type { MachineTime } from '../model/time.ts';
import { contributor, coversPlace, parseRoleAssignments, type RoleAssignment } from './role-assignments.ts';

export interface RolesOptions {
  /** A file of assignments; without one everyone is Contributor but those who are given roles at run time. */
  readonly file?: string | undefined;
  readonly time: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

export interface Roles {
  /** The assignments of someone who has these ids that cover a table of an account, or the account itself. */
  find(
    ids: readonly string[],
    place: { readonly account: string; readonly table: string | undefined },
  ): readonly RoleAssignment[];
  /** Gives a principal these roles beside those of the file, in place of those given to it before. */
  assign(principalId: string, assignments: readonly Omit<RoleAssignment, 'principalId'>[]): void;
  close(): void;
}

/** Throws an Error that says what is wrong with the file; later the last good one stays in force. */
export function openRoles({ file, time, log }: RolesOptions): Roles {
  const given = new Map<string, readonly RoleAssignment[]>();
  let ofFile: ReadonlyMap<string, readonly RoleAssignment[]> | undefined;
  const take = (text: string): void => {
    const { assignments, ignored } = parseRoleAssignments(text);
    ofFile = byPrincipal(assignments);
    if (ignored.length > 0)
      log?.warn({ file, ignored: ignored.slice(0, namedMax) }, 'roles that give nothing on tables');
  };
  const polled: PolledFile | undefined =
    file === undefined
      ? undefined
      : pollFile(file, {
          time,
          take,
          onUnusable: (err) => log?.error({ err, file }, 'role assignments kept as they were'),
        });
  return {
    find(ids, place) {
      const own = ids.flatMap((id) => [...(ofFile?.get(id) ?? []), ...(given.get(id) ?? [])]);
      const isEveryone = ofFile === undefined && !ids.some((id) => given.has(id));
      return isEveryone ? everyone : own.filter((assignment) => coversPlace(assignment, place));
    },
    assign(principalId, assignments) {
      const id = principalId.toLowerCase();
      given.set(
        id,
        assignments.map((assignment) => ({ ...assignment, principalId: id })),
      );
    },
    close: () => polled?.close(),
  };
}

/** Of the roles that are named in one line of the log. */
const namedMax = 20;

/** Without a file the account takes everyone. */
const everyone: readonly RoleAssignment[] = [
  { principalId: '', role: contributor.name, actions: contributor.actions, account: undefined, table: undefined },
];

function byPrincipal(assignments: readonly RoleAssignment[]): ReadonlyMap<string, readonly RoleAssignment[]> {
  const map = new Map<string, RoleAssignment[]>();
  for (const assignment of assignments) {
    const list = map.get(assignment.principalId);
    if (list) list.push(assignment);
    else map.set(assignment.principalId, [assignment]);
  }
  return map;
}

/** Whether one of the assignments allows the action. */
export const allows = (assignments: readonly RoleAssignment[], action: TableAction): boolean =>
  assignments.some(({ actions }) => actions.has(action));
