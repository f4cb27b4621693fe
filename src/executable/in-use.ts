// Marks that say which processes use which unpacked folder.

import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isProcessRunning } from '../model/process-running.ts';
import { digestOf } from './pack.ts';

export const marksFolder = '.in-use';

/** Limit: another machine or container may share the place. Its processes count as running for this long. */
const foreignMarkMs = 30 * 86_400_000;

/** The most often that a start looks, once a millisecond, whether a removal has ended. */
const waitsMax = 1_000;

/**
 * Marks the folder `name` in `place` as used by this process, and waits until no process is removing the folder. The
 * mark disappears when the process ends. Call this function before you compare the folder's files.
 */
export function markAsUsed(place: string, name: string): void {
  const marks = join(place, marksFolder);
  const mark = join(marks, markOf(name, process.pid));
  try {
    mkdirSync(marks, { recursive: true, mode: 0o700 });
    writeFileSync(mark, '');
    process.on('exit', () => rmSync(mark, { force: true }));
  } catch {
    // The mark could not be written. If the disk is read-only, other versions cannot remove the folder anyway. Limit:
    // if the disk is full, another version may remove the folder.
  }
  for (let waits = 0; waits < waitsMax && isBeingRemoved(place, name); waits += 1) pause(1);
}

/**
 * Runs `remove` if no running process uses the folder, while no process can begin to use it: `remove` is marked before
 * the marks of users are read, and a user is marked before it looks for removals.
 */
export function removeIfUnused(place: string, name: string, nowMs: number, remove: () => void): void {
  const mark = join(place, marksFolder, markOf(removalOf(name), process.pid));
  writeFileSync(mark, '');
  try {
    if (!isUsed(place, name, nowMs)) remove();
  } finally {
    rmSync(mark, { force: true });
  }
}

/** Limit: does not see removals by other machines and containers. */
const isBeingRemoved = (place: string, name: string): boolean =>
  isUsed(place, removalOf(name), Number.POSITIVE_INFINITY);

/** The name with which the removal of a folder is marked. */
const removalOf = (name: string): string => `${name}~`;

const pause = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Whether a running process has marked the folder. Also removes the marks of processes that were killed. */
export function isUsed(place: string, name: string, nowMs: number): boolean {
  const marks = marksIn(place).filter((mark) => mark.startsWith(`${name}.`));
  const running = marks.filter((mark) => isRunning(join(place, marksFolder, mark), nowMs));
  for (const mark of marks) if (!running.includes(mark)) rmSync(join(place, marksFolder, mark), { force: true });
  return running.length > 0;
}

function marksIn(place: string): readonly string[] {
  try {
    return readdirSync(join(place, marksFolder));
  } catch {
    return [];
  }
}

/** The name of the folder, the system on which the process runs, and its id there. */
export const markOf = (name: string, pid: number): string => `${name}.${thisSystem()}.${pid}`;

/** Process ids are valid only within one machine, or within one of its containers. */
function thisSystem(): string {
  let processes = '';
  try {
    processes = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has process namespaces.
  }
  return digestOf(`${hostname()} ${processes}`).slice(0, 8);
}

function isRunning(mark: string, nowMs: number): boolean {
  const [pid, system] = mark.split('.').reverse();
  if (system !== thisSystem()) {
    const made = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && nowMs - made < foreignMarkMs;
  }
  return isProcessRunning(Number(pid));
}
