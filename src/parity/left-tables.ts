// Keeps a file with the names of the tables that a run creates. If the run is killed, the next run reads the file and
// can name the tables that were not removed. The file also prevents two concurrent runs from using the same prefix.

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessRunning } from '../model/process-running.ts';
import { isTableName } from '../model/table-name.ts';

export interface TableNotes {
  /** Writes the name to the disk before the table is created. Throws the system's error. */
  add(table: string): void;
  /** To be called when the tables are removed. */
  drop(): void;
}

/** Another run uses the prefix. */
export class PrefixInUse extends Error {}

export interface LeftTables {
  readonly file: string;
  readonly url: string;
  readonly tables: readonly string[];
}

/** Writes one file per run, in a folder of the user. Throws PrefixInUse, and the system's error. */
export function noteTables(
  folder: string,
  { url, prefix }: { readonly url: string; readonly prefix: string },
): TableNotes {
  const subject = createHash('sha256').update(`${url} ${prefix.toLowerCase()}`).digest('hex');
  const file = join(folder, `${subject.slice(0, 32)}.txt`);
  const head = `${process.pid} ${url}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, head, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isOfRunning(readNotes(file))) throw new PrefixInUse('another run uses the prefix');
    writeFileSync(file, head, { mode: 0o600 });
  }
  return {
    add: (table) => appendFileSync(file, `${table}\n`),
    drop: () => rmSync(file, { force: true }),
  };
}

interface Notes {
  readonly pid: number;
  readonly url: string;
  readonly tables: readonly string[];
}

const isOfRunning = (notes: Notes | undefined): boolean => notes !== undefined && isProcessRunning(notes.pid);

function readNotes(file: string): Notes | undefined {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // The run has just ended and removed its file.
  }
  const [head = '', ...tables] = text.split('\n');
  const [, pid, url = ''] = /^(\d{1,10}) (https?:\/\/\S+)$/.exec(head) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), url, tables: tables.filter(isTableName) };
}

/** The tables of runs that have ended without removing them. */
export function findLeftTables(folder: string): readonly LeftTables[] {
  return namesIn(folder).flatMap((name) => {
    const file = join(folder, name);
    const notes = /^[\da-f]{32}\.txt$/.test(name) ? readNotes(file) : undefined;
    return notes === undefined || isOfRunning(notes) ? [] : [{ file, url: notes.url, tables: notes.tables }];
  });
}

/** To be called when the tables are removed. */
export const forgetLeftTables = ({ file }: LeftTables): void => rmSync(file, { force: true });

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There has not been a run yet.
    return [];
  }
}
