// What the roles of a token's owner allow. The grid below has a line for each role. Each line has a column for each
// operation that is sent alone, and a column for each operation in a batch. The grid was written by hand from the
// documentation. Source: docs, Azure built-in roles; Authorize access to tables using Microsoft Entra ID.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Asked,
  accessOutcome,
  batchedOutcome,
  checkLine,
  inBatch,
  requests,
  resetAccess,
} from '../support/access-lines.ts';
import { answersIn, callsOn, changesetBody, sendBatch } from '../support/batch-requests.ts';
import {
  bearing,
  createSigningKey,
  keySetOf,
  signedToken,
  somethingElse,
  unsignedToken,
} from '../support/bearer-tokens.ts';
import { hostileTokens } from '../support/hostile-tokens.ts';
import { Random } from '../support/random.mjs';
import { entityPath, startService } from '../support/service.ts';
import { batchedNames, operationNames, outcomes } from '../support/shared-access-matrix.ts';
import type { TableClient, WireAnswer } from '../support/table-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testSeed } from '../support/test-seed.ts';

const account = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/devstoreaccount1';
const tableOf = (name: string): string => `${account}/tableServices/default/tables/${name}`;
const action = (name: string): string => `Microsoft.Storage/storageAccounts/tableServices/${name}`;
const contributor = { roleDefinitionName: 'Storage Table Data Contributor' };
const reader = { roleDefinitionName: 'Storage Table Data Reader' };
const custom = (...dataActions: string[]) => ({ roleDefinitionName: 'Ours', dataActions });

interface Line {
  readonly title: string;
  readonly assignment?: object;
  /**
   * The columns, in this order: tables (query, get, create, delete), entities as in
   * test/support/shared-access-matrix.ts, policies (get, set), service (get properties, set properties, get stats).
   */
  readonly direct: string;
  readonly batched: string;
}

const grid: readonly (readonly [title: string, assignment: object | undefined, direct: string, batched: string])[] = [
  ['contributor', { ...contributor, scope: account }, '++++ ++++++++ NN PPP', '++++++++'],
  ['contributor of a subscription', { ...contributor, scope: '/subscriptions/s' }, '++++ ++++++++ NN PPP', '++++++++'],
  ['contributor of a table', { ...contributor, scope: tableOf('Pets') }, 'P+P+ ++++++++ NN PPP', '++++++++'],
  ['contributor of another table', { ...contributor, scope: tableOf('others') }, 'PPPP PPPPPPPP NN PPP', 'PPPPPPPP'],
  ['contributor of another account', { ...contributor, scope: `${account}2` }, 'PPPP PPPPPPPP NN PPP', 'PPPPPPPP'],
  ['reader', { ...reader, scope: account }, '++PP ++PPPPPP NN PPP', '++PPPPPP'],
  ['reader of a table', { ...reader, scope: tableOf('pets') }, 'P+PP ++PPPPPP NN PPP', '++PPPPPP'],
  ['owner', { roleDefinitionName: 'Owner', scope: '/' }, 'PPPP PPPPPPPP NN PPP', 'PPPPPPPP'],
  ['nothing', undefined, 'PPPP PPPPPPPP NN PPP', 'PPPPPPPP'],
  ['every action', { ...custom('*'), scope: account }, '++++ ++++++++ NN +++', '++++++++'],
  ['the properties', { ...custom(action('read')), scope: account }, 'PPPP PPPPPPPP NN +P+', 'PPPPPPPP'],
  ['to add', { ...custom(action('tables/entities/add/action')), scope: account }, 'PPPP PP+PPPPP NN PPP', 'PP+PPPPP'],
  [
    'to update',
    { ...custom(action('tables/entities/update/action')), scope: account },
    'PPPP PPP++PPP NN PPP',
    'PPP++PPP',
  ],
  [
    'to add and update',
    { ...custom(action('tables/entities/*/action')), scope: account },
    'PPPP PP+++++P NN PPP',
    'PP+++++P',
  ],
  ['to write', { ...custom(action('tables/entities/write')), scope: account }, 'PPPP PP+++++P NN PPP', 'PP+++++P'],
  ['to delete', { ...custom(action('tables/entities/delete')), scope: account }, 'PPPP PPPPPPP+ NN PPP', 'PPPPPPP+'],
  ['to make tables', { ...custom(action('tables/write')), scope: account }, 'PP+P PPPPPPPP NN PPP', 'PPPPPPPP'],
];
const lines: readonly Line[] = grid.map(([title, assignment, direct, batched]) => ({
  title,
  ...(assignment && { assignment }),
  direct: direct.replaceAll(' ', ''),
  batched,
}));
/** The `oid` of the principal that a line is about. */
const holder = (title: string): string => `holder of ${title}`;

const key = createSigningKey('one');
const folder = temporaryFolder();
afterAll(() => folder.remove());
const oauthKeys = join(folder.path, 'keys.json');
const roleAssignments = join(folder.path, 'roles.json');
writeFileSync(oauthKeys, keySetOf(key));
const assignments: readonly object[] = [
  ...lines.flatMap(({ title, assignment }) => (assignment ? [{ principalId: holder(title), ...assignment }] : [])),
  { principalId: somethingElse.toUpperCase(), ...reader, scope: account },
];
writeFileSync(roleAssignments, JSON.stringify(assignments));
const service = await startService({ oauth: 'verify', oauthKeys, roleAssignments });
const atSecondary = service.with({ prefix: '/devstoreaccount1-secondary' });

/** The same client, which sends a token instead of signing with a key. */
const withToken = (client: Pick<TableClient, 'send'>, token: string): Pick<TableClient, 'send'> => ({
  send: (request) => client.send({ ...request, headers: { ...request.headers, ...bearing(token) } }),
});
const askWith = (token: string, { request, isOfSecondary }: Asked): Promise<WireAnswer> =>
  withToken(isOfSecondary ? atSecondary : service, token).send(request);
const tokenOf = (title: string): string => signedToken(key, { oid: holder(title), appid: undefined });

describe('A token', () => {
  beforeEach(() => resetAccess(service));

  it.each(lines)('of an owner with the role $title allows exactly what the role does', async ({ title, direct }) => {
    const token = tokenOf(title);
    const cells = operationNames.map((column, index) => ({
      column,
      expected: outcomes[direct[index]!]!,
      isRead: requests[column].isRead ?? false,
      ask: async () => accessOutcome(await askWith(token, requests[column])),
    }));
    await checkLine(service, cells);
  });

  it.each(lines)('of an owner with the role $title allows exactly that in a batch', async ({ title, batched }) => {
    const token = tokenOf(title);
    const cells = batchedNames.map((column, index) => ({
      column,
      expected: outcomes[batched[index]!]!,
      isRead: requests[column].isRead ?? false,
      ask: async () => batchedOutcome(await askWith(token, { request: inBatch(service, requests[column]) })),
    }));
    await checkLine(service, cells);
  });

  it('has the roles of its application too', async () => {
    const token = signedToken(key, { oid: 'nobody', appid: somethingElse });
    expect((await askWith(token, requests.QueryEntities)).status).toBe(200);
    const second = signedToken(key, { oid: undefined, appid: undefined, azp: somethingElse });
    expect((await askWith(second, requests.QueryEntities)).status).toBe(200);
    const third = signedToken(key, { oid: undefined, appid: undefined });
    expect(accessOutcome(await askWith(third, requests.QueryEntities))).toBe(outcomes['P']);
  });
});

describe('A role on a table', () => {
  it('gives no access to another table by a batch, a name in another case, or a longer name', async () => {
    await resetAccess(service);
    for (const name of ['others', 'pets2']) await service.createTable(name);
    const send = withToken(service, tokenOf('contributor of a table'));
    const outcomeAt = async (path: string): Promise<string> =>
      accessOutcome(await send.send({ method: 'GET', path: `/${path}()` }));
    expect([
      await outcomeAt('PETS'),
      await outcomeAt('pets2'),
      await outcomeAt('others'),
      await outcomeAt('absent'),
    ]).toEqual(['done', outcomes['P'], outcomes['P'], outcomes['P']]);
    const mixed = [callsOn(service.base, 'pets').insert('2'), callsOn(service.base, 'others').insert('2')];
    expect(answersIn(await sendBatch(send, changesetBody(mixed)))[0]?.status).toBe(403);
    expect((await service.get(entityPath('pets', 'p', '2'))).status).toBe(404);
    expect((await service.get(entityPath('others', 'p', '2'))).status).toBe(404);
    for (const name of ['others', 'pets2']) await service.send({ method: 'DELETE', path: `/Tables('${name}')` });
  });
});

describe(`A hostile token, drawn with the seed ${testSeed}`, () => {
  const random = new Random(testSeed);
  const hostile = hostileTokens(key);
  const known = tokenOf('contributor');

  /** Returns one of the hostile tokens, or a valid token with some of its characters changed. */
  const draw = (): readonly [name: string, token: string] => {
    if (random.next() < 0.5) {
      const [name, token] = random.pick(hostile);
      return [name, token()];
    }
    const characters = [...known];
    for (let count = random.integer(1, 3); count > 0; count--) {
      const at = random.integer(0, characters.length - 1);
      const others = 'ABCxyz019-_.='.replace(characters[at] ?? '', '');
      if (random.next() < 0.8) characters[at] = random.pick([...others]);
      else characters.splice(at, 1);
    }
    return ['with characters changed', characters.join('')];
  };

  it('has no effect in any operation, alone or in a batch, before or after a valid token', async () => {
    await resetAccess(service);
    const cells = [...operationNames, ...operationNames].flatMap((column, at) => {
      const isBatched = at >= operationNames.length;
      if (isBatched && !batchedNames.includes(column)) return [];
      return Array.from({ length: 3 }, () => {
        const [name, token] = draw();
        const asked = requests[column];
        const request = isBatched ? { request: inBatch(service, asked) } : asked;
        return {
          column: `${column}${isBatched ? ' in a batch' : ''}, token ${name}`,
          expected: outcomes['A']!,
          isRead: true,
          ask: async () => {
            // The valid token is cached now. That must not help any other token.
            expect((await askWith(known, requests.QueryTables)).status).toBe(200);
            return batchedOutcome(await askWith(token, request));
          },
        };
      });
    });
    await checkLine(service, cells);
  });

  it('in a request inside a batch does not change who sends the batch', async () => {
    await resetAccess(service);
    const call = callsOn(service.base, 'pets').insert('new', {}, { Authorization: `Bearer ${known}` });
    const byReader = await sendBatch(withToken(service, tokenOf('reader')), changesetBody([call]));
    expect(answersIn(byReader)[0]?.status).toBe(403);
    const hostileCall = callsOn(service.base, 'pets').insert('new', {}, { Authorization: `Bearer ${unsignedToken()}` });
    const byContributor = await sendBatch(withToken(service, known), changesetBody([hostileCall]));
    expect(answersIn(byContributor)[0]?.status).toBe(201);
  });
});
