import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as readers from './readers.ts';

const seeds = JSON.parse(readFileSync(new URL('seeds.json', import.meta.url), 'utf8')) as Record<string, string[]>;

it('Every reader that Jazzer.js tries has an input to begin with', () => {
  expect(Object.keys(seeds).sort()).toEqual(Object.keys(readers).sort());
});

it.each(Object.entries(readers))('%s: the claims hold for each seed and for each beginning of it', (name, read) => {
  for (const text of seeds[name] ?? []) {
    const bytes = Buffer.from(text);
    for (let end = 0; end <= bytes.length; end++) read(bytes.subarray(0, end));
  }
});
