import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Asked,
  accessOutcome,
  batchedOutcome,
  checkLine,
  inBatch,
  requests,
  resetAccess,
} from '../support/access-lines.ts';
import { answersIn, callsOn, changesetBody, expectFailure, sendBatch } from '../support/batch-requests.ts';
import { expectFrontEndRefusal, failed } from '../support/expect-front-end-refusal.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import { batchedNames, type Credential, lines, operationNames, outcomes } from '../support/shared-access-matrix.ts';
import { beyondRange, noPermission } from '../support/shared-access-refusals.ts';
import { accountToken, holderOf, momentAt, tableToken } from '../support/shared-access-tokens.ts';
import type { WireAnswer } from '../support/table-client.ts';

const service = await startService();
const atSecondary = service.with({ prefix: '/devstoreaccount1-secondary' });

const otherKey = Buffer.alloc(64, 9).toString('base64');
const yesterday = (): string => new Date(Date.now() - 86_400_000).toUTCString();

/** Sends the request with a credential. */
async function sendWith(credential: Credential, { request, isOfSecondary }: Asked): Promise<WireAnswer> {
  const client = isOfSecondary ? atSecondary : service;
  switch (credential.kind) {
    case 'key':
      return client.send(request);
    case 'none':
      return client.send({ ...request, headers: { ...request.headers, Authorization: undefined } });
    case 'wrongKey':
      return client.with({ key: otherKey }).send(request);
    case 'staleDate':
      return client.send({ ...request, headers: { ...request.headers, 'x-ms-date': yesterday() } });
    case 'token':
      return holderOf(client, credential.token).send(request);
  }
}

async function askInBatch(credential: Credential, asked: Asked): Promise<string> {
  return batchedOutcome(await sendWith(credential, { request: inBatch(service, asked) }));
}

describe('The matrix of credentials and operations', () => {
  beforeEach(() => resetAccess(service));

  it('has an entry for every cell', () => {
    for (const { title, direct, batched } of lines) {
      expect([title, direct.length, batched.length]).toEqual([title, operationNames.length, batchedNames.length]);
      for (const letter of direct + batched) expect(outcomes).toHaveProperty([letter]);
    }
  });

  it.each(lines)('gives $title the documented access, and no more', async ({ credential, direct }) => {
    await checkLine(
      service,
      operationNames.map((column, index) => ({
        column,
        expected: outcomes[direct[index]!]!,
        isRead: requests[column].isRead ?? false,
        ask: async () => accessOutcome(await sendWith(credential, requests[column])),
      })),
    );
  });

  it.each(lines)('gives $title in a batch the documented access, and no more', async ({ credential, batched }) => {
    await checkLine(
      service,
      batchedNames.map((column, index) => ({
        column,
        expected: outcomes[batched[index]!]!,
        isRead: requests[column].isRead ?? false,
        ask: () => askInBatch(credential, requests[column]),
      })),
    );
  });
});

describe('A batch with the token of one table', () => {
  it('cannot access another table, and then writes nothing', async () => {
    await resetAccess(service);
    await service.createTable('others');
    const holder = holderOf(service, tableToken('pets', { sp: 'raud' }));
    const answer = await sendBatch(holder, changesetBody([callsOn(service.base, 'others').insert('1')]));
    expectFailure(answer, beyondRange, { preference: 'return-no-content' });
    const mixed = [callsOn(service.base, 'pets').insert('2'), callsOn(service.base, 'others').insert('2')];
    expect(answersIn(await sendBatch(holder, changesetBody(mixed)))[0]?.status).toBe(403);
    expect((await service.get('/others()', accepting('nometadata'))).body).toBe('{"value":[]}');
    expect((await service.get(entityPath('pets', 'p', '2'))).status).toBe(404);
  });

  it('gains no access by a token in the address of an inner request', async () => {
    const holder = holderOf(service, tableToken('pets', { sp: 'r' }));
    const full = tableToken('pets', { sp: 'raud' });
    const call = { method: 'POST', url: `${service.base}/pets?${full}`, body: '{"PartitionKey":"p","RowKey":"x"}' };
    expectFailure(await sendBatch(holder, changesetBody([call])), noPermission);
  });
});

describe('A refusal', () => {
  it('of a missing permission hides that the table is missing', async () => {
    const { send } = holderOf(service, tableToken('absent', { sp: 'a' }));
    expectRefusal(await send({ method: 'GET', path: '/absent()' }), noPermission);
  });

  it('of the token itself has the form of the front end', async () => {
    const { send } = holderOf(service, tableToken('pets', { sp: 'r', se: momentAt(-1000) }));
    expectFrontEndRefusal(await send({ method: 'GET', path: '/pets()' }), failed);
  });

  it('of the address of the caller names the address in the reason and in the text', async () => {
    const { send } = holderOf(service, tableToken('pets', { sp: 'r', sip: '168.1.5.60-168.1.5.70' }));
    expectFrontEndRefusal(await send({ method: 'GET', path: '/pets()' }), {
      ...failed,
      code: 'AuthorizationSourceIPMismatch',
      message: 'This request is not authorized to perform this operation using this source IP 127.0.0.1.',
    });
  });

  it('of the resource type has the form of the service', async () => {
    const { send } = holderOf(service, accountToken({ sp: 'rwdlacu', srt: 's' }));
    expectRefusal(await send({ method: 'POST', path: '/Tables', body: '{"TableName":"fresh"}' }), {
      ...beyondRange,
      code: 'AuthorizationResourceTypeMismatch',
      message: 'This request is not authorized to perform this operation using this resource type.',
    });
  });

  it('of an operation on policies or settings has the form of those operations', async () => {
    const { send } = holderOf(service, tableToken('pets', { sp: 'raud' }));
    const answer = await send({ method: 'GET', path: '/pets?comp=acl' });
    expect([answer.status, answer.header('x-ms-error-code'), answer.header('Content-Type')]).toEqual([
      403,
      'AuthorizationFailure',
      'application/xml',
    ]);
  });
});
