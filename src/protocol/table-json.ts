import { ServiceError } from '../model/service-error.ts';
import { readJsonBody } from './json-body.ts';

/** Reads the body of Create Table and gives the name in it, unchecked. */
export function decodeTableJson(body: Buffer): string {
  const value = readJsonBody(body).find(({ name }) => name === 'TableName')?.value;
  // Evidence: the codes for a missing name and for one that is no string are assumed.
  if (value === undefined || value.kind === 'null') throw new ServiceError('PropertiesNeedValue');
  if (value.kind !== 'string') throw new ServiceError('InvalidInput', { stage: 'parse' });
  return value.text;
}
