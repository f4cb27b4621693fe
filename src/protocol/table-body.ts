// Reads the body of Create Table. Both functions return the name of the table unchecked.

import { ServiceError } from '../model/service-error.ts';
import { readAtomBody, readAtomString } from './atom-body.ts';
import { readJsonBody } from './json-body.ts';

/** Throws PropertiesNeedValue and InvalidInput. Evidence: both codes are assumed. */
export function decodeTableJson(body: Buffer): string {
  const value = readJsonBody(body).find(({ name }) => name === 'TableName')?.value;
  if (value === undefined || value.kind === 'null') throw nameMissing();
  if (value.kind !== 'string')
    throw new ServiceError('InvalidInput', { stage: 'parse', why: 'TableName is not a string.' });
  return value.text;
}

/** Throws PropertiesNeedValue and InvalidInput. Evidence: both codes are assumed. */
export function decodeTableAtom(body: Buffer): string {
  const element = readAtomBody(body).find(({ local }) => local === 'TableName');
  const name = element && readAtomString(element);
  if (name === undefined) throw nameMissing();
  return name;
}

function nameMissing(): ServiceError {
  return new ServiceError('PropertiesNeedValue', { why: 'The body has no TableName: {"TableName":"todos"}.' });
}
