import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CopyNotes, notesFile, openNotes } from '../../../../src/data/copy/notes.ts';
import { ManualTime } from '../../../support/manual-time.ts';
import { developmentKey as key } from '../../../support/table-client.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const endpoint = (account: string) =>
  ({ url: `http://127.0.0.1:1/${account}`, credential: { kind: 'key', account, key } }) as const;
const subject = { from: endpoint('one'), to: endpoint('two'), patterns: ['b', 'a'] };

interface Opened {
  readonly notes: CopyNotes;
  readonly time: ManualTime;
  /** What was reported. */
  readonly said: readonly string[];
}

function open(file: string, restarts = false): Opened {
  const [time, said] = [new ManualTime(), [] as string[]];
  const onUnusable = (reason: string): void => void said.push(`unusable: ${reason}`);
  const onUnwritable = ({ message }: Error): void => void said.push(`unwritable: ${message}`);
  return { notes: openNotes({ file, subject, restarts, time, onUnusable, onUnwritable }), time, said };
}

function newFile(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return notesFile(join(folder.path, 'copies'), subject);
}

const progress = { entities: 3, refused: 1, next: { NextPartitionKey: 'p', NextRowKey: 'r' } };

describe('the notes of a copy', () => {
  it('are on disk soon after they change, and gone when dropped', () => {
    const file = newFile();
    const { notes, time, said } = open(file);
    notes.set('t', progress);
    expect(existsSync(file)).toBe(false);
    time.advance(250);
    expect(open(file).notes.tables).toEqual(new Map([['t', progress]]));
    notes.set('t', { entities: 4, refused: 1, isDone: true });
    notes.drop();
    time.advance(1_000);
    expect([time.pending, readdirSync(dirname(file)), said]).toEqual([0, [], []]);
  });

  it('are forgotten at once by a copy that restarts', () => {
    const file = newFile();
    const { notes } = open(file);
    notes.set('t', progress);
    expect(notes.save()).toBe(true);
    expect(open(file, true).notes.tables.size).toBe(0);
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
  ])('of %j are unusable, and the copy begins anew', (text) => {
    const file = newFile();
    mkdirSync(dirname(file));
    writeFileSync(file, text);
    const { notes, said } = open(file);
    expect([notes.tables.size, said]).toEqual([0, [`unusable: ${file} is damaged or of another version`]]);
    notes.set('t', progress);
    expect(notes.save()).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(key);
  });

  it('say once that they cannot be written', () => {
    const { notes, time, said } = open('/dev/null/copies/a.json');
    notes.set('t', progress);
    time.advance(250);
    notes.set('t', { entities: 4, refused: 1 });
    time.advance(250);
    expect(notes.save()).toBe(false);
    expect(said).toEqual([expect.stringMatching(/^unwritable: ENOTDIR/)]);
  });

  it('are of one pair of accounts and one selection of tables, in any order', () => {
    const file = notesFile('/x', subject);
    expect(notesFile('/x', { ...subject, patterns: ['a', 'b', 'a'] })).toBe(file);
    expect(notesFile('/x', { ...subject, from: subject.to, to: subject.from })).not.toBe(file);
    expect(notesFile('/x', { ...subject, patterns: ['a'] })).not.toBe(file);
  });
});
