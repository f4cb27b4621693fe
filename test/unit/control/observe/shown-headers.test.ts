import { describe, expect, it } from 'vitest';
import { shownHeaders } from '../../../../src/control/observe/shown-headers.ts';

const shown = (name: string, value: string): string | undefined => shownHeaders({ [name]: value })[0]?.[1];

describe('Headers that are shown', () => {
  it.each([
    ['authorization', 'SharedKeyLite devstoreaccount1:c2VjcmV0', 'SharedKeyLite devstoreaccount1:REDACTED'],
    ['authorization', 'SharedKey a:c2VjcmV0', 'SharedKey a:REDACTED'],
    ['authorization', 'Bearer c2VjcmV0', 'Bearer REDACTED'],
    ['authorization', 'c2VjcmV0', 'REDACTED'],
    ['proxy-authorization', 'Basic c2VjcmV0', 'Basic REDACTED'],
    ['cookie', 'session=c2VjcmV0', 'REDACTED'],
    ['referer', 'https://h/?sv=1&sig=c2VjcmV0&se=2', 'https://h/?sv=1&sig=REDACTED&se=2'],
    ['x-ms-copy-source', 'https://h/?SIG=c2VjcmV0', 'https://h/?SIG=REDACTED'],
  ])('contain no secret: %s: %s', (name, value, expected) => {
    expect(shown(name, value)).toBe(expected);
  });

  it.each([0, 3_000])('contain no part of a secret in a long value, after %i characters', (chars) => {
    const value = shown('referer', `https://h/?a=${'x'.repeat(chars)}&sig=${'c2VjcmV0'.repeat(1_000)}`) ?? '';
    expect(value).not.toContain('c2VjcmV0');
  });

  it('include those of the request and of the response, with each value of a repeated header', () => {
    expect(shownHeaders({ accept: 'a', 'set-cookie': ['x', 'y'], none: undefined })).toEqual([
      ['accept', 'a'],
      ['set-cookie', 'REDACTED'],
      ['set-cookie', 'REDACTED'],
    ]);
    expect(shownHeaders([['ETag', 'W/"1"']])).toEqual([['ETag', 'W/"1"']]);
  });

  it('have a limited size', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x-${at}`, 'v'.repeat(50_000)]));
    expect(JSON.stringify(shownHeaders(many)).length).toBeLessThan(300_000);
  });
});
