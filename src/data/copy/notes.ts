// What a copy remembers on disk, so that the next run of the same copy goes on where it was. The file holds no key and no
// value of an entity but the keys of continuations.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MachineTime } from '../../model/time.ts';
import type { Continuation } from '../table-client.ts';
import type { TableEndpoint } from '../table-endpoint.ts';

export interface TableProgress {
  /** So many entities are written. */
  readonly entities: number;
  /** Everything before this is written; absent at the beginning of a table. */
  readonly next?: Continuation | undefined;
  /** Everything is. */
  readonly isDone?: true;
}

export interface CopyNotes {
  /** By name, as they are in the source; empty for a copy that begins. */
  readonly tables: ReadonlyMap<string, TableProgress>;
  set(table: string, progress: TableProgress): void;
  /** Writes what is not written yet. */
  save(): void;
  /** Removes the file. */
  drop(): void;
}

/** The two accounts and the tables. */
export interface CopySubject {
  readonly from: TableEndpoint;
  readonly to: TableEndpoint;
  readonly patterns: readonly string[];
}

/** The file of a copy in a folder. Its name tells nothing. */
export function notesFile(folder: string, { from, to, patterns }: CopySubject): string {
  const subject = JSON.stringify([accountOf(from), accountOf(to), [...new Set(patterns)].sort()]);
  return join(folder, `${createHash('sha256').update(subject).digest('hex').slice(0, 32)}.json`);
}

const accountOf = ({ url, credential }: TableEndpoint): readonly string[] =>
  credential.kind === 'key' ? [url, credential.account] : [url];

interface NotesOptions {
  readonly file: string;
  readonly subject: CopySubject;
  /** Forgets an earlier run. */
  readonly restarts: boolean;
  readonly time: Pick<MachineTime, 'monotonicMs'>;
  /** Once: the file cannot be written, and the copy goes on without it. */
  readonly onUnwritable: (error: Error) => void;
}

const version = 1;
const saveEveryMs = 250;

export function openNotes({ file, subject, restarts, time, onUnwritable }: NotesOptions): CopyNotes {
  const tables = restarts ? new Map<string, TableProgress>() : readNotes(file);
  let [savedMs, isSaved, isWritable] = [time.monotonicMs(), true, true];
  const save = (): void => {
    if (isSaved || !isWritable) return;
    [savedMs, isSaved] = [time.monotonicMs(), true];
    const content = { version, from: subject.from.url, to: subject.to.url, tables: Object.fromEntries(tables) };
    try {
      writeWhole(file, `${JSON.stringify(content)}\n`);
    } catch (error) {
      isWritable = false;
      onUnwritable(error as Error);
    }
  };
  return {
    tables,
    save,
    set(table, progress) {
      tables.set(table, progress);
      isSaved = false;
      if (time.monotonicMs() - savedMs >= saveEveryMs) save();
    },
    drop() {
      isSaved = true;
      rmSync(file, { force: true });
    },
  };
}

/** The whole of it or nothing of it, readable by its owner only. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

/** What the file says; a file that is absent, damaged or of another version says nothing. */
function readNotes(file: string): Map<string, TableProgress> {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown; tables?: unknown };
    if (content.version !== version || typeof content.tables !== 'object' || content.tables === null) return new Map();
    const entries = Object.entries(content.tables);
    return entries.every(isEntry) ? new Map(entries) : new Map();
  } catch {
    return new Map();
  }
}

function isEntry(entry: [string, unknown]): entry is [string, TableProgress] {
  const { entities, next, isDone } = (entry[1] ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(entities) || (isDone !== undefined && isDone !== true)) return false;
  if (next === undefined) return true;
  const { NextPartitionKey, NextRowKey } = (next ?? {}) as Record<string, unknown>;
  return typeof NextPartitionKey === 'string' && (NextRowKey === undefined || typeof NextRowKey === 'string');
}
