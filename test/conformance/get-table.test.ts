import { describe, it } from 'vitest';
import { expectRefusal, refusal } from '../support/expect-refusal.ts';
import { accepting, expectSuccess } from '../support/expect-success.ts';
import { startService } from '../support/service.ts';

const service = await startService();
const { base } = service;
await service.createTable('Present');

describe('Get Table refuses', () => {
  it('a missing table: 404 ResourceNotFound, not TableNotFound', async () => {
    expectRefusal(await service.get("/Tables('absent')"), refusal('ResourceNotFound'));
  });

  it.each(['x', 'not_a_name', 'tables', '', "o''neil", 'a%20b'])('an invalid name, %j: 404', async (name) => {
    expectRefusal(await service.get(`/Tables('${name}')`), refusal('ResourceNotFound'));
  });
});

describe('Get Table', () => {
  it('answers 200 with the table at each metadata level, without an ETag', async () => {
    const path = "/Tables('Present')";
    expectSuccess(await service.get(path, accepting('nometadata')), {
      status: 200,
      json: ['nometadata', '{"TableName":"Present"}'],
    });
    expectSuccess(await service.get(path, accepting('minimalmetadata')), {
      status: 200,
      json: ['minimalmetadata', `{"odata.metadata":"${base}/$metadata#Tables/@Element","TableName":"Present"}`],
    });
    expectSuccess(await service.get(path, accepting('fullmetadata')), {
      status: 200,
      json: [
        'fullmetadata',
        `{"odata.metadata":"${base}/$metadata#Tables/@Element","odata.type":"devstoreaccount1.Tables",` +
          `"odata.id":"${base}/Tables('Present')","odata.editLink":"Tables('Present')","TableName":"Present"}`,
      ],
    });
  });

  it.each([
    '/Tables(%27Present%27)',
    "/Tables('Present')/",
    "/Tables%28'Present'%29",
    "/Tables( 'Present' )".replaceAll(' ', '%20'),
    "/Tables('pRESENT')",
  ])('finds the table at %s', async (path) => {
    expectSuccess(await service.get(path, accepting('nometadata')), {
      status: 200,
      json: ['nometadata', '{"TableName":"Present"}'],
    });
  });
});
