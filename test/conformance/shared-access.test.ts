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
import {
  accountText,
  accountToken,
  holderOf,
  momentAt,
  queryOf,
  signatureOf,
  tableText,
  tableToken,
  withToken,
} from '../support/shared-access-tokens.ts';
import {
  developmentKey,
  type TableClient,
  type WireAnswer,
  type WireHeaders,
  type WireRequest,
} from '../support/table-client.ts';

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

/** The request as it comes with a credential. */
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

/** All that an operation could have changed, read with the key. */
async function stateOf(): Promise<string> {
  const paths = ['/Tables', '/pets()', '/pets?comp=acl', '/?restype=service&comp=properties'];
  const answers = await Promise.all(paths.map((path) => service.get(path, accepting('nometadata'))));
  return answers
    .map(({ status, body }) => `${status} ${body.replace(/\n(?:RequestId|Time):[^\n"<]*/g, '')}`)
    .join('\n');
}

/** Puts everything back. */
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

/** Asks for every cell of a line; what is refused must have left everything as it was, and what is done must show. */
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

describe('A token on the wire', () => {
  const statusOf = async (query: string, headers: WireHeaders = {}, path = '/pets()'): Promise<number> => {
    const request = { method: 'GET', path: withToken(path, query), headers: { Authorization: undefined, ...headers } };
    return (await service.send(request)).status;
  };

  it('is ignored if there is an Authorization header', async () => {
    expect((await service.get(withToken('/pets()', 'sig=AAAA&tn=pets&sv=2019-02-02'))).status).toBe(200);
    const token = tableToken('pets', { sp: 'r' });
    expect(await statusOf(token, { Authorization: 'SharedKeyLite devstoreaccount1:AAAA' })).toBe(403);
    expect(await statusOf(token, { Authorization: 'nonsense' })).toBe(400);
  });

  it('may have a plus sign for a space, and a space for a plus sign in its signature', async () => {
    await put(
      '/pets?comp=acl',
      `<SignedIdentifiers><SignedIdentifier><Id>a b</Id><AccessPolicy><Expiry>${momentAt(60_000)}</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`,
    );
    const token = tableToken('pets', { se: undefined, si: 'a b' });
    expect(await statusOf(token.replace('si=a%20b', 'si=a+b'))).toBe(200);
    const plus = Array.from({ length: 200 }, (_, index) => tableToken('pets', { sp: 'r', spk: ` ${index}` })).find(
      (one) => one.includes('%2B'),
    );
    expect(await statusOf(plus?.replaceAll('%2B', '+') ?? 'none')).toBe(200);
  });

  it.each([
    ['2099-01-01', 200],
    ['2099-01-01T00:00Z', 200],
    ['2099-01-01T00:00:00Z', 200],
    ['2099-01-01T00:00:00+02:00', 200],
    ['2099-01-01T00:00:00.0000000Z', 403],
    ['2099-01-01T00:00:00', 403],
    ['tomorrow', 403],
    ['2099-13-01', 403],
  ])('may expire at %s: %i', async (se, status) => {
    expect(await statusOf(tableToken('pets', { sp: 'r', se }))).toBe(status);
  });

  it('must not repeat a clause with another value', async () => {
    const token = tableToken('pets', { sp: 'r', se: momentAt(-60_000) });
    expect(await statusOf(`${token}&se=2099-01-01`)).not.toBe(200);
    expect(await statusOf(`se=2099-01-01&${token}`)).not.toBe(200);
    const narrow = tableToken('pets', { sp: 'r', spk: 'q' });
    for (const query of [`${narrow}&spk=a`, `spk=a&${narrow}`, `SPK=a&${narrow}`, `${narrow}&SPK=a`]) {
      const answer = await service.send({
        method: 'GET',
        path: `/pets()?${query}`,
        headers: { Authorization: undefined },
      });
      expect(answer.status === 200 ? answer.body.includes('"RowKey"') : false, query).toBe(false);
    }
  });

  it('determines the version of the response, unless a header or api-version does', async () => {
    const token = tableToken('pets', { sp: 'r', sv: '2020-04-08' });
    const versionOf = async (query: string, version?: string): Promise<string | undefined> => {
      const headers = { Authorization: undefined, 'x-ms-version': version };
      return (await service.send({ method: 'GET', path: `/pets()?${query}`, headers })).header('x-ms-version');
    };
    expect(await versionOf(token)).toBe('2020-04-08');
    expect(await versionOf(token, '2019-02-02')).toBe('2019-02-02');
    expect(await versionOf(`${token}&api-version=2018-03-28`, '2019-02-02')).toBe('2018-03-28');
  });

  it('with an unknown version is refused as a token, not for a header', async () => {
    for (const sv of ['banana', '2018-06-28']) {
      const path = `/pets()?${tableToken('pets', { sp: 'r' }).replace(/(^|&)sv=[^&]*/, `$1sv=${sv}`)}`;
      const headers = { Authorization: undefined, 'x-ms-version': undefined };
      const { status, body } = await service.send({ method: 'GET', path, headers });
      expect([status, codeIn(body)], sv).toEqual([403, 'AuthenticationFailed']);
    }
  });

  it('reads on the secondary too, and cannot write there', async () => {
    await reset();
    const { send } = holderOf(atSecondary, tableToken('pets', { sp: 'raud' }));
    expect((await send({ method: 'GET', path: '/pets()' })).status).toBe(200);
    const answer = await send({ method: 'POST', path: '/pets', body: '{"PartitionKey":"p","RowKey":"x"}' });
    expect(outcomeOf(answer)).toBe('403 InsufficientAccountPermissions');
  });
});

describe('The account token', () => {
  it('is signed with a final newline: a signature without it is refused', async () => {
    const clauses = { sv: '2020-12-06', ss: 't', srt: 'co', sp: 'rl', se: '2099-01-01T00:00:00Z' };
    const text = accountText(clauses);
    const open = async (signed: string): Promise<number> => {
      const path = `/Tables?${queryOf(clauses, signatureOf(signed))}`;
      return (await service.send({ method: 'GET', path, headers: { Authorization: undefined } })).status;
    };
    expect([await open(text), await open(text.slice(0, -1)), await open(`${text}\n`)]).toEqual([200, 403, 403]);
  });

  it('of 2018-11-09 is signed without the line added in 2020-12-06: a signature with it is refused', async () => {
    const clauses = { sv: '2018-11-09', ss: 't', srt: 'co', sp: 'rl', se: '2099-01-01T00:00:00Z' };
    const path = `/Tables?${queryOf(clauses, signatureOf(`${accountText(clauses)}\n`))}`;
    expect((await service.send({ method: 'GET', path, headers: { Authorization: undefined } })).status).toBe(403);
  });
});

// Source: the documentation of the strings to sign; made with data-tables for JavaScript 13.3.2 where it can make them.
describe('The tokens of these tests', () => {
  const se = '2030-01-01T00:00:00Z';
  const st = '2024-01-01T00:00:00Z';

  it.each([
    [{ tn: 'Inventory', sv: '2012-02-12', sp: 'raud', st, se }, '/IA7fQuE/7C0xZp9z5+sFrrbDyt5lIZ+odm+4/Q0AVg='],
    [
      { tn: 'Inventory', sv: '2013-08-15', sp: 'r', se, spk: 'a', epk: 'm' },
      'ahAvu6I6DzOarzw3IrHNcbslGqS0s4z9cIEiP397N7Y=',
    ],
    [{ tn: 'Inventory', sv: '2015-02-21', sp: 'r', se }, 'Brg77pyniWGizz8K0IaQ9TwUaaPX5HGV3gEqJJGFZms='],
    [{ tn: 'Inventory', sv: '2019-02-02', si: 'ReadersPolicy' }, 'FtRJ1EltJLOroWON96gGYyZFios3kAOvuZmb/F8qPxU='],
    [
      { tn: 'Inventory', sv: '2020-12-06', sp: 'r', st, se, spr: 'https' },
      'XYU8UDqVYL6088cs3QIiQdqj1peYn7xGbwwwedqRu0g=',
    ],
    [
      { tn: 'Inventory', sv: '2019-02-02', sp: 'r', se, spk: 'a b+c', epk: "é'" },
      'uKSqtt0oGld88hnfkOWGlD3/3S6EmE9/jOQ/uDY9+T8=',
    ],
  ])('are signed as the documented table token: %j', (clauses, signature) => {
    expect(signatureOf(tableText(clauses), { key: developmentKey })).toBe(signature);
  });

  it.each([
    [
      { sv: '2019-02-02', ss: 't', srt: 'sco', sp: 'rwdlau', st, se, spr: 'https,http' },
      'o6bIffBK+CqM0tNDbG4+ZoWpIKZxL5iGVF+KRgYsR+U=',
    ],
    [
      { sv: '2020-12-06', ss: 't', srt: 'co', sp: 'rl', se, spr: 'https' },
      'lEjn/AArJw+TrqmMisG16wo3LsecHU5BnZUObgWkPnI=',
    ],
    [
      { sv: '2021-12-02', ss: 'bt', srt: 'o', sp: 'r', se, sip: '10.0.0.1', spr: 'https', ses: 'myscope' },
      'IPlDyT8qjIz4cL7qyB+yGbJEMBIo2/iNn/LMG8XnazI=',
    ],
  ])('are signed as the documented account token: %j', (clauses, signature) => {
    expect(signatureOf(accountText(clauses))).toBe(signature);
  });
});

describe('A token with a clause twice', () => {
  const table = tableToken('pets', { sp: 'r', st: momentAt(-60_000), spk: 'p', epk: 'p' });
  const account = accountToken({ sp: 'r' });
  const names = (token: string): string[] => token.split('&').map((clause) => clause.split('=', 1)[0] ?? '');
  const twice = (token: string, name: string): string =>
    `${token}&${token.split('&').find((clause) => clause.startsWith(`${name}=`))}`;

  it.each<readonly [what: string, token: string]>([
    ...names(table).map((name) => [`table, ${name}`, twice(table, name)] as const),
    ...names(account).map((name) => [`account, ${name}`, twice(account, name)] as const),
    ['table, all', `${table}&${table}`],
    ['account, all', `${account}&${account}`],
    ['sp with another value first', `sp=raud&${table}`],
    ['sp with another value last', `${table}&sp=raud`],
    ['se in another case', `${table}&SE=2099-01-01`],
    ['sig, percent-encoded', `${table}&%73ig=AAAA`],
  ])('is 403 AuthenticationFailed: %s', async (_, token) => {
    expectFrontEndRefusal(await holderOf(service, token).send({ method: 'GET', path: '/pets()' }), failed);
  });

  it('may have other query options twice', async () => {
    for (const token of [table, account]) {
      const answer = await holderOf(service, token).send({ method: 'GET', path: '/pets()?timeout=5&timeout=5' });
      expect(answer.status).toBe(200);
    }
  });
});
