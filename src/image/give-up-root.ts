// Makes the image's process run as an unprivileged user. The image starts as root, so that it can read a key that only
// root may read, and write to a folder that the container engine made for root. The process then becomes an
// unprivileged user and cannot become root again. If the image is started as another user, the process stays that user.

import { existsSync, readFileSync, statSync } from 'node:fs';
import type { FileName, ImageServer } from '../cli/image-server.ts';
import { checkRights } from './check-rights.ts';
import { copyUnreadable, handOver, posix, type User } from './hand-over.ts';

type Files = ImageServer['files'];

/** The user of the image, and the user `node` of Node's images. */
const imageUser: User = { uid: 1000, gid: 1000 };

/**
 * Changes the user of this process if the process runs as root. If the new user may not read the certificate or its
 * key, makes a copy that this user may read. Returns the paths of the copies. Ends the process with code 2 if the user
 * may not use a file. If `server` is missing, for example for `tanzanite health`, touches no file.
 */
export function giveUpRoot(server?: ImageServer): Files {
  const files = server?.files ?? {};
  if (posix.getuid() !== 0 || !canChangeUser()) {
    if (posix.getuid() === 0 && server !== undefined) sayThatRootStays();
    checkRights(files, server?.config);
    return {};
  }
  const trusted = server === undefined ? {} : trustedFiles(server);
  const user = userOf(trusted.location);
  handOver(trusted, user);
  const copies = copiesOf(trusted, user);
  posix.setgroups([user.gid]);
  posix.setgid(user.gid);
  posix.setuid(user.uid);
  checkRights({ ...files, ...copies }, server?.config);
  return copies;
}

function sayThatRootStays(): void {
  process.stderr.write(
    'tanzanite: this container may not change its user (--cap-drop), so it stays user 0, without rights. ' +
      'Start it with --user 1000:1000, or with --cap-add CHOWN --cap-add SETGID --cap-add SETUID.\n',
  );
}

/** The files that root may give away. */
function trustedFiles({ files, untrusted }: ImageServer): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !untrusted.includes(name as FileName)));
}

function copiesOf(files: Files, user: User): Files {
  return Object.fromEntries(
    (['cert', 'key'] as const).flatMap((name) => {
      const copy = copyUnreadable(files[name], user);
      return copy === undefined ? [] : [[name, copy]];
    }),
  );
}

/** Whether CAP_SETGID and CAP_SETUID are among the effective capabilities (capabilities(7)). */
function canChangeUser(): boolean {
  const [, mask] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return mask !== undefined && [6n, 7n].every((capability) => (BigInt(`0x${mask}`) >> capability) & 1n);
}

/** The user that the container becomes: the owner of the folder, unless that is root. */
function userOf(location: string | undefined): User {
  if (location === undefined || !existsSync(location)) return imageUser;
  const { uid, gid } = statSync(location);
  if (uid === 0) return imageUser;
  // The folders of the image also belong to the group root (Dockerfile).
  return { uid, gid: gid === 0 ? imageUser.gid : gid };
}
