// Uses a credential to send a request for every operation. Checks that the effect of each request matches its response:
// a refused request must change nothing, and an accepted write must take effect.

import { expect } from 'vitest';
import {
  batchBody,
  changesetBody,
  type InnerCall,
  type InnerResponse,
  partsOf,
  requestPart,
} from './batch-requests.ts';
import { accepting } from './expect-success.ts';
import { entityPath, type Service } from './service.ts';
import { type OperationName, storedPolicies } from './shared-access-matrix.ts';
import type { WireAnswer, WireRequest } from './table-client.ts';

export interface Asked {
  readonly request: WireRequest;
  readonly isRead?: true;
  readonly isOfSecondary?: true;
}

const matching = { 'If-Match': '*' };
const keyed = entityPath('pets');
const changed = '{"n":2}';
const properties =
  '<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>x</AllowedOrigins><AllowedMethods>GET</AllowedMethods>' +
  '<AllowedHeaders/><ExposedHeaders/><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>';
const xml = { 'Content-Type': 'application/xml', Accept: 'application/xml' };

export const requests: Readonly<Record<OperationName, Asked>> = {
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
    isOfSecondary: true,
  },
};

function codeIn(body: string): string {
  return /"code":"(\w+)"/.exec(body)?.[1] ?? /<(?:m:)?code>(\w+)</.exec(body)?.[1] ?? '';
}

export function accessOutcome({ status, body }: Pick<WireAnswer, 'status' | 'body'>): string {
  if (status >= 300) return `${status} ${codeIn(body)}`;
  return body.includes('"value":[]') ? 'done, empty' : 'done';
}

/** Everything that an operation may have changed, read with the account key. */
async function stateOf(service: Service): Promise<string> {
  const paths = ['/Tables', '/pets()', '/pets?comp=acl', '/?restype=service&comp=properties'];
  const answers = await Promise.all(paths.map((path) => service.get(path, accepting('nometadata'))));
  return answers
    .map(({ status, body }) => `${status} ${body.replace(/\n(?:RequestId|Time):[^\n"<]*/g, '')}`)
    .join('\n');
}

/** Restores the data with which the tests begin. */
export async function resetAccess(service: Service): Promise<void> {
  await service.send({ method: 'DELETE', path: "/Tables('fresh')" });
  await service.send({ method: 'DELETE', path: "/Tables('pets')" });
  await service.createTable('pets');
  await service.insert('pets', { n: 1 });
  await put(service, '/pets?comp=acl', storedPolicies);
  await put(
    service,
    '/?restype=service&comp=properties',
    '<StorageServiceProperties><Cors/></StorageServiceProperties>',
  );
}

async function put(service: Service, path: string, body: string): Promise<void> {
  const { status } = await service.send({ method: 'PUT', path, headers: xml, body });
  expect([202, 204]).toContain(status);
}

export interface Cell {
  readonly column: string;
  readonly expected: string;
  readonly isRead: boolean;
  readonly ask: () => Promise<string>;
}

/**
 * Sends the request of every cell of a line. A refused request must change nothing, and an accepted write must take
 * effect.
 */
export async function checkLine(service: Service, cells: readonly Cell[]): Promise<void> {
  let before = await stateOf(service);
  const seen: string[] = [];
  for (const { column, isRead, ask } of cells) {
    const outcome = await ask();
    seen.push(`${column}: ${outcome}`);
    const after = await stateOf(service);
    const isDone = outcome.startsWith('done');
    expect(after !== before, `${column}, ${outcome}: whether anything has changed`).toBe(isDone && !isRead);
    if (after === before) continue;
    await resetAccess(service);
    before = await stateOf(service);
  }
  expect(seen).toEqual(cells.map(({ column, expected }) => `${column}: ${expected}`));
}

function innerCall({ base }: Service, { method, path, headers, body }: WireRequest): InnerCall {
  return {
    method,
    url: `${base}${path}`,
    headers: headers as Readonly<Record<string, string>>,
    ...(body === undefined ? {} : { body: String(body) }),
  };
}

/** A batch that contains only the request of an operation. */
export function inBatch(service: Service, { request, isRead }: Asked): WireRequest {
  const call = innerCall(service, { headers: {}, ...request });
  const body = isRead ? batchBody([requestPart(call)]) : changesetBody([call]);
  return { method: 'POST', path: '/$batch', headers: { 'Content-Type': 'multipart/mixed; boundary=batch_a' }, body };
}

/** The outcome of the only request inside a batch. If the batch itself is refused, the outcome of the batch. */
export function batchedOutcome(answer: WireAnswer): string {
  if (answer.status !== 202) return accessOutcome(answer);
  const inner = partsOf(answer).flatMap((part): readonly InnerResponse[] =>
    part.kind === 'single' ? [part.answer] : part.answers,
  );
  expect(inner).toHaveLength(1);
  return accessOutcome(inner[0]!);
}
