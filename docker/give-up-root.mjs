// The image starts as root, so that it can read a key that only root may read and write to a folder that the container engine made
// for root. Then it becomes a user without rights and cannot go back. Started as another user it stays that user.
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

/** The user `node` of the official images. */
const nodeUser = { uid: 1000, gid: 1000 };
/** Files of Tanzanite's and of Azurite's: nothing else in a folder changes hands. */
const ownFile =
  /^(.*\.sqlite(-wal|-shm)?|tanzanite\.(address|lock|reserve)|__(azurite|blobstorage|queuestorage).*|AzuriteConfig)$/;

/**
 * Gives the copies of a certificate and of its key that the user may read in place of the files of a server. Without a server, as for
 * `tanzanite health`, no file is touched.
 */
export function giveUpRoot(server) {
  const files = server?.files ?? {};
  const check = (read) => checkRights(read, server?.config);
  if (process.getuid() !== 0) return check(files);
  if (!canChangeUser()) {
    if (server !== undefined) {
      console.error(
        'tanzanite: this container may not change its user (--cap-drop), so it stays user 0, without rights. ' +
          'Start it with --user 1000:1000, or with --cap-add CHOWN --cap-add SETGID --cap-add SETUID.',
      );
    }
    return check(files);
  }
  const trusted = server === undefined ? {} : trustedFiles(server);
  const user = userOf(trusted.location);
  handOver(trusted, user);
  const copies = Object.fromEntries(
    ['cert', 'key'].flatMap((name) => {
      const copy = copyUnreadable(trusted[name], user);
      return copy === undefined ? [] : [[name, copy]];
    }),
  );
  process.setgroups([user.gid]);
  process.setgid(user.gid);
  process.setuid(user.uid);
  check({ ...files, ...copies });
  return copies;
}

/** The files that root may give away. */
function trustedFiles({ files, untrusted }) {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !untrusted.includes(name)));
}

/** CAP_SETGID and CAP_SETUID among the effective capabilities (capabilities(7)). */
function canChangeUser() {
  const [, mask] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return mask !== undefined && [6n, 7n].every((capability) => (BigInt(`0x${mask}`) >> capability) & 1n);
}

/** Whose folder it is: a folder of a user of the host stays that user's. */
function userOf(location) {
  if (location === undefined || !existsSync(location)) return nodeUser;
  const { uid, gid } = statSync(location);
  return uid === 0 ? nodeUser : { uid, gid };
}

/** Gives the user the folder, the log file and the standard streams, where they are root's. */
function handOver({ location, debug }, { uid, gid }) {
  if (location !== undefined) {
    mkdirSync(location, { recursive: true });
    const own = readdirSync(location).filter((name) => ownFile.test(name));
    for (const path of [location, ...own.map((name) => join(location, name))])
      takeFromRoot(path, { uid, gid }, path !== location);
  }
  if (debug !== undefined) {
    attempt(() => closeSync(openSync(debug, 'a')));
    takeFromRoot(debug, { uid, gid });
  }
  // `--debug /dev/stdout` opens it once more.
  for (const descriptor of [1, 2]) attempt(() => fchownSync(descriptor, uid, gid));
}

function takeFromRoot(path, { uid, gid }, isWhole = false) {
  attempt(() => {
    const found = lstatSync(path);
    if (found.uid === 0) lchownSync(path, uid, gid);
    if (!isWhole || !found.isDirectory()) return;
    for (const name of readdirSync(path)) takeFromRoot(join(path, name), { uid, gid }, true);
  });
}

/** A folder that cannot be handed over, as on some network file systems, may be open to the user all the same. */
function attempt(change) {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

/** A copy in memory of a file that the user may not read: Testcontainers copies keys as root's, 0600. */
function copyUnreadable(file, user) {
  if (file === undefined || isReadableBy(file, user)) return undefined;
  return ['/dev/shm', '/tmp'].map((folder) => copyTo(folder, file, user)).find((path) => path !== undefined);
}

function isReadableBy(file, { uid, gid }) {
  process.setegid(gid);
  process.seteuid(uid);
  try {
    return attempt(() => closeSync(openSync(file, 'r')));
  } finally {
    process.seteuid(0);
    process.setegid(0);
  }
}

function copyTo(folder, file, { uid, gid }) {
  let copy;
  attempt(() => {
    const own = mkdtempSync(join(folder, 'tanzanite-'));
    const path = join(own, basename(file));
    writeFileSync(path, readFileSync(file), { mode: 0o400 });
    chownSync(path, uid, gid);
    chownSync(own, uid, gid);
    chmodSync(own, 0o500);
    copy = path;
  });
  return copy;
}

/** Ends this process with code 2 and a line that names both users where a file is not the user's to read or write. No copies are needed. */
function checkRights({ location, cert, key }, config) {
  if (location !== undefined && existsSync(location)) {
    const own = readdirSafely(location).filter((name) => /\.(sqlite|lock)$/.test(name));
    for (const path of [location, ...own.map((name) => join(location, name))]) {
      refuseUnless(path, constants.R_OK | constants.W_OK, 'write to');
    }
  }
  for (const file of [config, cert, key]) {
    if (file !== undefined && existsSync(file)) refuseUnless(file, constants.R_OK, 'read');
  }
  return {};
}

function readdirSafely(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function refuseUnless(path, mode, verb) {
  if (attempt(() => accessSync(path, mode))) return;
  const { uid, gid } = statSync(path);
  const user = `${process.getuid()}:${process.getgid()}`;
  console.error(
    `tanzanite: user ${user} may not ${verb} ${path}, which belongs to user ${uid}:${gid}. ` +
      `Give it to the user (chown ${user} ${path}), or start the container with --user ${uid}:${gid}.`,
  );
  process.exit(2);
}
