// Every operation of the service, and the requests that name it.

import type { IncomingHttpHeaders } from 'node:http';
import { quote } from '../model/printable-text.ts';
import { querySyntaxError, ServiceError } from '../model/service-error.ts';
import { hasTableNameCharacters } from '../model/table-name.ts';
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
import { navigationOperation } from './navigation-operation.ts';
import type { ParsedHeaders } from './negotiated-headers.ts';
import { type Operation, refusing } from './operation.ts';
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
  /** True: for requests with an If-Match header. False: for requests without one. Undefined: for both. */
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

/**
 * Finds the operation that a request names. If the request names no operation, returns an operation that refuses the
 * request, so that the refusal comes after authentication.
 */
export function findOperation(
  address: Address,
  { query }: Pick<ParsedHeaders, 'query'>,
  request: RoutedRequest,
): Operation {
  const method = effectiveMethod(request);
  if (method instanceof ServiceError) return refusing(method);
  const { resource, account, secondary } = address;
  const comp = query.get('comp');
  // A request for an operation on the service is refused in the form of that operation. Evidence: assumed.
  const isServiceLevel = comp !== undefined && operationTable.some((entry) => entry.comp === comp);
  // Evidence: recorded (azure-sdk-for-python, test_table_client_location_mode), for operations on tables and entities.
  if (secondary && !isReading(method, resource)) {
    const refusal = new ServiceError('InsufficientAccountPermissions', { why: 'The secondary is read-only.' });
    return { ...refusing(refusal), isServiceLevel };
  }
  if (resource.kind === 'navigation') return navigationOperation({ ...resource, account, method });
  if (resource.kind === 'unreadable') return refusing(resource.refusal);
  const { fault, isRepetitive } = address.query;
  if (fault !== undefined) return refusing(querySyntaxError(fault));
  // Evidence: assumed.
  if (isRepetitive)
    return refusing(new ServiceError('InvalidInput', { why: 'The query holds a parameter more than once.' }));
  if (resource.kind === 'unroutable') return refusing(resourceMissing(resource.why));
  const candidates = byResource.get(resource.kind)?.filter((entry) => entry.comp === comp) ?? [];
  const isConditional = Boolean(request.headers['if-match']);
  const found = candidates.find(
    ({ methods, conditional }) =>
      methods.includes(method) && (conditional === undefined || conditional === isConditional),
  );
  if (found) return found.operation;
  if ('table' in resource && resource.kind !== 'table' && !hasTableNameCharacters(resource.table)) {
    return refusing(resourceMissing(`No table can be named ${quote(resource.table.name)}.`));
  }
  return { ...refusing(methodRefusal({ comp, isCompKnown: candidates.length > 0 })), isServiceLevel };
}

/** Evidence: recorded (go-storage, StorageClientSuite_Test_doRetry) for `/(retry)`; other names are assumed. */
function resourceMissing(why: string): ServiceError {
  return new ServiceError('ResourceNotFound', { stage: 'route', why });
}

/**
 * Evidence: sdk (azure-sdk-for-python, test_client_with_url_ends_with_table_name: `comp=properties` below a table);
 * documented (MethodNotAllowed).
 */
function methodRefusal({ comp, isCompKnown }: { comp: string | undefined; isCompKnown: boolean }): ServiceError {
  const isMethodWrong = comp === undefined || isCompKnown;
  return new ServiceError(isMethodWrong ? 'MethodNotAllowed' : 'InvalidQueryParameterValue', { stage: 'parse' });
}

/** A batch counts as reading: the requests inside it are judged one by one. Evidence: assumed. */
function isReading(method: string, { kind }: Resource): boolean {
  return method === 'GET' || method === 'HEAD' || (method === 'POST' && kind === 'batch');
}

interface RoutedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether the request is inside a batch. */
  readonly isBatched?: boolean;
}

const tunnelled = new Set(['MERGE', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns the effective method. A POST may name another method in X-HTTP-Method. A request in a batch may also repeat
 * its own method in this header. Evidence: documented (Table Storage error codes); sdk (azure-storage-java 8.6 sends
 * `MERGE` with `X-HTTP-Method: MERGE` in batches).
 */
function effectiveMethod({ method, headers, isBatched = false }: RoutedRequest): string | ServiceError {
  const named = headerOf(headers, 'x-http-method');
  if (named === undefined || (isBatched && named === method)) return method;
  if (method !== 'POST')
    return new ServiceError('XMethodNotUsingPost', {
      stage: 'parse',
      why: `X-HTTP-Method is on a ${method}; only a POST may have it.`,
    });
  if (named.includes(','))
    return new ServiceError('XMethodIncorrectCount', { stage: 'parse', why: `X-HTTP-Method is ${quote(named)}.` });
  return tunnelled.has(named) ? named : new ServiceError('XMethodIncorrectValue', { stage: 'parse' });
}
