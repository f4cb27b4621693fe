import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/model/service-error.ts';
import {
  type CorsRule,
  defaultServiceProperties,
  type ServiceProperties,
} from '../../../src/model/service-properties.ts';
import {
  decodeServicePropertiesXml,
  renderServicePropertiesXml,
} from '../../../src/protocol/service-properties-xml.ts';
import { serviceProperties } from '../../support/arbitrary-service-properties.ts';

const declaration = '<?xml version="1.0" encoding="utf-8"?>';
const newest = '2019-02-02';
const oldest = '2012-02-12';
const fresh = defaultServiceProperties;
const rootOf = (...parts: string[]): string => `<StorageServiceProperties>${parts.join('')}</StorageServiceProperties>`;
const decode = (text: string, current: ServiceProperties = fresh, version = newest): ServiceProperties =>
  decodeServicePropertiesXml(Buffer.from(text), current, version);

const refusal = (code: string, message: string): ServiceError =>
  expect.objectContaining({ code, status: 400, stage: 'frontEnd', message }) as ServiceError;
const invalidXmlDocument = refusal('InvalidXmlDocument', 'XML specified is not syntactically valid.');
const invalidXmlNodeValue = refusal(
  'InvalidXmlNodeValue',
  'The value for one of the XML nodes is not in the correct format.',
);

const off = '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>';
const daysOf = (days: string): string =>
  `<RetentionPolicy><Enabled>true</Enabled><Days>${days}</Days></RetentionPolicy>`;
const loggingOf = (retention: string, version = '1.0'): string =>
  `<Logging><Version>${version}</Version><Read>true</Read><Write>False</Write><Delete>True</Delete>${retention}</Logging>`;
const logging = loggingOf(daysOf('14'));
const read = { read: true, write: false, delete: true, retentionDays: 14 };
const metricsOf = (name: string, content = `<Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>${off}`): string =>
  `<${name}><Version>1.0</Version>${content}</${name}>`;
const measured = { enabled: true, includesApis: false };

interface RuleTexts {
  readonly origins?: string;
  readonly methods?: string;
  readonly allowed?: string;
  readonly exposed?: string;
  readonly age?: string;
}
const ruleOf = ({ origins = '*', methods = 'GET', allowed = '', exposed = '', age = '5' }: RuleTexts = {}): string =>
  `<CorsRule><AllowedOrigins>${origins}</AllowedOrigins><AllowedMethods>${methods}</AllowedMethods><AllowedHeaders>${allowed}</AllowedHeaders><ExposedHeaders>${exposed}</ExposedHeaders><MaxAgeInSeconds>${age}</MaxAgeInSeconds></CorsRule>`;
const corsOf = (...rules: string[]): string => rootOf(`<Cors>${rules.join('')}</Cors>`);
const names = (count: number, suffix = ''): string =>
  Array.from({ length: count }, (_, index) => `x-${index}${suffix}`).join(',');

describe('The body of Set Table Service Properties', () => {
  it('replaces everything', () => {
    const body = `\ufeff${declaration}
<StorageServiceProperties>
  ${metricsOf('MinuteMetrics')}
  <Cors>
    <CorsRule>
      <AllowedOrigins>https://shop.example, https://admin.example</AllowedOrigins>
      <AllowedMethods>GET,POST,MERGE</AllowedMethods>
      <MaxAgeInSeconds>300</MaxAgeInSeconds>
      <AllowedHeaders>x-ms-*, content-type</AllowedHeaders>
      <ExposedHeaders>x-ms-*</ExposedHeaders>
    </CorsRule>
  </Cors>
  ${logging}
  ${metricsOf('HourMetrics', `<Enabled>False</Enabled>${daysOf('365')}`)}
</StorageServiceProperties>`;
    expect(decode(body)).toEqual({
      logging: read,
      hourMetrics: { enabled: false, includesApis: false, retentionDays: 365 },
      minuteMetrics: measured,
      cors: [
        {
          allowedOrigins: ['https://shop.example', 'https://admin.example'],
          allowedMethods: ['GET', 'POST', 'MERGE'],
          allowedHeaders: ['content-type', 'x-ms-*'],
          exposedHeaders: ['x-ms-*'],
          maxAgeSeconds: 300,
        },
      ],
    });
  });

  const stored = decode(corsOf(ruleOf()));

  it.each([
    ['Logging', logging, { logging: read }],
    ['HourMetrics', metricsOf('HourMetrics'), { hourMetrics: measured }],
    ['MinuteMetrics', metricsOf('MinuteMetrics'), { minuteMetrics: measured }],
    ['Cors', `<Cors>${ruleOf({ age: '6' })}</Cors>`, { cors: [{ ...stored.cors[0], maxAgeSeconds: 6 }] }],
    ['an empty Cors', '<Cors/>', { cors: [] }],
    ['an empty Cors of two tags', '<Cors></Cors>', { cors: [] }],
  ])('with only %s keeps the other parts', (_, part, changed) => {
    expect(decode(rootOf(part), stored)).toEqual({ ...stored, ...changed });
  });

  it('replaces a part completely', () => {
    const current = { ...fresh, logging: read };
    expect(decode(rootOf(loggingOf(off)), current).logging).toEqual({ read: true, write: false, delete: true });
  });

  it('before 2013-08-15 has Logging and Metrics, and does not change other parts', () => {
    const body = rootOf(metricsOf('Metrics'), logging);
    expect(decode(body, stored, oldest)).toEqual({ ...stored, logging: read, hourMetrics: measured });
  });

  it.each([
    ['only Logging', rootOf(logging)],
    ['only Metrics', rootOf(metricsOf('Metrics'))],
    ['HourMetrics', rootOf(logging, metricsOf('HourMetrics'))],
    ['Cors', rootOf(logging, metricsOf('Metrics'), '<Cors/>')],
    ['nothing', rootOf()],
  ])('before 2013-08-15 is refused with %s', (_, body) => {
    expect(() => decode(body, fresh, oldest)).toThrow(invalidXmlDocument);
  });

  it('ignores IncludeAPIs with disabled metrics', () => {
    const part = metricsOf('HourMetrics', `<Enabled>false</Enabled><IncludeAPIs>true</IncludeAPIs>${off}`);
    expect(decode(rootOf(part)).hourMetrics).toEqual({ enabled: false, includesApis: false });
  });

  it.each([
    ['nothing in it', rootOf()],
    ['no root', ''],
    ['another root', '<SignedIdentifiers/>'],
    ['a namespace', '<StorageServiceProperties xmlns="u"/>'],
    ['no end', '<StorageServiceProperties>'],
    ['Metrics', rootOf(metricsOf('Metrics'))],
    ['DefaultServiceVersion', rootOf('<DefaultServiceVersion>2019-02-02</DefaultServiceVersion>', logging)],
    ['StaticWebsite', rootOf('<StaticWebsite><Enabled>false</Enabled></StaticWebsite>', logging)],
    ['DeleteRetentionPolicy', rootOf(`<DeleteRetentionPolicy><Enabled>false</Enabled></DeleteRetentionPolicy>`)],
    ['a part twice', rootOf(logging, logging)],
    ['text between parts', rootOf('and', logging)],
    ['an empty part', rootOf('<Logging/>')],
    ['no Version', rootOf(logging.replace('<Version>1.0</Version>', ''))],
    ['another version of Logging', rootOf(loggingOf(off, '2.0'))],
    ['another version of metrics', rootOf(metricsOf('HourMetrics').replace('1.0', '9.9'))],
    ['no Read', rootOf(logging.replace('<Read>true</Read>', ''))],
    ['no Write', rootOf(logging.replace('<Write>False</Write>', ''))],
    ['no Delete', rootOf(logging.replace('<Delete>True</Delete>', ''))],
    ['no Boolean', rootOf(logging.replace('<Read>true', '<Read>1'))],
    ['an empty Boolean', rootOf(logging.replace('<Read>true', '<Read>'))],
    ['an element in a Boolean', rootOf(logging.replace('<Read>true', '<Read>true<a/>'))],
    ['no RetentionPolicy', rootOf(loggingOf(''))],
    ['an empty RetentionPolicy', rootOf(loggingOf('<RetentionPolicy/>'))],
    ['no Days', rootOf(loggingOf('<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy>'))],
    ['Days of a disabled policy', rootOf(loggingOf(daysOf('7').replace('true', 'false')))],
    ...['0', '366', '-1', '1.5', 'seven', '', '99999999999999999999'].map((days) => [
      `${days || 'no'} days`,
      rootOf(loggingOf(daysOf(days))),
    ]),
    ['no Enabled', rootOf(metricsOf('HourMetrics', `<IncludeAPIs>true</IncludeAPIs>${off}`))],
    ['no IncludeAPIs', rootOf(metricsOf('HourMetrics', `<Enabled>true</Enabled>${off}`))],
    ['no RetentionPolicy of metrics', rootOf(metricsOf('MinuteMetrics', '<Enabled>false</Enabled>'))],
    ['six rules', corsOf(...Array.from({ length: 6 }, () => ruleOf()))],
    ['an element among the rules', corsOf(ruleOf(), '<Rule/>')],
    ['an empty rule', corsOf('<CorsRule/>')],
    ['an unknown element in a rule', corsOf(ruleOf().replace('<AllowedHeaders>', '<Name/><AllowedHeaders>'))],
    ...['AllowedOrigins', 'AllowedMethods', 'AllowedHeaders', 'ExposedHeaders', 'MaxAgeInSeconds'].map((name) => [
      `no ${name}`,
      corsOf(ruleOf().replace(new RegExp(`<${name}>.*</${name}>`), '')),
    ]),
    ['rules of more than 2 KiB', corsOf(...Array.from({ length: 5 }, () => ruleOf({ origins: names(64, '-long') })))],
  ])('is refused with InvalidXmlDocument for %s', (_, body) => {
    expect(() => decode(body as string)).toThrow(invalidXmlDocument);
  });

  it.each([
    ['65 origins', { origins: names(65) }],
    ['65 allowed headers', { allowed: names(65) }],
    ['65 exposed headers', { exposed: names(65) }],
    ['three prefixes of allowed headers', { allowed: names(3, '*') }],
    ['three prefixes of exposed headers', { exposed: names(3, '*') }],
    ['an origin of 257 characters', { origins: 'x'.repeat(257) }],
    ['a header of 257 characters', { allowed: 'x'.repeat(257) }],
    ['no origin', { origins: ' , ' }],
    ['no method', { methods: '' }],
    ['an unknown method', { methods: 'GET,FETCH' }],
    ['a method in lower case', { methods: 'get' }],
    ['a method twice', { methods: 'GET,GET' }],
    ['an age below zero', { age: '-1' }],
    ['an age beyond the largest', { age: '2000000001' }],
    ['an age that is not an integer', { age: '1.5' }],
    ['no age', { age: '' }],
  ])('is refused with InvalidXmlNodeValue for %s', (_, rule) => {
    expect(() => decode(corsOf(ruleOf(rule)))).toThrow(invalidXmlNodeValue);
  });

  it.each([
    ['64 origins', { origins: names(64) }],
    ['64 headers and two prefixes', { allowed: `${names(64)},a*,*`, exposed: `x*,y*,${names(64)}` }],
    ['an origin of 256 characters', { origins: 'x'.repeat(256) }],
    ['every method', { methods: 'DELETE, GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH,TRACE,CONNECT' }],
    ['no headers', { allowed: '', exposed: '' }],
    ['the shortest age', { age: '0' }],
    ['the longest age', { age: '2000000000' }],
  ])('may have a rule with %s', (_, rule) => {
    expect(decode(corsOf(ruleOf(rule))).cors).toHaveLength(1);
  });

  it('may have five rules, two of them the same', () => {
    const ages = decode(corsOf(...['1', '2', '2', '3', '4'].map((age) => ruleOf({ age })))).cors.map(
      ({ maxAgeSeconds }: CorsRule) => maxAgeSeconds,
    );
    expect(ages).toEqual([1, 2, 2, 3, 4]);
  });
});

describe('The body of Get Table Service Properties', () => {
  const whole =
    '<StorageServiceProperties><Logging><Version>1.0</Version><Read>false</Read><Write>false</Write><Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></HourMetrics><MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics><Cors /></StorageServiceProperties>';

  it('is right for a new account', () => {
    expect(renderServicePropertiesXml(fresh, newest).toString()).toBe(`\ufeff${declaration}${whole}`);
  });

  it('before 2013-08-15 has one kind of metrics and no rules', () => {
    expect(renderServicePropertiesXml(fresh, oldest).toString()).toBe(
      `\ufeff${declaration}${whole
        .replaceAll('HourMetrics', 'Metrics')
        .replace(/<MinuteMetrics>.*<\/MinuteMetrics>/, '')
        .replace('<Cors />', '')}`,
    );
  });

  it('has the lists of a rule in the service’s order, names before prefixes', () => {
    const sent = ruleOf({ origins: 'www.a.com,www.b.com', methods: 'GET,PUT', allowed: 'x-d*,x-y', exposed: '' });
    const text = renderServicePropertiesXml(decode(corsOf(sent)), newest).toString();
    expect(text).toContain(
      '<Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>www.a.com,www.b.com</AllowedOrigins><AllowedHeaders>x-y,x-d*</AllowedHeaders><ExposedHeaders /><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule></Cors>',
    );
  });

  it('is parsed to the properties that it contains, for any stored properties', () => {
    fc.assert(
      fc.property(serviceProperties, serviceProperties, (properties, before) => {
        const body = renderServicePropertiesXml(properties, newest);
        expect(decodeServicePropertiesXml(body, before, newest)).toEqual(properties);
        const first = renderServicePropertiesXml(properties, oldest);
        const { logging: kept, hourMetrics } = properties;
        expect(decodeServicePropertiesXml(first, before, oldest)).toEqual({ ...before, logging: kept, hourMetrics });
      }),
    );
  });
});
