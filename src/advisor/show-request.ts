// Writes a request as a line that a developer recognises. The line has literals in quotation marks, so that `redact`
// can replace them.

import type { EntityKey } from '../model/entity.ts';
import type { Mutation } from '../model/mutation.ts';
import { escapeControls } from '../model/printable-text.ts';
import type { CountedRequest, Observation } from './observation.ts';

const textCharsMax = 300;

const methods: Readonly<Record<string, string>> = {
  InsertEntity: 'POST',
  UpdateEntity: 'PUT',
  InsertOrReplaceEntity: 'PUT',
  MergeEntity: 'MERGE',
  InsertOrMergeEntity: 'MERGE',
  DeleteEntity: 'DELETE',
};

const methodsByKind: Readonly<Record<Mutation['kind'], string>> = {
  insert: 'POST',
  replace: 'PUT',
  insertOrReplace: 'PUT',
  merge: 'MERGE',
  insertOrMerge: 'MERGE',
  delete: 'DELETE',
};

export function requestText(by: CountedRequest): string {
  const { operation, table, query, partitionKey, rowKey, members } = by;
  const name = table?.name ?? '';
  if (query) return clip(`GET /${name}()${queryOf(query)}`);
  if (members.length > 0)
    return clip(`POST /$batch of ${members.length} on ${name} PartitionKey=${quotedString(members[0]?.partitionKey)}`);
  if (operation === 'GetEntity') return clip(`GET /${name}${keyText({ partitionKey, rowKey })}`);
  if (operation in methods && partitionKey !== undefined)
    return clip(writeText({ by, operation, partitionKey, rowKey: rowKey ?? '' }));
  return clip(`${operation}${name === '' ? '' : ` ${name}`}`);
}

interface ShownWrite extends EntityKey {
  readonly by: Pick<Observation, 'condition' | 'table'>;
  readonly operation: string;
}

export function writeText({ by, operation, partitionKey, rowKey }: ShownWrite): string {
  const condition = by.condition === 'none' ? '' : ` If-Match: ${by.condition === 'any' ? '*' : 'an ETag'}`;
  return clip(
    `${methods[operation] ?? operation} /${by.table?.name ?? ''}${keyText({ partitionKey, rowKey })}${condition}`,
  );
}

export const mutationText = (table: string, mutation: Mutation): string =>
  keyedText(methodsByKind[mutation.kind], table, mutation);

export const keyedText = (method: string, table: string, { partitionKey, rowKey }: EntityKey): string =>
  clip(`${method} /${table}${keyText({ partitionKey, rowKey })}`);

const keyText = ({ partitionKey, rowKey }: { partitionKey: string | undefined; rowKey: string | undefined }): string =>
  `(PartitionKey=${quotedString(partitionKey)},RowKey=${quotedString(rowKey)})`;

function queryOf({ filter, select, top }: NonNullable<Observation['query']>): string {
  const options = [
    ...(filter === undefined ? [] : [`$filter=${filter}`]),
    ...(select === undefined ? [] : [`$select=${select}`]),
    ...(top === undefined ? [] : ['$top=…']),
  ];
  return options.length === 0 ? '' : `?${options.join('&')}`;
}

/** A string literal, as in a filter. */
export const quotedString = (text = ''): string => `'${text.replaceAll("'", "''")}'`;

/** The text of a string literal. */
export const keyOfLiteral = (text: string): string => text.slice(1, -1).replaceAll("''", "'");

const clip = (text: string): string => {
  const shown = escapeControls(text);
  return shown.length > textCharsMax ? `${shown.slice(0, textCharsMax)}…` : shown;
};

/** The shape of a key: each letter as `a`, each digit as `9`. */
export function keyShape(key: string): string {
  return key.replaceAll(/\p{L}/gu, 'a').replaceAll(/\d/g, '9').slice(0, 60);
}

/** Replaces the literals of a text: quoted texts, and numbers after an operator. */
export function redact(text: string): string {
  return text.replaceAll(/'(?:[^']|'')*'?/g, "'…'").replaceAll(/\b(eq|ne|lt|le|gt|ge) -?\d[\w.+-]*/g, '$1 …');
}
