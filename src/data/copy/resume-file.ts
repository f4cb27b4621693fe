// The state that a copy keeps on disk, so that the next run of the same copy continues where the previous run stopped.
// The file contains no entities, but it contains keys as parts of continuations.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Cancel, MachineTime } from '../../model/time.ts';
import type { Continuation } from '../table-client.ts';
import type { TableEndpoint } from '../table-endpoint.ts';

export interface TableProgress {
  /** How many entities of the source come before `next`. */
  readonly entities: number;
  /** How many of them the target refused. */
  readonly refused: number;
  /** Where the copy continues: everything before it is written. Absent at the beginning of a table. */
  readonly next?: Continuation | undefined;
  /** Everything is written. */
  readonly isDone?: true;
}

export interface ResumeFile {
  /** The progress of each table, by its name in the source. Empty for a new copy. */
  readonly tables: ReadonlyMap<string, TableProgress>;
  set(table: string, progress: TableProgress): void;
  /** Writes what is not written yet. Returns whether the file has everything. */
  save(): boolean;
  /** Removes the file. */
  drop(): void;
}

/** What is copied: the two accounts, and the patterns of the tables. */
export interface CopySubject {
  readonly from: TableEndpoint;
  readonly to: TableEndpoint;
  readonly patterns: readonly string[];
}

/** The file of a copy in a folder. Its name does not reveal the accounts or tables. */
export function resumeFilePath(folder: string, { from, to, patterns }: CopySubject): string {
  const subject = JSON.stringify([accountOf(from), accountOf(to), [...new Set(patterns)].sort()]);
  return join(folder, `${createHash('sha256').update(subject).digest('hex').slice(0, 32)}.json`);
}

const accountOf = ({ url, credential }: TableEndpoint): readonly string[] =>
  credential.kind === 'key' ? [url, credential.account] : [url];

interface ResumeFileOptions {
  readonly file: string;
  readonly subject: CopySubject;
  /** Whether to ignore an earlier run. */
  readonly restarts: boolean;
  readonly time: Pick<MachineTime, 'after'>;
  /** Called if the file of an earlier run cannot be used. This run then starts over. The text says why. */
  readonly onUnusable: (reason: string) => void;
  /** Called once if the file cannot be written. The copy continues without it. */
  readonly onUnwritable: (error: Error) => void;
}

const version = 1;
/** If the process is killed, at most the progress of this time is lost. */
const saveAfterMs = 250;

export function openResumeFile({
  file,
  subject,
  restarts,
  time,
  onUnusable,
  onUnwritable,
}: ResumeFileOptions): ResumeFile {
  const tables = new Map(restarts ? [] : readResumeFile(file, onUnusable));
  let [isSaved, isWritable] = [true, true];
  const attempt = (change: () => void): void => {
    try {
      change();
    } catch (error) {
      isWritable = false;
      onUnwritable(error as Error);
    }
  };
  if (restarts) attempt(() => removeResumeFile(file));
  let cancel: Cancel | undefined;
  const settle = (): void => {
    cancel?.();
    [cancel, isSaved] = [undefined, true];
  };
  const save = (): boolean => {
    if (isSaved || !isWritable) return isWritable;
    settle();
    const content = { version, from: subject.from.url, to: subject.to.url, tables: Object.fromEntries(tables) };
    attempt(() => writeWhole(file, `${JSON.stringify(content)}\n`));
    return isWritable;
  };
  return {
    tables,
    save,
    set(table, progress) {
      tables.set(table, progress);
      isSaved = false;
      if (isWritable) cancel ??= time.after(saveAfterMs, save);
    },
    drop() {
      settle();
      removeResumeFile(file);
    },
  };
}

/** The state only in memory, for a user without a folder for the file. The next run starts over. */
export function resumeInMemory(): ResumeFile {
  const tables = new Map<string, TableProgress>();
  return {
    tables,
    set: (table, progress) => void tables.set(table, progress),
    save: () => false,
    drop: () => undefined,
  };
}

/** Also removes temporary files that a killed run left. */
function removeResumeFile(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(file))) rmSync(join(folder, name), { force: true });
  }
}

/** Writes the file atomically, readable only by its owner. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The entries of the file; none if it is absent. */
function readResumeFile(file: string, onUnusable: ResumeFileOptions['onUnusable']): readonly [string, TableProgress][] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') onUnusable((error as Error).message);
    return [];
  }
  const entries = parseResumeFile(text);
  if (!entries) onUnusable(`${file} is damaged or of another version`);
  return entries ?? [];
}

function parseResumeFile(text: string): readonly [string, TableProgress][] | undefined {
  try {
    const content = JSON.parse(text) as { version?: unknown; tables?: unknown } | null;
    if (content?.version !== version || typeof content.tables !== 'object') return undefined;
    const entries = Object.entries(content.tables ?? {});
    return entries.every(isEntry) ? entries : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(entry: [string, unknown]): entry is [string, TableProgress] {
  const { entities, refused, next, isDone } = (entry[1] ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(entities) || !Number.isSafeInteger(refused) || (isDone !== undefined && isDone !== true))
    return false;
  if (next === undefined) return true;
  const { NextPartitionKey, NextRowKey } = (next ?? {}) as Record<string, unknown>;
  return typeof NextPartitionKey === 'string' && (NextRowKey === undefined || typeof NextRowKey === 'string');
}
