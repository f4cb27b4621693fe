// Passes bytes to the code that reads the languages of clients, such as filters and JSON. Each language has a function
// here. The function throws if a claim about the code is not true. Jazzer.js calls the functions (run.mjs). This file
// does not use vitest, because the functions run outside any test.

import assert from 'node:assert/strict';
import { readClauses, readLifetime } from '../../../src/auth/shared-access.ts';
import { EntityReader } from '../../../src/data/entity-reader.ts';
import type { FileEntity } from '../../../src/data/file-entity.ts';
import { LineFault } from '../../../src/data/file-fault.ts';
import { decodeSignedIdentifiers, encodeSignedIdentifiers } from '../../../src/model/access-policy.ts';
import { encodeProperties } from '../../../src/model/properties.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import {
  decodeServiceProperties,
  defaultServiceProperties,
  encodeServiceProperties,
} from '../../../src/model/service-properties.ts';
import { parseAddress } from '../../../src/protocol/address.ts';
import { decodeEntityAtom } from '../../../src/protocol/atom-entity.ts';
import { renderEntityAtom } from '../../../src/protocol/atom-response.ts';
import { readBatch } from '../../../src/protocol/batch-request.ts';
import { decodeEntityTokens } from '../../../src/protocol/continuation-token.ts';
import { type DecodedEntity, decodeEntityJson } from '../../../src/protocol/entity-json.ts';
import { renderEntity } from '../../../src/protocol/entity-response.ts';
import { everything, parseSelect } from '../../../src/protocol/select.ts';
import {
  decodeServicePropertiesXml,
  renderServicePropertiesXml,
} from '../../../src/protocol/service-properties-xml.ts';
import { decodeTableAclXml, renderTableAclXml } from '../../../src/protocol/table-acl-xml.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';
import { renderFilter } from '../../../src/query/render-filter.ts';

/** Undefined if the service refuses the input with a status below 500, or with 501. */
function readOrRefuse<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && (error.status < 500 || error.status === 501)) return undefined;
    throw error;
  }
}

const { readFilter } = createFilterReader();

export function filters(bytes: Buffer): void {
  const text = bytes.toString('utf8');
  const filter = readOrRefuse(() => readFilter(text));
  if (filter) assert.deepEqual(readFilter(renderFilter(filter)), filter);
}

const recordOf = ({ partitionKey = '', rowKey = '', properties }: DecodedEntity) => ({
  partitionKey,
  rowKey,
  timestamp: '2015-06-23T00:11:50.5338923Z',
  properties: encodeProperties(properties),
});

/** An entity that is read from its response is the entity that was sent. */
function checkEntity(
  sent: DecodedEntity | undefined,
  readBack: (record: ReturnType<typeof recordOf>) => DecodedEntity,
): void {
  if (!sent) return;
  const record = recordOf(sent);
  assert.deepEqual(recordOf(readBack(record)), record);
}

export function json(bytes: Buffer): void {
  const options = {
    level: 'full',
    hasMinimalEtag: true,
    base: 'b',
    account: 'a',
    table: 't',
    selection: everything,
  } as const;
  const sent = readOrRefuse(() => decodeEntityJson(bytes, 'body'));
  checkEntity(sent, (record) => decodeEntityJson(Buffer.from(renderEntity(record, options)), 'body'));
}

export function atom(bytes: Buffer): void {
  const options = {
    base: 'b',
    account: 'a',
    table: 't',
    updated: '2015-06-23T00:11:51Z',
    isGeoDeclared: false,
  } as const;
  const sent = readOrRefuse(() => decodeEntityAtom(bytes, 'body'));
  checkEntity(sent, (record) =>
    decodeEntityAtom(renderEntityAtom(record, { ...options, selection: everything }), 'body'),
  );
}

export function policies(bytes: Buffer): void {
  const list = readOrRefuse(() => decodeTableAclXml(bytes));
  if (!list) return;
  assert.deepEqual(decodeSignedIdentifiers(encodeSignedIdentifiers(list)), list);
  assert.deepEqual(decodeTableAclXml(renderTableAclXml(list)), list);
}

export function properties(bytes: Buffer): void {
  const version = '2019-02-02';
  const found = readOrRefuse(() => decodeServicePropertiesXml(bytes, defaultServiceProperties, version));
  if (!found) return;
  assert.deepEqual(decodeServiceProperties(encodeServiceProperties(found)), found);
  const again = renderServicePropertiesXml(found, version);
  assert.deepEqual(decodeServicePropertiesXml(again, defaultServiceProperties, version), found);
}

/** Addresses as they come on the wire, with the parts of their query that are languages themselves. */
export function addresses(bytes: Buffer): void {
  const target = bytes.toString('latin1');
  const address = readOrRefuse(() =>
    parseAddress(target, '127.0.0.1:10002', { scheme: 'http', isHostStyleKnown: true }),
  );
  const options = address?.query.options;
  if (!options) return;
  readOrRefuse(() => parseSelect(options.get('$select')));
  readOrRefuse(() => decodeEntityTokens(options.get('NextPartitionKey'), options.get('NextRowKey')));
  readOrRefuse(() => {
    const clauses = readClauses(options);
    if (clauses) readLifetime(clauses);
  });
}

export function batches(bytes: Buffer): void {
  readOrRefuse(() => readBatch('multipart/mixed; boundary=batch_a', bytes));
}

/** The size of the pieces in which a file comes changes nothing. */
function checkFile(bytes: Buffer, format: 'csv' | 'ndjson'): void {
  assert.deepEqual(entitiesIn(bytes, format, 7), entitiesIn(bytes, format, bytes.length || 1));
}

/** The entities, or the line with the fault. */
function entitiesIn(bytes: Buffer, format: 'csv' | 'ndjson', pieceBytes: number): readonly FileEntity[] | string {
  const reader = new EntityReader(format);
  const entities: FileEntity[] = [];
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const { entity } of reader.push(bytes.subarray(at, at + pieceBytes))) entities.push(entity);
    }
    for (const { entity } of reader.end()) entities.push(entity);
    return entities;
  } catch (error) {
    if (error instanceof LineFault) return `${error.line}: ${error.message}`;
    throw error;
  }
}

export const csv = (bytes: Buffer): void => checkFile(bytes, 'csv');
export const ndjson = (bytes: Buffer): void => checkFile(bytes, 'ndjson');
