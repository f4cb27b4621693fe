// Every operation of the service, and which request means which.

import type { IncomingHttpHeaders } from 'node:http';
import { querySyntaxError, ServiceError } from '../model/service-error.ts';
import type { Address, Resource } from '../protocol/address.ts';
import { batchOperation } from './batch-operation.ts';
import {
  deleteEntityOperation,
  getEntityOperation,
  insertEntityOperation,
  insertOrMergeEntityOperation,
  insertOrReplaceEntityOperation,
  mergeEntityOperation,
  queryEntitiesOperation,
  updateEntityOperation,
} from './entity-operations.ts';
import { headerOf } from './http-message.ts';
import type { ParsedHeaders } from './negotiated-headers.ts';
import type { Operation } from './operation.ts';
import {
  getTableAclOperation,
  getTableServicePropertiesOperation,
  getTableServiceStatsOperation,
  setTableAclOperation,
  setTableServicePropertiesOperation,
} from './service-operations.ts';
import {
  createTableOperation,
  deleteTableOperation,
  getTableOperation,
  queryTablesOperation,
} from './table-operations.ts';

interface Entry {
  readonly methods: readonly string[];
  /** The value of the `comp` option; none for most operations. */
  readonly comp?: string;
  /** Present: only with an If-Match header, or only without one. */
  readonly conditional?: boolean;
  readonly operation: Operation;
}

const merging = ['MERGE', 'PATCH'];

export const operationTable: readonly Entry[] = [
  { methods: ['GET'], operation: queryTablesOperation },
  { methods: ['POST'], operation: createTableOperation },
  { methods: ['GET'], operation: getTableOperation },
  { methods: ['DELETE'], operation: deleteTableOperation },
  { methods: ['GET'], operation: getEntityOperation },
  { methods: ['PUT'], conditional: true, operation: updateEntityOperation },
  { methods: ['PUT'], conditional: false, operation: insertOrReplaceEntityOperation },
  { methods: merging, conditional: true, operation: mergeEntityOperation },
  { methods: merging, conditional: false, operation: insertOrMergeEntityOperation },
  { methods: ['DELETE'], operation: deleteEntityOperation },
  { methods: ['GET'], operation: queryEntitiesOperation },
  { methods: ['POST'], operation: insertEntityOperation },
  { methods: ['GET', 'HEAD'], comp: 'acl', operation: getTableAclOperation },
  { methods: ['PUT'], comp: 'acl', operation: setTableAclOperation },
  { methods: ['POST'], operation: batchOperation(findOperation) },
  { methods: ['GET'], comp: 'properties', operation: getTableServicePropertiesOperation },
  { methods: ['PUT'], comp: 'properties', operation: setTableServicePropertiesOperation },
  { methods: ['GET'], comp: 'stats', operation: getTableServiceStatsOperation },
];

const byResource = groupByResource(operationTable);

function groupByResource(list: readonly Entry[]): ReadonlyMap<Resource['kind'], readonly Entry[]> {
  const groups = new Map<Resource['kind'], Entry[]>();
  for (const entry of list) {
    const { resource } = entry.operation;
    groups.set(resource, [...(groups.get(resource) ?? []), entry]);
  }
  return groups;
}

/** What a request asks for. A request that means nothing gets an operation too: one that refuses, after the caller is known. */
export function findOperation(
  address: Address,
  { query, isQueryReadable, isQueryRepetitive }: ParsedHeaders,
  call: MethodAndHeaders,
): Operation {
  const method = effectiveMethod(call);
  if (method instanceof ServiceError) return refusing(method);
  // Evidence: documented (the secondary is read-only); the code is assumed.
  if (address.secondary && !mayRead(method, address.resource)) {
    return refusing(new ServiceError('InsufficientAccountPermissions', { stage: 'frontEnd' }));
  }
  const { resource, account } = address;
  const { kind } = resource;
  if (kind === 'navigation') {
    return refusing(navigationRefusal(`${account}.${resource.table}`, method, resource.hasKey));
  }
  if (kind === 'unreadable' || !isQueryReadable) return refusing(querySyntaxError());
  // Evidence: assumed.
  if (isQueryRepetitive) return refusing(new ServiceError('InvalidInput'));
  if (kind === 'unroutable') return refusing(new ServiceError('ResourceNotFound', { stage: 'route' }));
  const comp = query.get('comp');
  const isConditional = Boolean(call.headers['if-match']);
  const found = byResource
    .get(kind)
    ?.find(
      (entry) =>
        entry.methods.includes(method) &&
        entry.comp === comp &&
        (entry.conditional === undefined || entry.conditional === isConditional),
    );
  if (found) return found.operation;
  // What is meant for an operation on the service is refused as that would be. Evidence: assumed.
  const isServiceLevel = comp !== undefined && operationTable.some((entry) => entry.comp === comp);
  const isKnown = comp === undefined || isServiceLevel;
  const refusal = new ServiceError(isKnown ? 'MethodNotAllowed' : 'InvalidQueryParameterValue', { stage: 'parse' });
  return { ...refusing(refusal), isServiceLevel };
}

/** A batch is judged by what is in it. Evidence: assumed. */
function mayRead(method: string, { kind }: Resource): boolean {
  return method === 'GET' || method === 'HEAD' || (method === 'POST' && kind === 'batch');
}

interface MethodAndHeaders {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

const tunnelled = new Set(['MERGE', 'PUT', 'PATCH', 'DELETE']);

/** The verb that counts: a POST may carry another one in X-HTTP-Method. Source: docs, Table service error codes. */
function effectiveMethod({ method, headers }: MethodAndHeaders): string | ServiceError {
  const named = headerOf(headers, 'x-http-method');
  if (named === undefined) return method;
  if (method !== 'POST') return new ServiceError('XMethodNotUsingPost', { stage: 'parse' });
  if (named.includes(',')) return new ServiceError('XMethodIncorrectCount', { stage: 'parse' });
  return tunnelled.has(named) ? named : new ServiceError('XMethodIncorrectValue', { stage: 'parse' });
}

/** Evidence: recorded (net-tables, ThrowsWithTableNameInUri). */
function navigationRefusal(type: string, method: string, hasKey: boolean): ServiceError {
  if (!hasKey) return new ServiceError(method === 'POST' ? 'PropertiesNeedValue' : 'NotImplemented');
  const message = `The number of keys specified in the URI does not match number of key properties for the resource '${type}'.`;
  return new ServiceError('InvalidInput', { stage: 'parse', message });
}

function refusing(error: ServiceError): Operation {
  const refuse = (): never => {
    throw error;
  };
  return {
    name: 'Unknown',
    resource: 'unroutable',
    access: 'refuses',
    takesBody: false,
    decode: refuse,
    run: refuse,
    encode: refuse,
  };
}
