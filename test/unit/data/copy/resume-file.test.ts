import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openResumeFile, type ResumeFile, resumeFilePath } from '../../../../src/data/copy/resume-file.ts';
import { ManualTime } from '../../../support/manual-time.ts';
import { developmentKey as key } from '../../../support/table-client.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const endpoint = (account: string) =>
  ({ url: `http://127.0.0.1:1/${account}`, credential: { kind: 'key', account, key } }) as const;
const subject = { from: endpoint('one'), to: endpoint('two'), patterns: ['b', 'a'] };

interface Opened {
  readonly resume: ResumeFile;
  readonly time: ManualTime;
  /** The lines that were reported. */
  readonly said: readonly string[];
}

function open(file: string, restarts = false): Opened {
  const [time, said] = [new ManualTime(), [] as string[]];
  const onUnusable = (reason: string): void => void said.push(`unusable: ${reason}`);
  const onUnwritable = ({ message }: Error): void => void said.push(`unwritable: ${message}`);
  return { resume: openResumeFile({ file, subject, restarts, time, onUnusable, onUnwritable }), time, said };
}

function newFile(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return resumeFilePath(join(folder.path, 'copies'), subject);
}

const progress = { entities: 3, refused: 1, next: { NextPartitionKey: 'p', NextRowKey: 'r' } };

describe('the resume file of a copy', () => {
  it('has entries that are on disk soon after a change, and removed when they are dropped', () => {
    const file = newFile();
    const { resume, time, said } = open(file);
    resume.set('t', progress);
    expect(existsSync(file)).toBe(false);
    time.advance(250);
    expect(open(file).resume.tables).toEqual(new Map([['t', progress]]));
    resume.set('t', { entities: 4, refused: 1, isDone: true });
    resume.drop();
    time.advance(1_000);
    expect([time.pending, readdirSync(dirname(file)), said]).toEqual([0, [], []]);
  });

  it('is emptied immediately by a copy that starts again', () => {
    const file = newFile();
    const { resume } = open(file);
    resume.set('t', progress);
    expect(resume.save()).toBe(true);
    expect(open(file, true).resume.tables.size).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    '',
    '{',
    'null',
    '{"version":1}',
    '{"version":2,"tables":{}}',
    '{"version":1,"tables":{"t":{"entities":1}}}',
    '{"version":1,"tables":{"t":{"entities":-1.5,"refused":0}}}',
    '{"version":1,"tables":{"t":{"entities":1,"refused":0,"next":{"NextPartitionKey":5}}}}',
  ])('is unusable with the content %j, and the copy starts again', (text) => {
    const file = newFile();
    mkdirSync(dirname(file));
    writeFileSync(file, text);
    const { resume, said } = open(file);
    expect([resume.tables.size, said]).toEqual([0, [`unusable: ${file} is damaged or of another version`]]);
    resume.set('t', progress);
    expect(resume.save()).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(key);
  });

  it('is reported once if it cannot be written', () => {
    const { resume, time, said } = open('/dev/null/copies/a.json');
    resume.set('t', progress);
    time.advance(250);
    resume.set('t', { entities: 4, refused: 1 });
    time.advance(250);
    expect(resume.save()).toBe(false);
    expect(said).toEqual([expect.stringMatching(/^unwritable: ENOTDIR/)]);
  });

  it('belongs to a pair of accounts and a selection of tables, in any order', () => {
    const file = resumeFilePath('/x', subject);
    expect(resumeFilePath('/x', { ...subject, patterns: ['a', 'b', 'a'] })).toBe(file);
    expect(resumeFilePath('/x', { ...subject, from: subject.to, to: subject.from })).not.toBe(file);
    expect(resumeFilePath('/x', { ...subject, patterns: ['a'] })).not.toBe(file);
  });
});
