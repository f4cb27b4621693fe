import type { EdmValue } from '../model/edm.ts';
import { readAtomBody, readAtomString, readAtomValue } from './atom-body.ts';
import type { DecodedEntity, KeySource } from './entity-json.ts';

/** Reads the Atom entry of one entity. It ignores a Timestamp and properties that are null. */
export function decodeEntityAtom(body: Buffer, keySource: KeySource): DecodedEntity {
  const properties = new Map<string, EdmValue>();
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (const element of readAtomBody(body)) {
    const name = element.local;
    if (name === 'PartitionKey' || name === 'RowKey') {
      if (keySource === 'address') continue;
      const key = readAtomString(element);
      if (name === 'PartitionKey') partitionKey = key ?? partitionKey;
      else rowKey = key ?? rowKey;
    } else if (name !== 'Timestamp') {
      const edm = readAtomValue(element);
      if (edm !== null) properties.set(name, edm);
    }
  }
  return { partitionKey, rowKey, properties };
}
