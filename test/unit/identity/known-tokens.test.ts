import { describe, expect, it } from 'vitest';
import { type KnownToken, KnownTokens } from '../../../src/identity/known-tokens.ts';
import { readToken } from '../../../src/identity/read-token.ts';
import { unsignedToken } from '../../support/bearer-tokens.ts';

const knownOf = (name: string): KnownToken => ({ token: readToken(unsignedToken({ oid: name })), given: undefined });

describe('Known tokens', () => {
  it('are dropped when a key changes, and a token that was verified before the change is not added', () => {
    const tokens = new KnownTokens();
    const [first, second] = [knownOf('first'), knownOf('second')];
    tokens.add(first, 1);
    expect(tokens.find(first.token.text, 1)).toBe(first);
    expect(tokens.find(first.token.text, 2)).toBeUndefined();
    tokens.add(second, 1);
    expect(tokens.find(second.token.text, 2)).toBeUndefined();
    tokens.add(second, 2);
    expect(tokens.find(second.token.text, 2)).toBe(second);
  });

  it('are limited in number: the least recently used token is dropped', () => {
    const tokens = new KnownTokens(3);
    const all = ['a', 'b', 'c', 'd'].map(knownOf);
    for (const known of all.slice(0, 3)) tokens.add(known, 1);
    expect(tokens.find(all[0]!.token.text, 1)).toBe(all[0]);
    tokens.add(all[3]!, 1);
    expect(all.map(({ token }) => tokens.find(token.text, 1) !== undefined)).toEqual([true, false, true, true]);
  });

  it('are at most a thousand', () => {
    const tokens = new KnownTokens();
    const all = Array.from({ length: 1_001 }, (_, at) => knownOf(String(at)));
    for (const known of all) tokens.add(known, 1);
    expect(all.filter(({ token }) => tokens.find(token.text, 1) !== undefined)).toHaveLength(1_000);
  });
});
