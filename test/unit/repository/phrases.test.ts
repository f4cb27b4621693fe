import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../../scripts/phrases.mjs';

const found = (file: string, content: string): readonly string[] =>
  faultsOf(file, content).map(({ phrase, line }) => `${line}: ${phrase}`);

describe('the check of phrases', () => {
  it('finds forbidden phrases in comments, strings and titles', () => {
    expect(found('a.ts', '// Begin anew.\nconst a = 1;\n/** A table\n * beside it. */')).toEqual([
      '1: anew',
      '4: beside',
    ]);
    expect(found('a.ts', "it('is no number', () => {});")).toEqual(['1: is no number']);
    expect(found('a.ts', 'throw new Error(`it is read at once`);')).toEqual(['1: at once']);
    expect(found('a.tsx', 'const a = <p>It stands there</p>;')).toEqual(['1: stands']);
  });

  it('leaves out code, and text that is quoted as code', () => {
    expect(found('a.ts', 'const anew = beside;\n// Sets `anew`.')).toEqual([]);
    expect(found('a.md', 'Run `anew`.\n```sh\nanew\n```\nBegin anew.')).toEqual(['5: anew']);
  });

  it('accepts phrases that are usual in English', () => {
    const usual = ['There is no table.', 'It is no longer there.', 'A star stands for any text.', 'Two at a time.'];
    expect(usual.flatMap((text) => found('a.md', text))).toEqual([]);
  });
});
