// Decodes the operations on entities from requests and encodes them into responses.

import { access } from '../auth/access.ts';
import type { Entity, EntityKey, EntityRecord } from '../model/entity.ts';
import { checkAddressKey, checkBodyKey } from '../model/entity-key.ts';
import { checkDateTimes } from '../model/entity-limits.ts';
import { etagOf, type IfMatch, parseIfMatch } from '../model/etag.ts';
import { encodeEcho } from '../model/properties.ts';
import { ServiceError } from '../model/service-error.ts';
import { checkTableReference } from '../model/table-name.ts';
import {
  deleteEntity,
  insertEntity,
  insertOrMergeEntity,
  insertOrReplaceEntity,
  mergeEntity,
  updateEntity,
} from '../operations/entity-writes.ts';
import { type FoundEntity, getEntity, type PointRead } from '../operations/get-entity.ts';
import { type EntityPage, queryEntities } from '../operations/query-entities.ts';
import { entityPathOf } from '../protocol/address.ts';
import { decodeEntityTokens, encodeToken } from '../protocol/continuation-token.ts';
import type { HttpHeaders } from '../protocol/http-headers.ts';
import { everything, type Projection, parseSelect } from '../protocol/select.ts';
import type { QueryReport } from '../query/report.ts';
import {
  type NegotiatedHeaders,
  parseTop,
  type ResourceOf,
  refuseUnsupported,
  responseFormat,
  type TableRequest,
} from './negotiated-headers.ts';
import { type OperationResult, operation, writeOperation } from './operation.ts';
import { entityFeedPayload, entityPayload, readEntity, readProperties } from './payloads.ts';

export interface Insert {
  /** Name of the table as written in the address. */
  readonly table: string;
  readonly entity: Entity;
}

export const insertEntityOperation = writeOperation({
  name: 'InsertEntity',
  resource: 'entities',
  access: access.addEntity,
  decode: decodeInsert,
  write: insertEntity,
  encode: encodeInsert,
});

export const updateEntityOperation = writeOperation({
  name: 'UpdateEntity',
  resource: 'entity',
  access: access.updateEntity,
  decode: decodeConditionalWrite,
  write: updateEntity,
  encode: encodeWritten,
});

export const mergeEntityOperation = writeOperation({
  name: 'MergeEntity',
  resource: 'entity',
  access: access.updateEntity,
  decode: decodeConditionalWrite,
  write: mergeEntity,
  encode: encodeWritten,
});

export const insertOrReplaceEntityOperation = writeOperation({
  name: 'InsertOrReplaceEntity',
  resource: 'entity',
  access: access.upsertEntity,
  decode: decodeWrite,
  write: insertOrReplaceEntity,
  encode: encodeWritten,
});

export const insertOrMergeEntityOperation = writeOperation({
  name: 'InsertOrMergeEntity',
  resource: 'entity',
  access: access.upsertEntity,
  decode: decodeWrite,
  write: insertOrMergeEntity,
  encode: encodeWritten,
});

export const deleteEntityOperation = writeOperation({
  name: 'DeleteEntity',
  resource: 'entity',
  access: access.deleteEntity,
  takesBody: false,
  decode(request): { table: string; key: EntityKey; ifMatch: IfMatch } {
    refuseIfNoneMatch(request.negotiated, 'DELETE');
    const key = keyOf(request);
    const ifMatch = requireIfMatch(request);
    return { table: tableInAddress(request), key, ifMatch };
  },
  write: deleteEntity,
  encode: (): OperationResult => ({ status: 204 }),
});

export const getEntityOperation = operation({
  name: 'GetEntity',
  resource: 'entity',
  access: access.readEntities,
  takesBody: false,
  decode(request): PointRead & { selection: Projection } {
    responseFormat(request.negotiated);
    const { query } = request;
    const key = keyOf(request);
    const selection = parseSelect(query.get('$select'));
    return { table: tableInAddress(request), key, filter: query.get('$filter'), selection };
  },
  run: (context, read) => getEntity(context, read),
  encode({ entity, report }: FoundEntity, request, { selection }): OperationResult {
    const { contentType, body } = entityPayload(entity, request, selection);
    const result = { status: 200, headers: [['ETag', etagOf(entity.timestamp)]], contentType, body } as const;
    return report ? { ...result, report } : result;
  },
});

export const queryEntitiesOperation = operation({
  name: 'QueryEntities',
  resource: 'entities',
  access: access.readEntities,
  takesBody: false,
  decode(request) {
    responseFormat(request.negotiated);
    const { query } = request;
    const top = parseTop(request);
    refuseUnsupported(request);
    const from = decodeEntityTokens(query.get('NextPartitionKey'), query.get('NextRowKey'));
    const selection = parseSelect(query.get('$select'));
    return { table: tableInAddress(request), filter: query.get('$filter'), from, top, selection };
  },
  run: (context, query) => queryEntities(context, query),
  encode({ entities, next, report }: EntityPage, request, { selection }): OperationResult {
    const { contentType, body, count } = entityFeedPayload(entities, request, selection);
    const following = entities[count] ?? next;
    const headers = following ? continuationHeaders(following) : [];
    // Only the rendered size shows that a page is full.
    const actual: QueryReport = count === entities.length ? report : { ...report, returned: count, end: 'size' };
    return { status: 200, headers, contentType, body, report: actual, hasNext: following !== undefined };
  },
});

function continuationHeaders({ partitionKey, rowKey }: EntityKey): HttpHeaders {
  return [
    ['x-ms-continuation-NextPartitionKey', encodeToken(partitionKey)],
    ['x-ms-continuation-NextRowKey', encodeToken(rowKey)],
  ];
}

/**
 * Returns the name of the table in the address. Throws InvalidResourceName or OutOfRangeInput for a name that no table
 * can have.
 */
export function tableInAddress({ address }: TableRequest<ResourceOf<'entities' | 'entity' | 'navigation'>>): string {
  const { table } = address.resource;
  checkTableReference(table);
  return table.name;
}

function keyOf({ address }: TableRequest<ResourceOf<'entity'>>): EntityKey {
  const { key } = address.resource;
  checkAddressKey(key);
  return key;
}

export function decodeInsert(request: TableRequest<ResourceOf<'entities' | 'navigation'>>): Insert {
  refuseCondition(request);
  if (request.negotiated.preference !== 'return-no-content') responseFormat(request.negotiated);
  const { partitionKey, rowKey, properties } = readEntity(request);
  if (partitionKey === undefined || rowKey === undefined) {
    throw new ServiceError('PropertiesNeedValue', {
      why: `The body has no ${partitionKey === undefined ? 'PartitionKey' : 'RowKey'}.`,
    });
  }
  const entity = { partitionKey, rowKey, properties };
  checkBodyKey(entity);
  checkDateTimes(properties);
  return { table: tableInAddress(request), entity };
}

export function encodeInsert(record: EntityRecord, request: TableRequest, { table, entity }: Insert): OperationResult {
  const location = `${request.address.base}/${entityPathOf(table, record)}`;
  const headers: HttpHeaders = [
    ['ETag', etagOf(record.timestamp)],
    ['Location', location],
  ];
  if (request.negotiated.preference === 'return-no-content') {
    return { status: 204, headers: [...headers, ['DataServiceId', location]] };
  }
  const echo = { ...record, properties: encodeEcho(entity.properties, record.properties) };
  const { contentType, body } = entityPayload(echo, request, everything);
  return { status: 201, headers, contentType, body };
}

/** The keys in the address are used, even if the body has different keys. Evidence: recorded. */
function decodeWrite(request: TableRequest<ResourceOf<'entity'>>): { table: string; entity: Entity } {
  refuseIfNoneMatch(request.negotiated, 'PUT');
  if (request.negotiated.preference === 'return-content') responseFormat(request.negotiated);
  const { partitionKey, rowKey } = keyOf(request);
  const properties = readProperties(request);
  checkDateTimes(properties);
  return { table: tableInAddress(request), entity: { partitionKey, rowKey, properties } };
}

function decodeConditionalWrite(request: TableRequest<ResourceOf<'entity'>>): {
  table: string;
  entity: Entity;
  ifMatch: IfMatch;
} {
  const { table, entity } = decodeWrite(request);
  return { table, entity, ifMatch: requireIfMatch(request) };
}

/** Evidence: documented (Table Storage error codes). */
function refuseIfNoneMatch({ ifMatch, ifNoneMatch, isLoose }: NegotiatedHeaders, verb: string): void {
  if (ifNoneMatch === undefined || isLoose) return;
  if (ifMatch === undefined) {
    throw invalidCondition(`If-None-Match HTTP header cannot be specified for ${verb} operations.`);
  }
  throw invalidCondition(
    'Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.',
  );
}

/** Evidence: documented (Delete Entity); code and text are assumed. */
function requireIfMatch({ negotiated: { ifMatch, isLoose } }: TableRequest): IfMatch {
  if (ifMatch === undefined && isLoose) return { kind: 'any' };
  if (ifMatch === undefined) {
    throw invalidCondition('The If-Match HTTP header must be specified for DELETE operations.');
  }
  return parseIfMatch(ifMatch);
}

/** Evidence: documented (Table Storage error codes). */
function refuseCondition({ negotiated: { ifMatch, ifNoneMatch, isLoose } }: TableRequest): void {
  if ((ifMatch === undefined && ifNoneMatch === undefined) || isLoose) return;
  throw invalidCondition(
    'If-Match or If-None-Match headers cannot be specified if the target type does not have etag properties defined.',
  );
}

function invalidCondition(message: string): ServiceError {
  return new ServiceError('InvalidInput', { stage: 'parse', message });
}

/**
 * Returns the response to an update, a merge or an upsert. Evidence: recorded; sdk (azure-sdk-for-net #29093,
 * azure-sdk-for-js #16733: 200 with the entity for `Prefer: return-content`); assumed (the response has the entity as
 * it is after the write).
 */
function encodeWritten(record: EntityRecord, request: TableRequest): OperationResult {
  const headers: HttpHeaders = [['ETag', etagOf(record.timestamp)]];
  if (request.negotiated.preference !== 'return-content') return { status: 204, headers };
  return { status: 200, headers, ...entityPayload(record, request, everything) };
}
