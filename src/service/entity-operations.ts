// How the operations on entities are read from requests and written into answers.

import { access } from '../auth/access.ts';
import type { Entity, EntityKey, EntityRecord } from '../model/entity.ts';
import { checkAddressKey, checkBodyKey } from '../model/entity-key.ts';
import { etagOf, type IfMatch, parseIfMatch } from '../model/etag.ts';
import { encodeEcho, type Properties } from '../model/properties.ts';
import { ServiceError } from '../model/service-error.ts';
import { dateTimeTicksMin, formatTicksInvariant } from '../model/ticks.ts';
import { deleteEntity } from '../operations/delete-entity.ts';
import { getEntity } from '../operations/get-entity.ts';
import { insertEntity } from '../operations/insert-entity.ts';
import { insertOrMergeEntity } from '../operations/insert-or-merge-entity.ts';
import { insertOrReplaceEntity } from '../operations/insert-or-replace-entity.ts';
import { mergeEntity } from '../operations/merge-entity.ts';
import { type EntityPage, queryEntities } from '../operations/query-entities.ts';
import { updateEntity } from '../operations/update-entity.ts';
import { entityPathOf } from '../protocol/address.ts';
import { decodeEntityTokens, encodeToken } from '../protocol/continuation-token.ts';
import type { HttpHeaders } from '../protocol/http-headers.ts';
import { everything, parseSelect, type Selection } from '../protocol/select.ts';
import type { QueryReport } from '../query/report.ts';
import {
  answerFormat,
  type NegotiatedHeaders,
  parseTop,
  type ResourceOf,
  refuseUnsupported,
  type TableRequest,
} from './negotiated-headers.ts';
import { type OperationResult, operation, writeOperation } from './operation.ts';
import { entityFeedPayload, entityPayload, readEntity } from './payloads.ts';

export const insertEntityOperation = writeOperation({
  name: 'InsertEntity',
  resource: 'entities',
  access: access.addEntity,
  decode(request): { table: string; entity: Entity } {
    refuseCondition(request);
    if (request.negotiated.preference !== 'return-no-content') answerFormat(request.negotiated);
    const { partitionKey, rowKey, properties } = readEntity(request);
    if (partitionKey === undefined || rowKey === undefined) throw new ServiceError('PropertiesNeedValue');
    const entity = { partitionKey, rowKey, properties };
    checkBodyKey(entity);
    checkDateTimes(properties);
    return { table: tableOf(request), entity };
  },
  write: insertEntity,
  encode(record: EntityRecord, request, { table, entity }): OperationResult {
    const location = `${request.address.base}/${entityPathOf(table, record)}`;
    const headers: HttpHeaders = [
      ['ETag', etagOf(record.timestamp)],
      ['Location', location],
    ];
    if (request.negotiated.preference === 'return-no-content') {
      return { status: 204, headers: [...headers, ['DataServiceId', location]] };
    }
    const echo = { ...record, properties: encodeEcho(entity.properties, record.properties) };
    return { status: 201, headers, ...entityPayload(echo, request, everything) };
  },
});

export const updateEntityOperation = writeOperation({
  name: 'UpdateEntity',
  resource: 'entity',
  access: access.updateEntity,
  decode: decodeConditionalWrite,
  write: updateEntity,
  encode: writtenReply,
});

export const mergeEntityOperation = writeOperation({
  name: 'MergeEntity',
  resource: 'entity',
  access: access.updateEntity,
  decode: decodeConditionalWrite,
  write: mergeEntity,
  encode: writtenReply,
});

export const insertOrReplaceEntityOperation = writeOperation({
  name: 'InsertOrReplaceEntity',
  resource: 'entity',
  access: access.upsertEntity,
  decode: decodeWrite,
  write: insertOrReplaceEntity,
  encode: writtenReply,
});

export const insertOrMergeEntityOperation = writeOperation({
  name: 'InsertOrMergeEntity',
  resource: 'entity',
  access: access.upsertEntity,
  decode: decodeWrite,
  write: insertOrMergeEntity,
  encode: writtenReply,
});

export const deleteEntityOperation = writeOperation({
  name: 'DeleteEntity',
  resource: 'entity',
  access: access.deleteEntity,
  takesBody: false,
  decode(request): { table: string; key: EntityKey; ifMatch: IfMatch } {
    refuseIfNoneMatch(request.negotiated, 'DELETE');
    return { table: tableOf(request), key: keyOf(request), ifMatch: requireIfMatch(request) };
  },
  write: deleteEntity,
  encode: (): OperationResult => ({ status: 204 }),
});

export const getEntityOperation = operation({
  name: 'GetEntity',
  resource: 'entity',
  access: access.readEntities,
  takesBody: false,
  decode(request): { table: string; key: EntityKey; selection: Selection } {
    answerFormat(request.negotiated);
    return {
      table: tableOf(request),
      key: keyOf(request),
      selection: parseSelect(request.query.get('$select')),
    };
  },
  run: (context, { table, key }) => getEntity(context, table, key),
  encode(record: EntityRecord, request, { selection }): OperationResult {
    const { contentType, body } = entityPayload(record, request, selection);
    return { status: 200, headers: [['ETag', etagOf(record.timestamp)]], contentType, body };
  },
});

export const queryEntitiesOperation = operation({
  name: 'QueryEntities',
  resource: 'entities',
  access: access.readEntities,
  takesBody: false,
  decode(request) {
    answerFormat(request.negotiated);
    const { query } = request;
    const top = parseTop(request);
    refuseUnsupported(request);
    return {
      table: tableOf(request),
      filter: query.get('$filter'),
      from: decodeEntityTokens(query.get('NextPartitionKey'), query.get('NextRowKey')),
      top,
      selection: parseSelect(query.get('$select')),
    };
  },
  run: (context, query) => queryEntities(context, query),
  encode({ entities, next, report }: EntityPage, request, { selection }): OperationResult {
    const { contentType, body, count } = entityFeedPayload(entities, request, selection);
    const following = entities[count] ?? next;
    const headers = following ? continuationHeaders(following) : [];
    const told: QueryReport = count === entities.length ? report : { ...report, returned: count, end: 'size' };
    return { status: 200, headers, contentType, body, report: told, hasNext: following !== undefined };
  },
});

function continuationHeaders({ partitionKey, rowKey }: EntityKey): HttpHeaders {
  return [
    ['x-ms-continuation-NextPartitionKey', encodeToken(partitionKey)],
    ['x-ms-continuation-NextRowKey', encodeToken(rowKey)],
  ];
}

function tableOf({ address }: TableRequest<ResourceOf<'entities' | 'entity'>>): string {
  return address.resource.table;
}

function keyOf({ address }: TableRequest<ResourceOf<'entity'>>): EntityKey {
  const { key } = address.resource;
  checkAddressKey(key);
  return key;
}

/** The keys of the address win over those in the body. Evidence: recorded. */
function decodeWrite(request: TableRequest<ResourceOf<'entity'>>): { table: string; entity: Entity } {
  refuseIfNoneMatch(request.negotiated, 'PUT');
  const key = keyOf(request);
  const { properties } = readEntity(request);
  checkDateTimes(properties);
  return { table: tableOf(request), entity: { ...key, properties } };
}

function decodeConditionalWrite(request: TableRequest<ResourceOf<'entity'>>): {
  table: string;
  entity: Entity;
  ifMatch: IfMatch;
} {
  return { ...decodeWrite(request), ifMatch: requireIfMatch(request) };
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

/** Evidence: recorded. */
function checkDateTimes(properties: Properties): void {
  for (const [name, edm] of properties) {
    if (edm.type !== 'Edm.DateTime' || edm.value >= dateTimeTicksMin) continue;
    const message = `The '${name}' parameter of value '${formatTicksInvariant(edm.value)}' is out of range.`;
    throw new ServiceError('OutOfRangeInput', { stage: 'parse', message });
  }
}

function writtenReply({ timestamp }: EntityRecord): OperationResult {
  return { status: 204, headers: [['ETag', etagOf(timestamp)]] };
}
