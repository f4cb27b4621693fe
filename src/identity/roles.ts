// Finds the roles of callers. Roles come from a file, which is read again when it changes, and from the emulator's
// issuer, which can give roles to its principals.

import type { TableAction } from '../auth/access.ts';
import { type PolledFile, pollFile } from '../auth/polled-file.ts';
import type { EmulatorLog } from '../model/emulator-log.ts';
import { cutMiddle } from '../model/printable-text.ts';
import type { MachineTime } from '../model/time.ts';
import { contributor, coversPlace, parseRoleAssignments, type RoleAssignment } from './role-assignments.ts';

export interface RolesOptions {
  /** A file of assignments. If absent, everyone is Contributor, unless the issuer gives other roles. */
  readonly file?: string | undefined;
  readonly time: MachineTime;
  readonly log?: EmulatorLog | undefined;
}

export interface Roles {
  /**
   * Finds the assignments that cover a place: a table of an account, or the account itself. Searches the assignments in
   * `given`, and the assignments in the file that name one of the caller's `ids`.
   */
  find(
    ids: readonly string[],
    place: RolePlace,
    given: readonly RoleAssignment[] | undefined,
  ): readonly RoleAssignment[];
  close(): void;
}

export interface RolePlace {
  readonly account: string;
  readonly table: string | undefined;
}

/**
 * Opens the roles. Throws an Error that says what is wrong with the file. If a later version of the file is wrong, the
 * last good version stays in use.
 */
export function openRoles({ file, time, log }: RolesOptions): Roles {
  let ofFile: ReadonlyMap<string, readonly RoleAssignment[]> | undefined;
  const take = (text: string): void => {
    const { assignments, ignored } = parseRoleAssignments(text);
    ofFile = byPrincipal(assignments);
    if (ignored.length > 0)
      log?.warn({ file, ignored: ignored.slice(0, namedMax).map(shorten) }, 'roles without effect on tables');
  };
  const polled: PolledFile | undefined =
    file === undefined
      ? undefined
      : pollFile(file, {
          time,
          take,
          onUnusable: (err) =>
            log?.error({ err, file }, 'cannot read the role assignments: the previous assignments stay in use'),
        });
  return {
    find(ids, place, given) {
      if (ofFile === undefined && given === undefined) return everyone;
      const own = ids.flatMap((id) => ofFile?.get(id) ?? []);
      return [...own, ...(given ?? [])].filter((assignment) => coversPlace(assignment, place));
    },
    close: () => polled?.close(),
  };
}

/** Maximum number of roles in one line of the log. */
const namedMax = 20;
/** A role with its scope has about 200 characters. */
const shorten = (text: string): string => cutMiddle(text, 400);

/** The assignments if there is no file: everyone has access. */
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
