import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CopyOptions, newTally } from '../../src/data/copy/copy-account.ts';
import { notesFile, openNotes } from '../../src/data/copy/notes.ts';
import type { TableEndpoint } from '../../src/data/table-endpoint.ts';
import { systemModelTime } from '../../src/model/time.ts';
import { developmentKey } from './table-client.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const developmentCredential = { kind: 'key', account: 'devstoreaccount1', key: developmentKey } as const;

export interface TestCopy extends CopyOptions {
  /** Of the notes. */
  readonly file: string;
  /** Tables that were begun anew, each with its reason. */
  readonly begunAnew: readonly (readonly [string, string])[];
}

/** A copy that verifies, with notes in a folder of the test's own. */
export function copyBetween(from: TableEndpoint, to: TableEndpoint, patterns: readonly string[] = []): TestCopy {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const subject = { from, to, patterns };
  const file = notesFile(join(folder.path, 'copies'), subject);
  const unexpected = (...words: unknown[]): never => {
    throw new Error(words.join(' '));
  };
  const time = systemModelTime;
  const notes = openNotes({ file, subject, restarts: false, time, onUnusable: unexpected, onUnwritable: unexpected });
  const begunAnew: (readonly [string, string])[] = [];
  const onBegunAnew = (table: string, reason: string): void => void begunAnew.push([table, reason]);
  const { signal } = new AbortController();
  return { ...subject, file, notes, signal, time, verifies: true, tally: newTally(), begunAnew, onBegunAnew };
}
