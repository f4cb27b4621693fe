// Decodes the operations on tables from requests and encodes them into responses.

import { access } from '../auth/access.ts';
import { createTable, deleteTable, getTable, queryTables } from '../operations/tables.ts';
import { decodeTableToken, encodeTableToken } from '../protocol/continuation-token.ts';
import { everything, type Projection, parseSelect } from '../protocol/select.ts';
import { tablePathOf } from '../protocol/table-response.ts';
import type { TablePage, TableRecord } from '../storage/store.ts';
import {
  parseTop,
  type ResourceOf,
  refuseUnsupported,
  responseFormat,
  type TableRequest,
} from './negotiated-headers.ts';
import { type OperationResult, operation } from './operation.ts';
import { readTableName, tableFeedPayload, tablePayload } from './payloads.ts';

export const createTableOperation = operation({
  name: 'CreateTable',
  resource: 'tables',
  access: access.createTable,
  takesBody: true,
  decode(request): string {
    if (request.negotiated.preference !== 'return-no-content') responseFormat(request.negotiated);
    const name = readTableName(request);
    request.record.table = name;
    return name;
  },
  run: createTable,
  encode({ name }: TableRecord, request): OperationResult {
    const location = `${request.address.base}/${tablePathOf(name)}`;
    if (request.negotiated.preference === 'return-no-content') {
      return {
        status: 204,
        headers: [
          ['Location', location],
          ['DataServiceId', location],
        ],
      };
    }
    return { ...tablePayload(name, request, everything), status: 201, headers: [['Location', location]] };
  },
});

export const getTableOperation = operation({
  name: 'GetTable',
  resource: 'table',
  access: access.listTables,
  takesBody: false,
  decode(request): { name: string; selection: Projection } {
    responseFormat(request.negotiated);
    return { name: tableNameOf(request), selection: parseSelect(request.query.get('$select')) };
  },
  run: (context, { name }) => getTable(context, name),
  encode: ({ name }: TableRecord, request, { selection }): OperationResult => ({
    ...tablePayload(name, request, selection),
    status: 200,
  }),
});

export const deleteTableOperation = operation({
  name: 'DeleteTable',
  resource: 'table',
  access: access.deleteTable,
  takesBody: false,
  decode: tableNameOf,
  run: deleteTable,
  encode: (): OperationResult => ({ status: 204 }),
});

export const queryTablesOperation = operation({
  name: 'QueryTables',
  resource: 'tables',
  access: access.listTables,
  takesBody: false,
  decode(request) {
    const { negotiated, query } = request;
    responseFormat(negotiated);
    const top = parseTop(request);
    refuseUnsupported(request);
    return {
      filter: query.get('$filter'),
      from: decodeTableToken(query.get('NextTableName')),
      top,
      selection: parseSelect(query.get('$select')),
    };
  },
  run: (context, query) => queryTables(context, query),
  encode({ tables, next }: TablePage, request, { selection }): OperationResult {
    const names = tables.map(({ name }) => name);
    return {
      status: 200,
      ...tableFeedPayload(names, request, selection),
      ...(next ? { hasNext: true, headers: [['x-ms-continuation-NextTableName', encodeTableToken(next)]] } : {}),
    };
  },
});

function tableNameOf({ address }: TableRequest<ResourceOf<'table'>>): string {
  return address.resource.table.name;
}
