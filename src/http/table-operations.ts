// How the operations on tables are read from requests and written into answers.

import { createTable } from '../operations/create-table.ts';
import { deleteTable } from '../operations/delete-table.ts';
import { getTable } from '../operations/get-table.ts';
import { queryTables } from '../operations/query-tables.ts';
import { decodeTableToken, encodeTableToken } from '../protocol/continuation-token.ts';
import { jsonContentType } from '../protocol/payload-format.ts';
import { everything, parseSelect, type Selection } from '../protocol/select.ts';
import { renderTable, renderTableFeed, type TableFrame, tablePathOf } from '../protocol/table-answer.ts';
import { decodeTableJson } from '../protocol/table-json.ts';
import type { TablePage, TableRecord } from '../storage/store.ts';
import { operation, type Reply } from './operation.ts';
import { answerLevel, parseTop, refuseUnsupported, requireJsonBody, type TableRequest } from './request-terms.ts';

export const createTableOperation = operation({
  name: 'CreateTable',
  takesBody: true,
  decode({ terms, body }): string {
    if (terms.preference !== 'return-no-content') answerLevel(terms);
    requireJsonBody(terms);
    return decodeTableJson(body);
  },
  run: ({ store }, name) => createTable(store, name),
  encode({ name }: TableRecord, request): Reply {
    const location = `${request.address.base}/${tablePathOf(name)}`;
    if (request.terms.preference === 'return-no-content') {
      return { status: 204, headers: ['Location', location, 'DataServiceId', location] };
    }
    return { ...tableReply(name, frameOf(request, everything)), status: 201, headers: ['Location', location] };
  },
});

export const getTableOperation = operation({
  name: 'GetTable',
  takesBody: false,
  decode(request): { name: string; selection: Selection } {
    answerLevel(request.terms);
    return { name: tableNameOf(request), selection: parseSelect(request.query.get('$select')) };
  },
  run: ({ store }, { name }) => getTable(store, name),
  encode: ({ name }: TableRecord, request, { selection }): Reply => ({
    ...tableReply(name, frameOf(request, selection)),
    status: 200,
  }),
});

export const deleteTableOperation = operation({
  name: 'DeleteTable',
  takesBody: false,
  decode: tableNameOf,
  run: ({ store }, name) => deleteTable(store, name),
  encode: (): Reply => ({ status: 204 }),
});

export const queryTablesOperation = operation({
  name: 'QueryTables',
  takesBody: false,
  decode(request) {
    const { terms, query } = request;
    answerLevel(terms);
    const top = parseTop(request);
    refuseUnsupported(request);
    const from = decodeTableToken(query.get('NextTableName'));
    const filter = query.get('$filter');
    return {
      selection: parseSelect(query.get('$select')),
      ...(filter === undefined ? {} : { filter }),
      ...(top === undefined ? {} : { top }),
      ...(from === undefined ? {} : { from }),
    };
  },
  run: (context, query) => queryTables(context, query),
  encode({ tables, next }: TablePage, request, { selection }): Reply {
    const frame = frameOf(request, selection);
    const names = tables.map(({ name }) => name);
    return {
      status: 200,
      contentType: jsonContentType(frame.level),
      body: renderTableFeed(names, frame),
      ...(next ? { headers: ['x-ms-continuation-NextTableName', encodeTableToken(next)] } : {}),
    };
  },
});

function tableNameOf({ address: { resource } }: TableRequest): string {
  if (resource.kind !== 'table') throw new Error(`an operation on one table was given ${resource.kind}`);
  return resource.table;
}

function frameOf({ address: { base, account }, terms }: TableRequest, { metadataSuffix }: Selection): TableFrame {
  return { level: answerLevel(terms), base, account, metadataSuffix };
}

function tableReply(name: string, frame: TableFrame): { contentType: string; body: string } {
  return { contentType: jsonContentType(frame.level), body: renderTable(name, frame) };
}
