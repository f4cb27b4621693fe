import { beforeEach, describe, expect, it } from 'vitest';
import {
  answersIn,
  batchBody,
  callsOn,
  changesetBody,
  expectFailure,
  type InnerCall,
  type InnerResponse,
  partsOf,
  requestPart,
  sendBatch,
} from '../support/batch-requests.ts';
import { expectFrontEndRefusal, failed } from '../support/expect-front-end-refusal.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { accepting } from '../support/expect-success.ts';
import { entityPath, startService } from '../support/service.ts';
import {
  batchedNames,
  type Credential,
  lines,
  type OperationName,
  operationNames,
  outcomes,
  storedPolicies,
} from '../support/shared-access-matrix.ts';
import { beyondRange, noPermission } from '../support/shared-access-refusals.ts';
import { accountToken, holderOf, momentAt, tableToken } from '../support/shared-access-tokens.ts';
import type { TableClient, WireAnswer, WireRequest } from '../support/table-client.ts';

const service = await startService();
const atSecondary = service.with({ prefix: '/devstoreaccount1-secondary' });

type Sender = Pick<TableClient, 'send'>;

interface Asked {
  readonly request: WireRequest;
  readonly isRead?: true;
  readonly at?: Sender;
}

const matching = { 'If-Match': '*' };
const keyed = entityPath('pets');
const changed = '{"n":2}';
const properties =
  '<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>x</AllowedOrigins><AllowedMethods>GET</AllowedMethods>' +
  '<AllowedHeaders/><ExposedHeaders/><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>';
const xml = { 'Content-Type': 'application/xml', Accept: 'application/xml' };

const requests: Readonly<Record<OperationName, Asked>> = {
  QueryTables: { request: { method: 'GET', path: '/Tables' }, isRead: true },
  GetTable: { request: { method: 'GET', path: "/Tables('pets')" }, isRead: true },
  CreateTable: { request: { method: 'POST', path: '/Tables', body: '{"TableName":"fresh"}' } },
  DeleteTable: { request: { method: 'DELETE', path: "/Tables('pets')" } },
  QueryEntities: { request: { method: 'GET', path: '/pets()' }, isRead: true },
  GetEntity: { request: { method: 'GET', path: keyed }, isRead: true },
  InsertEntity: { request: { method: 'POST', path: '/pets', body: '{"PartitionKey":"p","RowKey":"new"}' } },
  UpdateEntity: { request: { method: 'PUT', path: keyed, headers: matching, body: changed } },
  MergeEntity: { request: { method: 'MERGE', path: keyed, headers: matching, body: changed } },
  InsertOrReplaceEntity: { request: { method: 'PUT', path: keyed, body: changed } },
  InsertOrMergeEntity: { request: { method: 'MERGE', path: keyed, body: changed } },
  DeleteEntity: { request: { method: 'DELETE', path: keyed, headers: matching } },
  GetTableAcl: { request: { method: 'GET', path: '/pets?comp=acl' }, isRead: true },
  SetTableAcl: { request: { method: 'PUT', path: '/pets?comp=acl', headers: xml, body: '<SignedIdentifiers/>' } },
  GetTableServiceProperties: { request: { method: 'GET', path: '/?restype=service&comp=properties' }, isRead: true },
  SetTableServiceProperties: {
    request: { method: 'PUT', path: '/?restype=service&comp=properties', headers: xml, body: properties },
  },
  GetTableServiceStats: {
    request: { method: 'GET', path: '/?restype=service&comp=stats' },
    isRead: true,
    at: atSecondary,
  },
};

const otherKey = Buffer.alloc(64, 9).toString('base64');
const yesterday = (): string => new Date(Date.now() - 86_400_000).toUTCString();

/** The request with a credential. */
async function sendWith(credential: Credential, { request, at = service }: Asked): Promise<WireAnswer> {
  const client = at === atSecondary ? atSecondary : service;
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

function codeIn(body: string): string {
  return /"code":"(\w+)"/.exec(body)?.[1] ?? /<(?:m:)?code>(\w+)</.exec(body)?.[1] ?? '';
}

function outcomeOf({ status, body }: Pick<WireAnswer, 'status' | 'body'>): string {
  if (status >= 300) return `${status} ${codeIn(body)}`;
  return body.includes('"value":[]') ? 'done, empty' : 'done';
}

/** Everything that an operation could have changed, read with the key. */
async function stateOf(): Promise<string> {
  const paths = ['/Tables', '/pets()', '/pets?comp=acl', '/?restype=service&comp=properties'];
  const answers = await Promise.all(paths.map((path) => service.get(path, accepting('nometadata'))));
  return answers
    .map(({ status, body }) => `${status} ${body.replace(/\n(?:RequestId|Time):[^\n"<]*/g, '')}`)
    .join('\n');
}

/** Restores the initial state. */
async function reset(): Promise<void> {
  await service.send({ method: 'DELETE', path: "/Tables('fresh')" });
  await service.send({ method: 'DELETE', path: "/Tables('pets')" });
  await service.createTable('pets');
  await service.insert('pets', { n: 1 });
  await put('/pets?comp=acl', storedPolicies);
  await put('/?restype=service&comp=properties', '<StorageServiceProperties><Cors/></StorageServiceProperties>');
}

async function put(path: string, body: string): Promise<void> {
  const { status } = await service.send({ method: 'PUT', path, headers: xml, body });
  expect([202, 204]).toContain(status);
}

interface Cell {
  readonly column: string;
  readonly expected: string;
  readonly isRead: boolean;
  readonly ask: () => Promise<string>;
}

/** Sends the request of every cell of a line; a refused one must change nothing, and an accepted one must take effect. */
async function checkLine(cells: readonly Cell[]): Promise<void> {
  let before = await stateOf();
  const seen: string[] = [];
  for (const { column, isRead, ask } of cells) {
    const outcome = await ask();
    seen.push(`${column}: ${outcome}`);
    const after = await stateOf();
    const isDone = outcome.startsWith('done');
    expect(after !== before, `${column}, ${outcome}: whether anything has changed`).toBe(isDone && !isRead);
    if (after === before) continue;
    await reset();
    before = await stateOf();
  }
  expect(seen).toEqual(cells.map(({ column, expected }) => `${column}: ${expected}`));
}

function innerCall({ method, path, headers, body }: WireRequest): InnerCall {
  return {
    method,
    url: `${service.base}${path}`,
    headers: headers as Readonly<Record<string, string>>,
    ...(body === undefined ? {} : { body: String(body) }),
  };
}

async function askInBatch(credential: Credential, { request, isRead }: Asked): Promise<string> {
  const call = innerCall({ headers: {}, ...request });
  const body = isRead ? batchBody([requestPart(call)]) : changesetBody([call]);
  const headers = { 'Content-Type': 'multipart/mixed; boundary=batch_a' };
  const answer = await sendWith(credential, { request: { method: 'POST', path: '/$batch', headers, body } });
  if (answer.status !== 202) return outcomeOf(answer);
  const inner = partsOf(answer).flatMap((part): readonly InnerResponse[] =>
    part.kind === 'single' ? [part.answer] : part.answers,
  );
  expect(inner).toHaveLength(1);
  return outcomeOf(inner[0]!);
}

describe('The matrix of credentials and operations', () => {
  beforeEach(reset);

  it('has a letter for every cell', () => {
    for (const { title, direct, batched } of lines) {
      expect([title, direct.length, batched.length]).toEqual([title, operationNames.length, batchedNames.length]);
      for (const letter of direct + batched) expect(outcomes).toHaveProperty([letter]);
    }
  });

  it.each(lines)('gives $title the documented access, and no more', async ({ credential, direct }) => {
    await checkLine(
      operationNames.map((column, index) => ({
        column,
        expected: outcomes[direct[index]!]!,
        isRead: requests[column].isRead ?? false,
        ask: async () => outcomeOf(await sendWith(credential, requests[column])),
      })),
    );
  });

  it.each(lines)('gives $title in a batch the documented access, and no more', async ({ credential, batched }) => {
    await checkLine(
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
  it('reaches no other table, and writes to none', async () => {
    await reset();
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

  it('of the token itself is one of the front end', async () => {
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

  it('of the resource type is one of the service', async () => {
    const { send } = holderOf(service, accountToken({ sp: 'rwdlacu', srt: 's' }));
    expectRefusal(await send({ method: 'POST', path: '/Tables', body: '{"TableName":"fresh"}' }), {
      ...beyondRange,
      code: 'AuthorizationResourceTypeMismatch',
      message: 'This request is not authorized to perform this operation using this resource type.',
    });
  });

  it('of policies and settings has the form of those operations', async () => {
    const { send } = holderOf(service, tableToken('pets', { sp: 'raud' }));
    const answer = await send({ method: 'GET', path: '/pets?comp=acl' });
    expect([answer.status, answer.header('x-ms-error-code'), answer.header('Content-Type')]).toEqual([
      403,
      'AuthorizationFailure',
      'application/xml',
    ]);
  });
});
