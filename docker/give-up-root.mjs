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
import { parseArgs } from 'node:util';

/** The user `node` of the official images. */
const nodeUser = { uid: 1000, gid: 1000 };
/** Programs of Azurite's, which read flags only. */
const withoutVariables = ['azurite-blob', 'azurite-queue'];
const servers = ['start', 'azurite', ...withoutVariables];
/** Files of Tanzanite's and of Azurite's: nothing else in a folder changes hands. */
const ownFile =
  /^(.*\.sqlite(-wal|-shm)?|tanzanite\.(address|lock|reserve)|__(azurite|blobstorage|queuestorage).*|AzuriteConfig)$/;

/**
 * Gives the words with which to go on: those of a server may name another copy of the certificate and its key. So may its variables,
 * which are changed in `environment`.
 */
export function giveUpRoot(words, environment) {
  const isServer = words[0]?.startsWith('-') !== false || servers.includes(words[0]);
  const files = isServer ? readFiles(words, environment) : {};
  if (process.getuid() !== 0) return checkRights(words, files);
  if (!canChangeUser()) {
    if (isServer) {
      console.error(
        'tanzanite: this container may not change its user (--cap-drop), so it stays user 0, without rights. ' +
          'Start it with --user 1000:1000, or with --cap-add CHOWN --cap-add SETGID --cap-add SETUID.',
      );
    }
    return checkRights(words, files);
  }
  const user = userOf(files.location);
  handOver(files, user);
  const readable = ['cert', 'key'].reduce(
    (given, flag) => copyUnreadable(given, { flag, file: files[flag], user, environment }),
    words,
  );
  process.setgroups([user.gid]);
  process.setgid(user.gid);
  process.setuid(user.uid);
  return checkRights(readable, { ...files, cert: undefined, key: undefined });
}

/** The files that the words of a server name, or else its variables. */
function readFiles(words, variables) {
  const environment = withoutVariables.includes(words[0]) ? {} : variables;
  const text = { type: 'string' };
  const { values } = parseArgs({
    args: [...words],
    strict: false,
    allowNegative: true,
    options: {
      location: { ...text, short: 'l' },
      debug: { ...text, short: 'd' },
      cert: text,
      key: text,
      inMemoryPersistence: { type: 'boolean' },
      'in-memory-persistence': { type: 'boolean' },
    },
  });
  const given = (name) => values[name] ?? (environment[variableOf(name)] || undefined);
  const inMemory = values.inMemoryPersistence ?? values['in-memory-persistence'];
  const isInMemory = inMemory ?? environment['TANZANITE_IN_MEMORY_PERSISTENCE'] === 'true';
  const [location, debug, cert, key] = ['location', 'debug', 'cert', 'key'].map(given);
  return { debug, cert, key, location: isInMemory ? undefined : location };
}

const variableOf = (flag) => `TANZANITE_${flag.toUpperCase()}`;

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

/**
 * The words with a copy in memory in place of a file that the user may not read: Testcontainers copies keys as root's, 0600. Where
 * a variable names the file, it names the copy then.
 */
function copyUnreadable(words, { flag, file, user, environment }) {
  if (file === undefined || isReadableBy(file, user)) return words;
  const copy = ['/dev/shm', '/tmp'].map((folder) => copyTo(folder, file, user)).find((path) => path !== undefined);
  if (copy === undefined) return words;
  if (environment[variableOf(flag)] === file) environment[variableOf(flag)] = copy;
  return words.map((word, at) => {
    if (word === `--${flag}=${file}`) return `--${flag}=${copy}`;
    return word === file && words[at - 1] === `--${flag}` ? copy : word;
  });
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

/** Ends this process with code 2 and a line that names both users where a file is not the user's to read or write. */
function checkRights(words, { location, cert, key }) {
  if (location !== undefined && existsSync(location)) {
    const own = readdirSafely(location).filter((name) => /\.(sqlite|lock)$/.test(name));
    for (const path of [location, ...own.map((name) => join(location, name))]) {
      refuseUnless(path, constants.R_OK | constants.W_OK, 'write to');
    }
  }
  for (const file of [cert, key]) {
    if (file !== undefined && existsSync(file)) refuseUnless(file, constants.R_OK, 'read');
  }
  return words;
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
