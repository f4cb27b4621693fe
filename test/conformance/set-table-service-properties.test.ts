import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import {
  type CorsRuleText,
  corsRule,
  expectServiceRefusal,
  expectStored,
  invalidDocument,
  invalidValue,
  propertiesPath,
  propertiesXml,
  putXml,
} from '../support/expect-xml.ts';
import { keepsData, startService } from '../support/service.ts';
import { openClient } from '../support/table-client.ts';

const service = await startService();

const off = '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>';
const days = (count: string): string =>
  `<RetentionPolicy><Enabled>true</Enabled><Days>${count}</Days></RetentionPolicy>`;
const logging = (retention = off, version = '1.0'): string =>
  `<Logging><Version>${version}</Version><Read>true</Read><Write>true</Write><Delete>false</Delete>${retention}</Logging>`;
const metrics = (name: string, inside: string, retention = off): string =>
  `<${name}><Version>1.0</Version>${inside}${retention}</${name}>`;
const enabled = '<Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>';
const cors = (...rules: CorsRuleText[]): string => `<Cors>${rules.map(corsRule).join('')}</Cors>`;
const items = (count: number, prefix = 'x'): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(',');

const set = (content: string, headers = {}) => putXml(service, propertiesPath, propertiesXml(content), headers);
const stored = async (): Promise<string> => (await service.get(propertiesPath)).body;

describe('Set Table Service Properties refuses', () => {
  it.each([
    ['nothing to set', ''],
    ['an unknown part', '<DefaultServiceVersion>2019-02-02</DefaultServiceVersion>'],
    ['a part of another service', '<DeleteRetentionPolicy><Enabled>false</Enabled></DeleteRetentionPolicy>'],
    ['the metrics of older versions', metrics('Metrics', enabled)],
    ['a part twice', '<Cors/><Cors/>'],
    ['logging of another version', logging(off, '2.0')],
    ['logging without Delete', logging().replace('<Delete>false</Delete>', '')],
    ['logging without its retention', logging('')],
    ['a retention without its days', logging('<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy>')],
    ['no day', logging(days('0'))],
    ['366 days', logging(days('366'))],
    ['days that are not a number', logging(days('week'))],
    ['metrics without IncludeAPIs', metrics('HourMetrics', '<Enabled>true</Enabled>')],
    ['metrics that are neither on nor off', metrics('MinuteMetrics', '<Enabled>maybe</Enabled>')],
    ['six rules', cors({}, {}, {}, {}, {}, {})],
    ['a rule without its age', cors({}).replace(/<MaxAge.*Seconds>/, '')],
    ['an unknown member of a rule', cors({}).replace('</CorsRule>', '<Name>a</Name></CorsRule>')],
  ])('%s: 400 InvalidXmlDocument', async (_, content) => {
    const before = await stored();
    expectServiceRefusal(await set(content), invalidDocument);
    expect(await stored()).toBe(before);
  });

  it.each([
    ['65 origins', { origins: items(65) }],
    ['no origin', { origins: '' }],
    ['no method', { methods: '' }],
    ['an unknown method', { methods: 'GET,FETCH' }],
    ['65 allowed headers', { allowed: items(65) }],
    ['65 exposed headers', { exposed: items(65) }],
    ['three beginnings of allowed headers', { allowed: 'a*,b*,c*' }],
    ['three beginnings of exposed headers', { exposed: 'a*,b*,c*' }],
    ['an origin of 257 characters', { origins: 'o'.repeat(257) }],
    ['an age below zero', { maxAge: '-1' }],
    ['an age that is not a number', { maxAge: 'long' }],
    ['an age beyond 2000000000', { maxAge: '2000000001' }],
  ])('%s: 400 InvalidXmlNodeValue', async (_, rule) => {
    const before = await stored();
    expectServiceRefusal(await set(cors(rule)), invalidValue);
    expect(await stored()).toBe(before);
  });

  it.each(['', 'nonsense', '<StorageServiceProperties>', '<Properties/>', '<?xml version="1.0"?>'])(
    'a malformed document: %j',
    async (body) => {
      expectServiceRefusal(await putXml(service, propertiesPath, body), invalidDocument);
    },
  );

  it('the secondary', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    expect((await putXml(secondary, propertiesPath, propertiesXml('<Cors/>'))).status).toBe(403);
  });
});

describe('Set Table Service Properties', () => {
  it.each([
    ['a day', logging(days('1'))],
    ['a year', logging(days('365'))],
    ['booleans with a capital', logging().replaceAll('true', 'True').replaceAll('false', 'False')],
    ['metrics off, without IncludeAPIs', metrics('HourMetrics', '<Enabled>false</Enabled>')],
    ['five rules', cors({}, {}, {}, {}, {})],
    [
      '64 origins, 64 names, two beginnings',
      cors({ origins: items(64), allowed: `${items(64)},a*,b*`, exposed: 'a*,b*' }),
    ],
    ['every method', cors({ methods: 'DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH' })],
    ['an age of 0', cors({ maxAge: '0' })],
    ['an age of 2000000000', cors({ maxAge: '2000000000' })],
    ['an origin of 256 characters', cors({ origins: 'o'.repeat(256) })],
  ])('stores %s: 202 in chunks, without a body', async (_, content) => {
    expectStored(await set(content), 202);
  });

  it('changes only the parts that are given', async () => {
    await set(
      logging(days('3')) +
        metrics('HourMetrics', enabled, days('4')) +
        metrics('MinuteMetrics', enabled, days('5')) +
        cors({ origins: 'https://a.example' }),
    );
    const [first, second, third, fourth] = ['<Days>3</Days>', '<Days>4</Days>', '<Days>5</Days>', 'https://a.example'];
    const kept = async (): Promise<boolean[]> => {
      const body = await stored();
      return [first, second, third, fourth].map((text) => body.includes(text!));
    };
    expect(await kept()).toEqual([true, true, true, true]);
    await set(logging());
    expect(await kept()).toEqual([false, true, true, true]);
    await set(metrics('HourMetrics', enabled));
    expect(await kept()).toEqual([false, false, true, true]);
    await set('<Cors/>');
    expect(await kept()).toEqual([false, false, true, false]);
    await set(metrics('MinuteMetrics', '<Enabled>false</Enabled>'));
    expect(await kept()).toEqual([false, false, false, false]);
  });

  it('requires logging and metrics together before 2013-08-15, and does not change the rules', async () => {
    await set(cors({ origins: 'https://kept.example' }));
    const older = { 'x-ms-version': '2012-02-12' };
    expect((await set(logging(), older)).status).toBe(400);
    expect((await set(logging() + metrics('Metrics', enabled, days('9')), older)).status).toBe(202);
    expect(await stored()).toContain(
      '<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>9</Days>',
    );
    expect(await stored()).toContain('https://kept.example');
  });

  it('changes only the parts that are given, while concurrent requests change others', async () => {
    for (let round = 0; round < 10; round++) {
      const [version, origin] = [String((round % 9) + 1), `https://round${round}.example`];
      const parts = [logging(days(version)), metrics('HourMetrics', enabled, days(version)), cors({ origins: origin })];
      const answers = await Promise.all(parts.map((part) => set(part)));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      const now = await stored();
      expect(now.split(`<Days>${version}</Days>`)).toHaveLength(3);
      expect(now).toContain(origin);
    }
  });

  it('of one account does not affect another', async () => {
    const emulator = await startEmulator({ accounts: 'any' });
    const client = openClient(emulator.url);
    const [one, two] = ['one', 'two'].map((account) => client.with({ account, prefix: `/${account}` }));
    await putXml(one!, propertiesPath, propertiesXml(cors({ origins: 'https://one.example' })));
    const bodies = [one!, two!].map(async (of) => (await of.send({ method: 'GET', path: propertiesPath })).body);
    const [first, second] = await Promise.all(bodies);
    expect([first?.includes('one.example'), second?.includes('<Cors />')]).toEqual([true, true]);
    await client.close();
    await emulator.close();
  });

  it.runIf(keepsData)('survives a restart, with its rules in effect', async () => {
    const location = await mkdtemp(join(tmpdir(), 'tanzanite-properties-'));
    const content = logging(days('11')) + cors({ origins: 'https://kept.example' });
    const first = await startEmulator({ location });
    const before = openClient(first.url);
    expectStored(await putXml(before, propertiesPath, propertiesXml(content)), 202);
    const { body } = await before.send({ method: 'GET', path: propertiesPath });
    await before.close();
    await first.close();

    const second = await startEmulator({ location });
    const after = openClient(second.url);
    const answer = await after.send({
      method: 'GET',
      path: propertiesPath,
      headers: { Origin: 'https://kept.example' },
    });
    expect([answer.body, answer.header('Access-Control-Allow-Origin')]).toEqual([body, 'https://kept.example']);
    await after.close();
    await second.close();
    await rm(location, { recursive: true });
  });
});
