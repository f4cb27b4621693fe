import { describe, expect, it } from 'vitest';
import { readWords } from '../../../src/cli/read-words.ts';

describe('readWords', () => {
  it.each([
    [['help'], ['--help']],
    [
      ['help', 'start'],
      ['start', '--help'],
    ],
    [
      ['help', 'connection-string'],
      ['connection-string', '--help'],
    ],
  ])('reads %j as %j', (words, read) => {
    expect(readWords(words)).toEqual(read);
  });

  it.each([
    [
      ['start', '--silent', 'true', '--loose=false'],
      ['start', '--silent'],
    ],
    [['--silent=true', '--loose', 'false'], ['--silent']],
  ])('takes values off the switches of a start: %j', (words, read) => {
    expect(readWords(words)).toEqual(read);
  });

  it.each([
    { words: [] },
    { words: ['health', '-s', 'true'] },
    { words: ['explain', '--silent', 'true'] },
    { words: ['start', 'help'] },
  ])('leaves the rest: $words', ({ words }) => {
    expect(readWords(words)).toEqual(words);
  });
});
