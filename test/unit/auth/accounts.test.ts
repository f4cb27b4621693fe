import { describe, expect, it } from 'vitest';
import { createAccounts, createAnyAccounts, createGrowingAccounts, parseAccounts } from '../../../src/auth/accounts.ts';

const key1 = Buffer.from('the first key').toString('base64');
const key2 = Buffer.from('the second ke').toString('base64');

describe('parseAccounts', () => {
  it.each([
    ['one account', `one:${key1}`, [{ name: 'one', keys: [key1] }]],
    ['two keys', `one:${key1}:${key2}`, [{ name: 'one', keys: [key1, key2] }]],
    [
      'more accounts',
      `one:${key1};two2:${key2}`,
      [
        { name: 'one', keys: [key1] },
        { name: 'two2', keys: [key2] },
      ],
    ],
    ['a semicolon at the end', `one:${key1};`, [{ name: 'one', keys: [key1] }]],
    ['quotes around it', `"one:${key1}"`, [{ name: 'one', keys: [key1] }]],
    [
      'single quotes and spaces',
      ` 'one:${key1} ; two:${key2}' `,
      [
        { name: 'one', keys: [key1] },
        { name: 'two', keys: [key2] },
      ],
    ],
    ['a key without padding', 'one:QUJD', [{ name: 'one', keys: ['QUJD'] }]],
    ['a key with plus and slash', 'one:+/+/', [{ name: 'one', keys: ['+/+/'] }]],
  ])('reads %s', (_, text, accounts) => {
    expect(parseAccounts(text)).toEqual(accounts);
  });

  it.each([
    ['nothing', '', 'names no account'],
    ['semicolons alone', ';;', 'names no account'],
    ['a missing key', 'one', 'account one needs one or two keys'],
    ['three keys', `one:${key1}:${key1}:${key1}`, 'account one needs one or two keys'],
    ['an empty key', 'one:', 'a key of account one is not base64'],
    ['an account named twice', `one:${key1};one:${key2}`, 'names an account twice'],
    ['capitals', `One:${key1}`, 'entry 1 begins with no account name'],
    ['a name that is too short', `on:${key1}`, 'entry 1 begins with no account name'],
    ['a name that could leave its folder', `../one:${key1}`, 'entry 1 begins with no account name'],
    [
      'the secondary of an account',
      `one-secondary:${key1}`,
      'account one-secondary cannot be reached: no name ends in -secondary',
    ],
    ['an empty name', `:${key1}`, 'entry 1 begins with no account name'],
  ])('refuses %s', (_, text, reason) => {
    expect(() => parseAccounts(text)).toThrow(reason);
  });

  it.each(['c2VjcmV0=', 'c2Vj cmV0', 'c2VjcmV0_-', 'c2VjcmV'])(
    'refuses a key that is not base64, without repeating it: %s',
    (secret) => {
      expect(() => parseAccounts(`one:${secret}`)).toThrow(/^a key of account one is not base64$/);
    },
  );
});

describe('createAccounts', () => {
  it('finds the keys of each account by its exact name', () => {
    const accounts = createAccounts(parseAccounts(`one:${key1}:${key2};two:${key2}`));
    const exported = (name: string) => accounts.keysOf(name)?.map((key) => key.export().toString());
    expect([...accounts.names()]).toEqual(['one', 'two']);
    expect(exported('one')).toEqual(['the first key', 'the second ke']);
    expect(exported('two')).toEqual(['the second ke']);
    expect(exported('One')).toBeUndefined();
    expect(exported('constructor')).toBeUndefined();
  });
});

describe('createAnyAccounts', () => {
  const accounts = createAnyAccounts([key1, key2]);

  it.each(['abc', 'devstoreaccount1', '123', 'a'.repeat(24)])('accepts %s, with the given keys', (name) => {
    expect(accounts.keysOf(name)?.map((key) => key.export().toString())).toEqual(['the first key', 'the second ke']);
  });

  it.each(['', 'ab', 'a'.repeat(25), 'Abc', 'a-b-c', '../a', 'abc\n', 'constructor!'])('does not accept %j', (name) => {
    expect(accounts.keysOf(name)).toBeUndefined();
  });

  it('lists no accounts, because their number is unlimited', () => {
    expect([...accounts.names()]).toEqual([]);
  });
});

describe('createGrowingAccounts', () => {
  const grown = () => createGrowingAccounts(createAccounts([{ name: 'one', keys: [key1] }]));

  it('has the accounts that it created, each with its own key, and the given ones', () => {
    const accounts = grown();
    const [first, second] = [accounts.add(), accounts.add()];
    expect([...accounts.names()]).toEqual(['one', first.name, second.name]);
    expect(accounts.keysOf(first.name)?.map((key) => key.export().toString('base64'))).toEqual([first.key]);
    expect(first.key).not.toBe(second.key);
  });

  it('has no other name', () => {
    const accounts = grown();
    const { name } = grown().add();
    expect(accounts.keysOf(name)).toBeUndefined();
    expect(accounts.keysOf('one')).toHaveLength(1);
  });

  it('creates names that the service allows', () => {
    expect(grown().add().name).toMatch(/^[a-z0-9]{3,24}$/);
  });
});
