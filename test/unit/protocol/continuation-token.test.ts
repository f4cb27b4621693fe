import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/model/service-error.ts';
import { formatTicks } from '../../../src/model/ticks.ts';
import {
  decodeEntityTokens,
  decodeTableToken,
  decodeToken,
  encodeTableToken,
  encodeToken,
} from '../../../src/protocol/continuation-token.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });

function isRefused(decode: () => unknown): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    return error instanceof ServiceError && error.code === 'InvalidInput';
  }
}

describe('A continuation token', () => {
  it.each([
    ['row-1', '1!8!cm93LTE-'],
    ['', '1!0!'],
    ['a', '1!4!YQ--'],
    ['\u00fb\u00ff', '1!8!w7vDvw--'],
    ['~~~???', '1!8!fn5*Pz8_'],
  ])('of %j is %s', (key, token) => {
    expect(encodeToken(key)).toBe(token);
    expect(decodeToken(token)).toBe(key);
  });

  it('is parsed to the key from which it was made, and needs escaping only for exclamation marks', () => {
    fc.assert(
      fc.property(text, (key) => {
        const token = encodeToken(key);
        expect(decodeToken(token)).toBe(key);
        expect(token).toMatch(/^1!\d+![A-Za-z0-9*_-]*$/);
      }),
    );
  });

  it('that was changed is refused, or is parsed to another key', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.constantFrom('', '!', '-', 'A', '0', '*', '%', '='), (key, at, insert) => {
        const token = encodeToken(key);
        const place = at % (token.length + 1);
        const spoilt = token.slice(0, place) + insert + token.slice(place + 1);
        if (spoilt === token) return;
        expect(isRefused(() => decodeToken(spoilt)) || encodeToken(decodeToken(spoilt)) === spoilt).toBe(true);
      }),
    );
  });

  it.each([
    '',
    'a',
    '1!',
    '1!4',
    '2!4!YQ--',
    '1!3!YQ--',
    '1!04!YQ--',
    '1!4!YR--',
    '1!4!YQ==',
    '1!2!YQ',
    '1!4!*w--',
    ' 1!4!YQ--',
    '1!4!YQ--\n',
    '1!-4!YQ--',
  ])('cannot be %j', (token) => {
    expect(isRefused(() => decodeToken(token))).toBe(true);
  });
});

describe('The tokens of an entity query', () => {
  it('name the key at which it continues', () => {
    expect(decodeEntityTokens(undefined, undefined)).toBeUndefined();
    expect(decodeEntityTokens('1!4!YQ--', '1!8!cm93LTE-')).toEqual({ partitionKey: 'a', rowKey: 'row-1' });
    expect(decodeEntityTokens('1!4!YQ--', undefined)).toEqual({ partitionKey: 'a', rowKey: '' });
  });

  it('are refused if the partition key is missing or either is empty', () => {
    expect(isRefused(() => decodeEntityTokens(undefined, '1!4!YQ--'))).toBe(true);
    expect(isRefused(() => decodeEntityTokens('1!4!YQ--', ''))).toBe(true);
    expect(isRefused(() => decodeEntityTokens('', undefined))).toBe(true);
  });
});

describe('The token of a table query', () => {
  it('equals the recorded token', () => {
    // FILETIME 0x01d685733e5fa939, in ticks since the year 1.
    const createdAt = formatTicks(0x01d685733e5fa939n + 504_911_232_000_000_000n);
    const token = encodeTableToken({ name: 'MyTable', createdAt });
    expect(token).toBe(encodeToken('mytable\u000101d685733e5fa939'));
    expect(decodeTableToken(token)).toBe('mytable');
    expect(decodeTableToken(undefined)).toBeUndefined();
  });

  it.each([
    'mytable',
    'mytable\u0001',
    'mytable\u000101D685733E5FA939',
    'mytable\u000101d685733e5fa93',
    'a\u0001b\u000101d685733e5fa939',
  ])('cannot be %j', (inner) => {
    expect(isRefused(() => decodeTableToken(encodeToken(inner)))).toBe(true);
  });
});
