// Accept headers and versions that Azurite refuses, response headers that it omits, and settings and table names that
// it does not check.

import { describe, expect, it } from 'vitest';
import { codeOf } from '../../support/batch-requests.ts';
import {
  corsRule,
  expectServiceRefusal,
  invalidDocument,
  propertiesPath,
  propertiesXml,
  putXml,
} from '../../support/expect-xml.ts';
import { entityPath, startService } from '../../support/service.ts';

const service = await startService();
await service.createTable('pets');
await service.insert('pets', { n: 1 });

describe('Accept', () => {
  it.each([
    'application/json;charset=utf-8',
    'application/json;odata=minimalmetadata;streaming=true',
    'APPLICATION/JSON;ODATA=NOMETADATA',
    'text/html;q=0.9, application/json;odata=fullmetadata;q=0.5',
    '*/*;q=0.1, application/json',
  ])('is parsed as HTTP defines: %s', async (Accept) => {
    const answer = await service.get('/pets()', { Accept });
    expect([answer.status, answer.header('Content-Type')?.startsWith('application/json;odata=')]).toEqual([200, true]);
  });

  // The request has a version with Atom. Evidence: recorded: from 2015-12-11 on there is no Atom.
  it('of */* does not ask for JSON', async () => {
    const answer = await service.get('/pets()', { Accept: '*/*', 'x-ms-version': '2014-02-14' });
    expect([answer.status, answer.header('Content-Type')?.startsWith('application/atom+xml')]).toEqual([200, true]);
  });

  it('is required: 415', async () => {
    expect((await service.get('/pets()', { Accept: undefined })).status).toBe(415);
  });
});

describe('A success', () => {
  it('has all the headers of the service', async () => {
    const read = await service.get(entityPath('pets'));
    expect(read.header('Cache-Control')).toBe('no-cache');
    expect(read.header('X-Content-Type-Options')).toBe('nosniff');
    expect(read.header('Content-Type')).toBe('application/json;odata=minimalmetadata;streaming=true;charset=utf-8');
    const headers = { Prefer: 'return-no-content' };
    const created = await service.send({ method: 'POST', path: '/Tables', headers, body: '{"TableName":"fresh"}' });
    expect(created.header('Location')).toBe(`${service.base}/Tables('fresh')`);
    expect(created.header('DataServiceId')).toBe(`${service.base}/Tables('fresh')`);
  });
});

describe('A version', () => {
  it('newer than any known one is accepted and repeated', async () => {
    const answer = await service.get('/pets()', { 'x-ms-version': '2030-01-01' });
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, '2030-01-01']);
  });
});

describe('Settings', () => {
  it.each([
    ['six rules', `<Cors>${corsRule({}).repeat(6)}</Cors>`],
    [
      'a retention without days',
      '<Logging><Version>1.0</Version><Read>true</Read><Write>true</Write><Delete>true</Delete><RetentionPolicy><Enabled>true</Enabled></RetentionPolicy></Logging>',
    ],
    [
      'version 9.9',
      '<HourMetrics><Version>9.9</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>',
    ],
  ])('with %s are refused, and not stored', async (_, content) => {
    const { body } = await service.get(propertiesPath);
    expectServiceRefusal(await putXml(service, propertiesPath, propertiesXml(content)), invalidDocument);
    expect((await service.get(propertiesPath)).body).toBe(body);
  });
});

describe('The name of a table', () => {
  it.each([
    ['ab', 'OutOfRangeInput'],
    ['a-b-c', 'InvalidResourceName'],
  ])('that is invalid, %s, is refused with a code: %s', async (name, code) => {
    const answer = await service.send({ method: 'POST', path: '/Tables', body: JSON.stringify({ TableName: name }) });
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  });

  it('that is reserved is refused with a code', async () => {
    const answer = await service.send({ method: 'POST', path: '/Tables', body: '{"TableName":"tables"}' });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidInput']);
  });
});
