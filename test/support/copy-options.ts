import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CopyOptions, newTally } from '../../src/data/copy/copy-account.ts';
import { openResumeFile, resumeFilePath } from '../../src/data/copy/resume-file.ts';
import type { TableEndpoint } from '../../src/data/table-endpoint.ts';
import { systemModelTime } from '../../src/model/time.ts';
import { developmentKey } from './table-client.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const developmentCredential = { kind: 'key', account: 'devstoreaccount1', key: developmentKey } as const;

export interface TestCopy extends CopyOptions {
  /** The path of the resume file. */
  readonly file: string;
  /** Tables for which the copy started again, each with the reason. */
  readonly startedOver: readonly (readonly [string, string])[];
}

/** Options of a copy that verifies. Its resume file is in a folder of the test. */
export function copyBetween(from: TableEndpoint, to: TableEndpoint, patterns: readonly string[] = []): TestCopy {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const subject = { from, to, patterns };
  const file = resumeFilePath(join(folder.path, 'copies'), subject);
  const unexpected = (...words: unknown[]): never => {
    throw new Error(words.join(' '));
  };
  const time = systemModelTime;
  const resume = openResumeFile({
    file,
    subject,
    restarts: false,
    time,
    onUnusable: unexpected,
    onUnwritable: unexpected,
  });
  const startedOver: (readonly [string, string])[] = [];
  const onStartedOver = (table: string, reason: string): void => void startedOver.push([table, reason]);
  const { signal } = new AbortController();
  return { ...subject, file, resume, signal, time, verifies: true, tally: newTally(), startedOver, onStartedOver };
}
