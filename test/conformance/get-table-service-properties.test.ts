import { describe, expect, it } from 'vitest';
import { expectStored, expectXml, propertiesPath, propertiesXml, putXml } from '../support/expect-xml.ts';
import { startService } from '../support/service.ts';

const service = await startService();

const logging =
  '<Logging><Version>1.0</Version><Read>false</Read><Write>false</Write><Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>';
const hour =
  '<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>';
const minute =
  '<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>';
const fresh = `<StorageServiceProperties>${logging}<HourMetrics>${hour}</HourMetrics>${minute}<Cors /></StorageServiceProperties>`;

describe('Get Table Service Properties', () => {
  it("of a new account returns the service's default values", async () => {
    expectXml(await service.get(propertiesPath), fresh);
  });

  it.each([
    '/?comp=properties&restype=service',
    '?restype=service&comp=properties',
    '/?restype=service&comp=properties&timeout=30',
  ])('is available at %s', async (path) => {
    expectXml(await service.get(path), fresh);
  });

  it.each(['application/atom+xml,application/xml', 'application/xml', '*/*', 'application/json', undefined])(
    'is XML for Accept: %s',
    async (Accept) => {
      expectXml(await service.get(propertiesPath, { Accept }), fresh);
    },
  );

  it('has no minute metrics and no CORS before 2013-08-15', async () => {
    const version = '2012-02-12';
    const content = `<StorageServiceProperties>${logging}<Metrics>${hour}</Metrics></StorageServiceProperties>`;
    expectXml(await service.get(propertiesPath, { 'x-ms-version': version }), content, version);
  });

  it("returns rules with their lists in the service's order, prefixes last, without spaces", async () => {
    const rule =
      '<CorsRule><MaxAgeInSeconds>200</MaxAgeInSeconds><ExposedHeaders>x-ms-meta-*, date</ExposedHeaders><AllowedHeaders/>' +
      '<AllowedMethods>GET, PUT</AllowedMethods><AllowedOrigins>https://a.example , https://b.example</AllowedOrigins></CorsRule>';
    expectStored(await putXml(service, propertiesPath, propertiesXml(`<Cors>${rule}</Cors>`)), 202);
    const rendered =
      '<Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>https://a.example,https://b.example</AllowedOrigins>' +
      '<AllowedHeaders /><ExposedHeaders>date,x-ms-meta-*</ExposedHeaders><MaxAgeInSeconds>200</MaxAgeInSeconds></CorsRule></Cors>';
    const answer = await service.get(propertiesPath);
    expect(answer.body).toBe(`\ufeff<?xml version="1.0" encoding="utf-8"?>${fresh.replace('<Cors />', rendered)}`);
    expectStored(await putXml(service, propertiesPath, propertiesXml('<Cors></Cors>')), 202);
    expectXml(await service.get(propertiesPath), fresh);
  });

  it('is separate for each account, and readable on the secondary', async () => {
    const secondary = service.with({ prefix: '/devstoreaccount1-secondary' });
    expectXml(await secondary.send({ method: 'GET', path: propertiesPath }), fresh);
  });

  it.each(['POST', 'DELETE'])('refuses %s', async (method) => {
    expect((await service.send({ method, path: propertiesPath, body: '' })).status).toBe(405);
  });
});
