import { describe, expect, it } from 'vitest';
import { expectRefusal, refusal, unreadable } from '../support/expect-refusal.ts';
import { accepting, expectSuccess } from '../support/expect-success.ts';
import { startService } from '../support/service.ts';
import type { WireAnswer, WireHeaders } from '../support/table-client.ts';

const service = await startService();
const { base } = service;

function create(body: string | undefined, headers: WireHeaders = {}): Promise<WireAnswer> {
  return service.send({ method: 'POST', path: '/Tables', headers, body });
}

const named = (name: string): string => JSON.stringify({ TableName: name });

describe('Create Table refuses to read', () => {
  it.each([
    ['an empty body', ''],
    ['half an object', '{"TableName":"half"'],
    ['an array', '["list"]'],
    ['a string', '"text"'],
    ['an object in an object', '{"TableName":{"Name":"nested"}}'],
  ])('%s: 400 InvalidInput', async (_, body) => {
    expectRefusal(await create(body), unreadable);
  });

  it('a member that occurs twice: 400 DuplicatePropertiesSpecified', async () => {
    expectRefusal(await create('{"TableName":"one","TableName":"two"}'), refusal('DuplicatePropertiesSpecified'));
  });

  // Evidence: the codes for a missing name, and for one that is not a string, are assumed.
  it.each(['{}', '{"TableName":null}', '{"tablename":"lower"}'])('%s: 400 PropertiesNeedValue', async (body) => {
    expectRefusal(await create(body), refusal('PropertiesNeedValue'));
  });

  it.each(['5', 'true'])('TableName %s: 400 InvalidInput', async (value) => {
    expectRefusal(await create(`{"TableName":${value}}`), refusal('InvalidInput', { stage: 'reading' }));
  });
});

describe('Create Table refuses', () => {
  it.each([
    'has_underscore',
    'has-hyphen',
    'has space',
    '1digit',
    'é',
    'tablé',
    'dot.dot',
    '$MetricsTransactionsTable',
  ])('%s: 400 InvalidResourceName', async (name) => {
    expectRefusal(await create(named(name)), refusal('InvalidResourceName'));
  });

  it.each(['tables', 'Tables', 'TABLES'])('%s, a reserved name: 400 InvalidInput', async (name) => {
    expectRefusal(await create(named(name)), refusal('InvalidInput'));
  });

  it('a table that exists, in any case: 409 TableAlreadyExists', async () => {
    await service.createTable('Existing');
    for (const name of ['Existing', 'existing', 'EXISTING']) {
      expectRefusal(await create(named(name)), refusal('TableAlreadyExists'));
    }
  });

  it.each(['return-content', 'return-no-content'])(
    'and repeats Prefer: %s in errors of the operation',
    async (prefer) => {
      const others = ['preference-applied'];
      await create(named('preferred'));
      for (const [name, code] of [
        ['preferred', 'TableAlreadyExists'],
        ['not_a_name', 'InvalidResourceName'],
      ] as const) {
        const answer = await create(named(name), { Prefer: prefer });
        expectRefusal(answer, refusal(code), { others });
        expect(answer.header('Preference-Applied')).toBe(prefer);
      }
    },
  );

  it('and does not repeat Prefer in errors before the operation', async () => {
    expectRefusal(await create('{', { Prefer: 'return-content' }), unreadable);
  });
});

describe('Create Table', () => {
  it('answers 201 with the table at each metadata level', async () => {
    const locationOf = (name: string) => ({ Location: `${base}/Tables('${name}')` });

    const none = await create(named('LevelNone'), accepting('nometadata'));
    expectSuccess(none, {
      status: 201,
      headers: locationOf('LevelNone'),
      json: ['nometadata', '{"TableName":"LevelNone"}'],
    });

    const minimal = await create(named('LevelMinimal'), accepting('minimalmetadata'));
    expectSuccess(minimal, {
      status: 201,
      headers: locationOf('LevelMinimal'),
      json: ['minimalmetadata', `{"odata.metadata":"${base}/$metadata#Tables/@Element","TableName":"LevelMinimal"}`],
    });

    const full = await create(named('LevelFull'), accepting('fullmetadata'));
    expectSuccess(full, {
      status: 201,
      headers: locationOf('LevelFull'),
      json: [
        'fullmetadata',
        `{"odata.metadata":"${base}/$metadata#Tables/@Element","odata.type":"devstoreaccount1.Tables",` +
          `"odata.id":"${base}/Tables('LevelFull')","odata.editLink":"Tables('LevelFull')","TableName":"LevelFull"}`,
      ],
    });
  });

  it('answers 201 with Preference-Applied if Prefer asks for the content', async () => {
    const answer = await create(named('Echoed'), { Prefer: 'return-content', ...accepting('nometadata') });
    expectSuccess(answer, {
      status: 201,
      headers: { Location: `${base}/Tables('Echoed')`, 'Preference-Applied': 'return-content' },
      json: ['nometadata', '{"TableName":"Echoed"}'],
    });
  });

  it('answers 204 without a body if Prefer asks for no content', async () => {
    const answer = await create(named('Silent'), { Prefer: 'return-no-content' });
    const location = `${base}/Tables('Silent')`;
    expectSuccess(answer, {
      status: 204,
      headers: { Location: location, DataServiceId: location, 'Preference-Applied': 'return-no-content' },
    });
  });

  it('ignores every other member of the body', async () => {
    const body = `{"odata.metadata":"x","odata.type":"a.Tables","TableName@odata.type":"Edm.String","Size":5,"TableName":"Alone"}`;
    const answer = await create(body, accepting('nometadata'));
    expect([answer.status, answer.body]).toEqual([201, '{"TableName":"Alone"}']);
  });

  it('is also available at /Tables()', async () => {
    const answer = await service.send({ method: 'POST', path: '/Tables()', body: named('Parenthesised') });
    expect(answer.status).toBe(201);
  });

  it('keeps the case of the name', async () => {
    await create(named('MixedCaseName'));
    const { body } = await service.get("/Tables('MIXEDCASENAME')", accepting('nometadata'));
    expect(body).toBe('{"TableName":"MixedCaseName"}');
  });
});
