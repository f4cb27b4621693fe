import { ServiceError } from './service-error.ts';

declare const tableNameBrand: unique symbol;

/** A name that a table can have: a letter, then letters and digits, 3 to 63 in all; any case, found in any case. */
export type TableName = string & { readonly [tableNameBrand]: true };

const characters = /^[A-Za-z][A-Za-z0-9]*$/;
const tableNameCharsMin = 3;
const tableNameCharsMax = 63;

/** Reads the name of a table to be created. Evidence: recorded; characters before length is assumed. */
export function parseTableName(text: string): TableName {
  if (!characters.test(text)) throw new ServiceError('InvalidResourceName');
  if (text.length < tableNameCharsMin || text.length > tableNameCharsMax) {
    throw new ServiceError('OutOfRangeInput', {
      message: 'The specified resource name length is not within the permissible limits.',
    });
  }
  if (text.toLowerCase() === 'tables') throw new ServiceError('InvalidInput');
  return text as TableName;
}

/** The form under which a table is looked up and ordered. */
export function tableLookup(name: string): string {
  return name.toLowerCase();
}
