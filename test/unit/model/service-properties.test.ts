import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
} from '../../../src/model/service-properties.ts';
import { DamagedText } from '../../../src/model/stored-json.ts';
import { serviceProperties } from '../../support/arbitrary-service-properties.ts';

const stored = encodeServiceProperties(defaultServiceProperties);
const rule =
  '{"allowedOrigins":["*"],"allowedMethods":["GET"],"allowedHeaders":[],"exposedHeaders":[],"maxAgeSeconds":5}';
const withRule = (text: string): string => stored.replace('"cors":[]', `"cors":[${text}]`);

describe('Stored service properties', () => {
  it('read back as they were', () => {
    fc.assert(
      fc.property(serviceProperties, (properties) => {
        expect(decodeServiceProperties(encodeServiceProperties(properties))).toEqual(properties);
      }),
    );
    expect(decodeServiceProperties(withRule(rule)).cors).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['half of it', stored.slice(0, 60)],
    ['a list', '[]'],
    ['nothing inside', '{}'],
    ['a part missing', stored.replace('"cors"', '"rules"')],
    ['a part that is null', stored.replace(/"logging":\{[^}]*\}/, '"logging":null')],
    ['a Boolean that is a text', stored.replace('"read":false', '"read":"false"')],
    ['a Boolean missing', stored.replace('"enabled":true,', '')],
    ['too many days', stored.replace('7', '366')],
    ['no whole number of days', stored.replace('7', '7.5')],
    ['days that are a text', stored.replace('7', '"7"')],
    ['rules that are not a list', stored.replace('"cors":[]', '"cors":{}')],
    ['a rule that is a text', withRule('"*"')],
    ['an unknown method', withRule(rule.replace('GET', 'FETCH'))],
    ['origins that are a text', withRule(rule.replace('["*"]', '"*"'))],
    ['an age below zero', withRule(rule.replace('5', '-5'))],
  ])('throw if damaged: %s', (_, text) => {
    expect(() => decodeServiceProperties(text)).toThrow(DamagedText);
  });
});
