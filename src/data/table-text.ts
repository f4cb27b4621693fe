// The text of a table's file, made from its entities as lines of JSON.

import { decodeProperties } from '../model/properties.ts';
import { csvEntity } from './entity-csv.ts';
import { EntityFault, readStoredEntity } from './file-entity.ts';
import { FileFault } from './file-fault.ts';

/** Entities page by page, each as a JSON object without line end. */
export type Lines = AsyncIterable<readonly string[]>;

/** The text of a file in NDJSON, or in JSON as one array. */
export async function* jsonText(lines: Lines, format: 'ndjson' | 'json'): AsyncIterable<string> {
  let isFirst = true;
  for await (const page of lines) {
    if (page.length === 0) continue;
    if (format === 'ndjson') yield `${page.join('\n')}\n`;
    else yield `${isFirst ? '[\n' : ',\n'}${page.join(',\n')}`;
    isFirst = false;
  }
  if (format === 'json') yield isFirst ? '[]\n' : '\n]\n';
}

/** Adds the names of the properties in a page: the header of CSV needs every name that occurs. */
export function collectNames(page: readonly string[], names: Set<string>): void {
  for (const line of page)
    for (const name of decodeProperties(readStoredEntity(line).properties).keys()) names.add(name);
}

/** One record of CSV. Throws FileFault for an entity that CSV cannot represent. */
export function csvLine(line: string, names: readonly string[]): string {
  const entity = readStoredEntity(line);
  try {
    return csvEntity(entity, names);
  } catch (error) {
    if (!(error instanceof EntityFault)) throw error;
    const { partitionKey, rowKey } = entity;
    const which = `the entity of PartitionKey ${JSON.stringify(partitionKey)} and RowKey ${JSON.stringify(rowKey)}`;
    throw new FileFault(`${which}: ${error.message}; ndjson and json can`);
  }
}
