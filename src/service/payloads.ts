// Chooses between the JSON and the Atom codec. The operations see typed entities and do not know which codec was used.

import type { EntityRecord } from '../model/entity.ts';
import { pageBytesMax } from '../model/limits.ts';
import type { Properties } from '../model/properties.ts';
import { formatTicks, ticksFromMs } from '../model/ticks.ts';
import { decodeEntityAtom } from '../protocol/atom-entity.ts';
import {
  type AtomEntityOptions,
  atomEntryContentType,
  atomFeedContentType,
  renderEntityAtom,
  renderEntityFeedAtom,
  renderTableAtom,
  renderTableFeedAtom,
} from '../protocol/atom-response.ts';
import { type DecodedEntity, decodeEntityJson, type KeySource } from '../protocol/entity-json.ts';
import { type EntityRenderOptions, renderEntity, renderEntityFeed } from '../protocol/entity-response.ts';
import { jsonContentType, type MetadataLevel } from '../protocol/payload-format.ts';
import type { Projection } from '../protocol/select.ts';
import { versionGates } from '../protocol/service-version.ts';
import { decodeTableAtom, decodeTableJson } from '../protocol/table-body.ts';
import { renderTable, renderTableFeed, type TableRenderOptions } from '../protocol/table-response.ts';
import { bodyFormat, responseFormat, type TableRequest } from './negotiated-headers.ts';

export interface Payload {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/** Reads an entity whose keys are in the body. */
export function readEntity(request: TableRequest): DecodedEntity {
  return decodeEntity(request, 'body');
}

/** Reads the custom properties of an entity whose keys are in the address. */
export function readProperties(request: TableRequest): Properties {
  return decodeEntity(request, 'address').properties;
}

function decodeEntity({ negotiated, body }: TableRequest, keySource: KeySource): DecodedEntity {
  return bodyFormat(negotiated) === 'json' ? decodeEntityJson(body, keySource) : decodeEntityAtom(body, keySource);
}

/** Reads the table name in the body of Create Table, without checking it. */
export function readTableName({ negotiated, body }: TableRequest): string {
  return bodyFormat(negotiated) === 'json' ? decodeTableJson(body) : decodeTableAtom(body);
}

export function entityPayload(entity: EntityRecord, request: TableRequest, selection: Projection): Payload {
  const format = responseFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomEntryContentType, body: renderEntityAtom(entity, atomOptions(request, selection)) };
  }
  const options = entityOptions(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderEntity(entity, options) };
}

/** `count` is the number of entities in the body. */
export function entityFeedPayload(
  entities: readonly EntityRecord[],
  request: TableRequest,
  selection: Projection,
): Payload & { count: number } {
  const format = responseFormat(request.negotiated);
  if (format.kind === 'atom') {
    const { body, count } = renderEntityFeedAtom(entities, atomOptions(request, selection), pageBytesMax);
    return { contentType: atomFeedContentType, body, count };
  }
  const options = entityOptions(request, selection, format.level);
  const { body, count } = renderEntityFeed(entities, options, { bytesMax: pageBytesMax, buffers: request.buffers });
  return { contentType: jsonContentType(format.level), body, count };
}

export function tablePayload(name: string, request: TableRequest, selection: Projection): Payload {
  const format = responseFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomEntryContentType, body: renderTableAtom(name, atomOptions(request, selection)) };
  }
  const options = tableOptions(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderTable(name, options) };
}

export function tableFeedPayload(names: readonly string[], request: TableRequest, selection: Projection): Payload {
  const format = responseFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomFeedContentType, body: renderTableFeedAtom(names, atomOptions(request, selection)) };
  }
  const options = tableOptions(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderTableFeed(names, options) };
}

function tableOptions(
  { address: { base, account } }: TableRequest,
  { metadataSuffix }: Projection,
  level: MetadataLevel,
): TableRenderOptions {
  return { level, base, account, metadataSuffix };
}

function entityOptions(
  { address, negotiated }: TableRequest,
  selection: Projection,
  level: MetadataLevel,
): EntityRenderOptions {
  return {
    level,
    hasMinimalEtag: negotiated.version >= versionGates.etagInMinimalMetadata,
    base: address.base,
    account: address.account,
    table: tableNameOf(address),
    selection,
  };
}

function atomOptions({ address, negotiated, clock }: TableRequest, selection: Projection): AtomEntityOptions {
  return {
    base: address.base,
    account: address.account,
    table: tableNameOf(address),
    selection,
    updated: formatTicks(ticksFromMs(Math.floor(clock.nowMs() / 1000) * 1000)),
    isGeoDeclared: negotiated.isThirdProtocol,
  };
}

function tableNameOf({ resource }: TableRequest['address']): string {
  return 'table' in resource ? resource.table.name : '';
}
