import type { EdmValue } from '../model/edm.ts';
import { readAtomBody, readAtomString, readAtomValue } from './atom-body.ts';
import type { DecodedEntity, KeySource } from './entity-json.ts';

/** Reads the Atom entry of one entity. It ignores a Timestamp and properties that are null. */
export function decodeEntityAtom(body: Buffer, keySource: KeySource): DecodedEntity {
  const properties = new Map<string, EdmValue>();
  const keys: { partitionKey?: string; rowKey?: string } = {};
  for (const element of readAtomBody(body)) {
    const name = element.local;
    if (name === 'PartitionKey' || name === 'RowKey') {
      if (keySource === 'address') continue;
      const key = readAtomString(element);
      if (key !== undefined) keys[name === 'PartitionKey' ? 'partitionKey' : 'rowKey'] = key;
    } else if (name !== 'Timestamp') {
      const edm = readAtomValue(element);
      if (edm !== null) properties.set(name, edm);
    }
  }
  return { ...keys, properties };
}
