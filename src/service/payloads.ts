// The two codecs, JSON and Atom, side by side: everything else speaks of typed entities and does not know which was used.

import type { EntityRecord } from '../model/entity.ts';
import { pageBytesMax } from '../model/limits.ts';
import { formatTicks, ticksFromMs } from '../model/ticks.ts';
import { decodeEntityAtom } from '../protocol/atom-entity.ts';
import { atomEntryContentType, atomFeedContentType } from '../protocol/atom-names.ts';
import {
  type AtomFrame,
  renderEntityAtom,
  renderEntityFeedAtom,
  renderTableAtom,
  renderTableFeedAtom,
} from '../protocol/atom-response.ts';
import { decodeTableAtom } from '../protocol/atom-table.ts';
import { decodeEntityJson, type SentEntity } from '../protocol/entity-json.ts';
import { type EntityFrame, renderEntity, renderEntityFeed } from '../protocol/entity-response.ts';
import { jsonContentType } from '../protocol/payload-format.ts';
import type { Selection } from '../protocol/select.ts';
import { decodeTableJson } from '../protocol/table-json.ts';
import { renderTable, renderTableFeed, type TableFrame } from '../protocol/table-response.ts';
import { answerFormat, bodyFormat, type TableRequest } from './negotiated-headers.ts';

export interface Payload {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export function readEntity({ negotiated, body }: TableRequest): SentEntity {
  return bodyFormat(negotiated) === 'json' ? decodeEntityJson(body) : decodeEntityAtom(body);
}

/** The name in the body of Create Table, unchecked. */
export function readTableName({ negotiated, body }: TableRequest): string {
  return bodyFormat(negotiated) === 'json' ? decodeTableJson(body) : decodeTableAtom(body);
}

export function entityPayload(entity: EntityRecord, request: TableRequest, selection: Selection): Payload {
  const format = answerFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomEntryContentType, body: renderEntityAtom(entity, atomFrame(request, selection)) };
  }
  const frame = jsonFrame(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderEntity(entity, frame) };
}

/** `count` says how many of the entities the body holds. */
export function entityFeedPayload(
  entities: readonly EntityRecord[],
  request: TableRequest,
  selection: Selection,
): Payload & { count: number } {
  const format = answerFormat(request.negotiated);
  if (format.kind === 'atom') {
    const { body, count } = renderEntityFeedAtom(entities, atomFrame(request, selection), pageBytesMax);
    return { contentType: atomFeedContentType, body, count };
  }
  const { body, count } = renderEntityFeed(entities, jsonFrame(request, selection, format.level), pageBytesMax);
  return { contentType: jsonContentType(format.level), body, count };
}

export function tablePayload(name: string, request: TableRequest, selection: Selection): Payload {
  const format = answerFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomEntryContentType, body: renderTableAtom(name, atomFrame(request, selection)) };
  }
  const frame = tableFrame(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderTable(name, frame) };
}

export function tableFeedPayload(names: readonly string[], request: TableRequest, selection: Selection): Payload {
  const format = answerFormat(request.negotiated);
  if (format.kind === 'atom') {
    return { contentType: atomFeedContentType, body: renderTableFeedAtom(names, atomFrame(request, selection)) };
  }
  const frame = tableFrame(request, selection, format.level);
  return { contentType: jsonContentType(format.level), body: renderTableFeed(names, frame) };
}

function tableFrame(
  { address: { base, account } }: TableRequest,
  { metadataSuffix }: Selection,
  level: TableFrame['level'],
): TableFrame {
  return { level, base, account, metadataSuffix };
}

function jsonFrame({ address }: TableRequest, selection: Selection, level: EntityFrame['level']): EntityFrame {
  return { level, base: address.base, account: address.account, table: tableNameOf(address), selection };
}

function atomFrame({ address, negotiated, clock }: TableRequest, selection: Selection): AtomFrame {
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
  return 'table' in resource ? resource.table : '';
}
