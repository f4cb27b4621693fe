// Which processes run what has been unpacked.

import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isProcessRunning } from '../model/process-running.ts';
import { digestOf } from './pack.ts';

export const marksFolder = '.in-use';

/** Limit: a process of another machine, or of another container, over one place counts as running for so long. */
const foreignMarkMs = 30 * 86_400_000;

/** Says, until the process ends, that a folder in this place is in use. To be called before its files are compared: what removes it asks again after it has moved it away. */
export function markAsUsed(place: string, name: string): void {
  const marks = join(place, marksFolder);
  const mark = join(marks, markOf(name, process.pid));
  try {
    mkdirSync(marks, { recursive: true, mode: 0o700 });
    writeFileSync(mark, '');
    process.on('exit', () => rmSync(mark, { force: true }));
  } catch {
    // A disk that may only be read, where nobody removes anything either. Limit: on a full one another version may remove the folder.
  }
}

/** Also takes away the marks of processes that were killed. */
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

/** The name of the folder, where the process runs, and its number there. */
export const markOf = (name: string, pid: number): string => `${name}.${thisSystem()}.${pid}`;

/** Numbers of processes mean something within one machine, and within one container of it. */
function thisSystem(): string {
  let processes = '';
  try {
    processes = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Linux alone has such containers.
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
