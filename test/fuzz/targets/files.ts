// CSV and NDJSON, which seeds and imports read.

import fc from 'fast-check';
import { expect } from 'vitest';
import { csvEntity, csvHeader } from '../../../src/data/entity-csv.ts';
import { EntityReader } from '../../../src/data/entity-reader.ts';
import { EntityFault, type FileEntity, fileLine } from '../../../src/data/file-entity.ts';
import { LineFault } from '../../../src/data/file-fault.ts';
import { decodeProperties, encodeProperties } from '../../../src/model/properties.ts';
import { anyKey } from '../../support/arbitrary-entity.ts';
import { properties } from '../../support/arbitrary-values.ts';
import { bytesOf, damaged, documentOf } from '../damage.ts';
import { type Outcome, type Target, target } from '../target.ts';

type Format = 'csv' | 'ndjson';

const tokens = [
  ...[
    ',',
    '"',
    '""',
    ';',
    '"\r\n"',
    '\ufeff',
    '@type',
    '@odata.type',
    'PartitionKey',
    'RowKey',
    'Timestamp',
    'ETag',
    'W/"x"',
  ],
  ...[
    '{',
    '}',
    ':',
    '\\',
    '\\u',
    '\\ud800',
    'null',
    'Edm.Int64',
    'Edm.Binary',
    '"a@odata.type":"Edm.Int64",',
    '1e999',
    '[]',
  ],
];

const entity: fc.Arbitrary<FileEntity> = fc.tuple(anyKey, properties).map(([key, own]) => ({
  ...key,
  properties: encodeProperties(new Map([...own].filter(([name]) => !/[.@]/.test(name)))),
}));

function namesIn(entities: readonly FileEntity[]): readonly string[] {
  return [...new Set(entities.flatMap((own) => [...decodeProperties(own.properties).keys()]))].sort();
}

function fileOf(entities: readonly FileEntity[], format: Format): string {
  if (format === 'ndjson') return entities.map((own) => `${fileLine(own)}\n`).join('');
  const names = namesIn(entities);
  return csvHeader(names) + entities.map((own) => csvEntity(own, names)).join('');
}

/** A file with the entities, or an empty text if CSV cannot represent them. */
function fileIfHeld(entities: readonly FileEntity[], format: Format): string {
  try {
    return fileOf(entities, format);
  } catch (error) {
    if (error instanceof EntityFault) return '';
    throw error;
  }
}

interface PiecedFile {
  readonly document: string;
  /** The reader gets the bytes in pieces of this size. */
  readonly pieceBytes: number;
}

/** The entities, or the line number of the fault. */
function read(bytes: Buffer, format: Format, pieceBytes: number): readonly FileEntity[] | string {
  const reader = new EntityReader(format);
  const entities: FileEntity[] = [];
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const record of reader.push(bytes.subarray(at, at + pieceBytes))) entities.push(record.entity);
    }
    for (const record of reader.end()) entities.push(record.entity);
    return entities;
  } catch (error) {
    if (error instanceof LineFault) return `${error.line}: ${error.message}`;
    throw error;
  }
}

interface ReadEntity {
  readonly properties: string;
}

/** A comparison that ignores the order of properties: files are written with the properties sorted by name. */
const inAnyOrder = (entities: readonly ReadEntity[]) =>
  entities.map((entity) => ({ ...entity, properties: JSON.parse(`{${entity.properties}}`) as unknown }));

/**
 * Checks how a file is read. A fault must name a line. The size of the pieces must not change the result. Entities that
 * are written to a file and read again must be unchanged.
 */
function check({ document, pieceBytes }: PiecedFile, format: Format): Outcome {
  const bytes = bytesOf(document);
  const found = read(bytes, format, bytes.length || 1);
  expect(read(bytes, format, pieceBytes)).toEqual(found);
  if (typeof found === 'string') {
    expect(found).toMatch(/^[1-9]\d*: [^\n]+$/);
    return 'refused';
  }
  const untimed = found.map(({ ticks: _, ...own }) => own);
  const again = fileIfHeld(untimed, format);
  if (again !== '') {
    const readAgain = read(Buffer.from(again), format, 7);
    expect(typeof readAgain).toBe('object');
    expect(inAnyOrder(readAgain as readonly ReadEntity[])).toEqual(inAnyOrder(untimed));
  }
  return 'accepted';
}

function fileTarget(format: Format): Target {
  const documents = fc.array(entity, { maxLength: 3 }).map((entities) => documentOf(fileIfHeld(entities, format)));
  const inputs = fc.record({ document: damaged(documents, tokens), pieceBytes: fc.integer({ min: 1, max: 64 }) });
  return target({ name: format, share: 8, inputs, check: (input: PiecedFile) => check(input, format) });
}

export const csv = fileTarget('csv');
export const ndjson = fileTarget('ndjson');
