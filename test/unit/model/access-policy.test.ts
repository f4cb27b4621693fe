import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeSignedIdentifiers,
  encodeSignedIdentifiers,
  findIdentifier,
  isTablePermission,
} from '../../../src/model/access-policy.ts';
import { DamagedText } from '../../../src/model/stored-json.ts';
import { signedIdentifiers } from '../../support/arbitrary-service-properties.ts';

describe('The permission of a stored policy', () => {
  it.each(['r', 'a', 'u', 'd', 'raud', 'rad', 'au', 'duar'])('can be %s', (text) => {
    expect(isTablePermission(text)).toBe(true);
  });

  it.each(['', 'w', 'R', 'rx', 'r a', 'rr', 'raudr', 'r\n'])('cannot be %j', (text) => {
    expect(isTablePermission(text)).toBe(false);
  });
});

describe('Stored access policies', () => {
  it('are found by their exact identifier', () => {
    const list = [{ id: 'one' }, { id: 'One', permission: 'r' }];
    expect(findIdentifier(list, 'One')).toBe(list[1]);
    expect(findIdentifier(list, 'ONE')).toBeUndefined();
  });

  it('are stored as JSON without absent members', () => {
    const start = '2024-01-01T00:00:00.0000000Z';
    expect(encodeSignedIdentifiers([{ id: 'a', start }, { id: 'b' }])).toBe(
      `[{"id":"a","start":"${start}"},{"id":"b"}]`,
    );
  });

  it('read back as they were', () => {
    fc.assert(
      fc.property(signedIdentifiers, (list) => {
        expect(decodeSignedIdentifiers(encodeSignedIdentifiers(list))).toEqual(list);
      }),
    );
  });

  it.each([
    '',
    '{',
    '{}',
    'null',
    '[null]',
    '[[]]',
    '[{}]',
    '[{"id":5}]',
    '[{"id":"a","start":"yesterday"}]',
    '[{"id":"a","start":"2024-01-01T00:00:00Z"}]',
    '[{"id":"a","expiry":5}]',
    '[{"id":"a","permission":"w"}]',
    '[{"id":"a","permission":null}]',
  ])('throw if damaged: %s', (text) => {
    expect(() => decodeSignedIdentifiers(text)).toThrow(DamagedText);
  });
});
