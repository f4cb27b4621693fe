import { ServiceError } from '../model/service-error.ts';
import { readAtomBody, readAtomString } from './atom-body.ts';

/** Reads the body of Create Table and gives the name in it, unchecked. */
export function decodeTableAtom(body: Buffer): string {
  const element = readAtomBody(body).find(({ local }) => local === 'TableName');
  const name = element && readAtomString(element);
  // Evidence: assumed, as for JSON.
  if (name === undefined) throw new ServiceError('PropertiesNeedValue');
  return name;
}
