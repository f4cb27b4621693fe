import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { expectRefusal, headerNames, refusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { openClient, type WireAnswer, type WireHeaders } from '../support/table-client.ts';

const service = await startService();
await service.createTable('pets');

// Source: docs, Versioning for the Azure Storage services.
const beforeJson = ['2009-09-19', '2011-08-18', '2012-02-12'];
const withJson =
  `2013-08-15 2014-02-14 2015-02-21 2015-04-05 2015-07-08 2015-12-11 2016-05-31 2017-04-17 2017-07-29 2017-11-09 2018-03-28
   2018-11-09 2019-02-02 2019-07-07 2019-10-10 2019-12-12 2020-02-10 2020-04-08 2020-06-12 2020-08-04 2020-10-02 2020-12-06
   2021-02-12 2021-04-10 2021-06-08 2021-08-06 2021-10-04 2021-12-02 2022-11-02 2023-01-03 2023-08-03 2023-11-03 2024-02-04
   2024-05-04 2024-08-04 2024-11-04 2025-01-05 2025-05-05 2025-07-05 2025-11-05 2026-02-06 2026-04-06 2026-06-06`.split(
    /\s+/,
  );

function at(version: string | undefined, path = '/Tables', headers: WireHeaders = {}): Promise<WireAnswer> {
  return service.get(path, { 'x-ms-version': version, ...accepting('nometadata'), ...headers });
}

describe('A version that exists', () => {
  it('is answered in JSON from 2013-08-15 on, and repeated', async () => {
    const seen: unknown[] = [];
    for (const version of withJson) {
      const answer = await at(version);
      seen.push([answer.status, answer.header('x-ms-version'), answer.body]);
    }
    expect(seen).toEqual(withJson.map((version) => [200, version, '{"value":[{"TableName":"pets"}]}']));
  });

  it.each(beforeJson)('does not answer in JSON before that, %s: 415 JsonFormatNotSupported', async (version) => {
    const answer = await at(version);
    expectRefusal(answer, refusal('JsonFormatNotSupported'), { contentType: 'application/xml;charset=utf-8' });
    expect(answer.header('x-ms-version')).toBe(version);
  });

  it('is not repeated before 2009-09-19', async () => {
    expect((await at('2009-04-14')).header('x-ms-version')).toBeUndefined();
  });
});

describe('A version newer than any known one', () => {
  it.each(['2026-06-07', '2027-01-01', '2099-12-31'])('is treated as the newest and repeated: %s', async (version) => {
    const answer = await at(version);
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, version]);
  });
});

describe('The accepted versions', () => {
  it.each([
    ['known', [200, 400, 400]],
    ['newer', [200, 200, 400]],
    ['any', [200, 200, 200]],
  ] as const)('are configurable: %s', async (apiVersions, statuses) => {
    const emulator = await startEmulator({ apiVersions });
    const client = openClient(emulator.url);
    const seen: number[] = [];
    for (const version of ['2026-06-06', '2099-12-31', '2018-06-28']) {
      const headers = { 'x-ms-version': version };
      seen.push((await client.send({ method: 'GET', path: '/Tables', headers })).status);
    }
    await client.close();
    await emulator.close();
    expect(seen).toEqual(statuses);
  });
});

describe('No version', () => {
  it.each([undefined, ''])('is treated as the newest: %j', async (version) => {
    const answer = await at(version);
    expect([answer.status, answer.header('x-ms-version')]).toEqual([200, withJson.at(-1)]);
  });
});

describe('A version that does not exist', () => {
  const unknown = [
    '2018-06-28',
    '2019-02-03',
    '12.0.0b1',
    'latest',
    '2019-2-2',
    '20190202',
    '2099-1-1',
    '2019-02-02, 2019-02-02',
  ];

  it.each(unknown)('%s answers 400 InvalidHeaderValue, in XML for any Accept', async (version) => {
    const answer = await at(version);
    expect([answer.status, answer.header('Content-Type'), answer.header('Server')]).toEqual([
      400,
      'application/xml',
      'Microsoft-HTTPAPI/2.0',
    ]);
    const id = answer.header('x-ms-request-id') ?? '';
    const time = /Time:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z)/.exec(answer.body)?.[1] ?? 'none';
    expect(answer.body.replace(/^\ufeff/, '')).toBe(
      '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n' +
        '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">\r\n' +
        '  <code>InvalidHeaderValue</code>\r\n' +
        '  <message xml:lang="en-US">The value for one of the HTTP headers is not in the correct format.\n' +
        `RequestId:${id}\nTime:${time}</message>\r\n</error>`,
    );
  });

  it('answers with a byte order mark, a Content-Length, and neither x-ms-version nor x-ms-error-code', async () => {
    const answer = await at('2018-06-28');
    expect(answer.header('Content-Length')).toBe(String(Buffer.byteLength(answer.body)));
    // Evidence: recorded (py-tables, 2020-07-24): 371 bytes, of which three are the mark.
    expect([answer.body.startsWith('\ufeff'), Buffer.byteLength(answer.body)]).toEqual([true, 371]);
    expect(headerNames(answer)).toEqual(['content-length', 'content-type', 'date', 'server', 'x-ms-request-id']);
  });
});

describe('x-ms-client-request-id', () => {
  const echoOf = async (version: string, id: string): Promise<string | undefined> =>
    (await at(version, '/Tables', { 'x-ms-client-request-id': id })).header('x-ms-client-request-id');

  it('is repeated from 2019-02-02 on, also in errors', async () => {
    expect(await echoOf('2019-02-02', 'a-b-c')).toBe('a-b-c');
    const answer = await at('2019-02-02', entityPath('absent'), { 'x-ms-client-request-id': 'refused' });
    expect([answer.status, answer.header('x-ms-client-request-id')]).toEqual([404, 'refused']);
  });

  it.each(['2015-07-08', '2016-05-31', '2017-04-17', '2018-03-28'])('is not repeated at %s', async (version) => {
    expect(await echoOf(version, 'a-b-c')).toBeUndefined();
  });

  it('of more than 1 KiB is not repeated', async () => {
    expect(await echoOf('2019-02-02', 'i'.repeat(1024))).toBe('i'.repeat(1024));
    expect(await echoOf('2019-02-02', 'i'.repeat(1025))).toBeUndefined();
  });
});

describe('x-ms-request-id', () => {
  it('differs for each response', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(async () => (await at('2019-02-02')).header('x-ms-request-id')));
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

describe('The text of InvalidInput', () => {
  it('is general before 2016-05-31, and specific from then on', async () => {
    for (const [version, text] of [
      ['2015-12-11', 'One of the request inputs is not valid.'],
      ['2016-05-31', 'Bad Request - Error in query syntax.'],
    ] as const) {
      const answer = await at(version, entityPath('pets', 'a%2Fb'));
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(`"value":"${text}\\nRequestId:`)]);
    }
  });
});
