import { quote } from './printable-text.ts';
import { type RefusalStage, ServiceError } from './service-error.ts';

declare const tableNameBrand: unique symbol;

/**
 * A name that a new table can have: a letter, then letters and digits, with 3 to 63 characters in total. `Tables` is
 * not allowed.
 */
export type TableName = string & { readonly [tableNameBrand]: true };

/** A table as a request names it. The name may be one that no table can have. */
export interface TableReference {
  /** As written in the request; responses repeat it. */
  readonly name: string;
  /** The form under which the table is looked up and ordered: names are case-insensitive. */
  readonly lookup: string;
}

export function tableReference(name: string): TableReference {
  return { name, lookup: tableLookup(name) };
}

/** The form under which a table is looked up and ordered. */
export function tableLookup(name: string): string {
  return name.toLowerCase();
}

const characters = /^[A-Za-z][A-Za-z0-9]*$/;
/** Evidence: documented (Understanding the Table Service Data Model). */
const tableNameCharsMin = 3;
/** Evidence: documented (Understanding the Table Service Data Model). */
const tableNameCharsMax = 63;

/**
 * Checks the name of a table to be created. Throws InvalidResourceName for a wrong character, OutOfRangeInput for a
 * wrong length, and InvalidInput for `Tables`. Evidence: recorded; assumed (the characters are checked before the
 * length).
 */
export function parseTableName(text: string): TableName {
  checkTableName(text, 'execute');
  if (tableLookup(text) === 'tables')
    throw new ServiceError('InvalidInput', { why: 'Tables is the name of the list of tables.' });
  return text as TableName;
}

/** Whether parseTableName accepts the text. */
export function isTableName(text: string): text is TableName {
  const isOfLength = text.length >= tableNameCharsMin && text.length <= tableNameCharsMax;
  return isOfLength && characters.test(text) && tableLookup(text) !== 'tables';
}

/**
 * Checks a table name in an address, and refuses a name that no table can have. The part before an encoded slash is
 * checked first, so `a%2F%2F` is refused because `a` is too short. A name that begins with a dollar sign is accepted,
 * because it names a system table. Evidence: recorded (azure-sdk-for-python, test_table_name_errors: Insert, Insert Or
 * Merge, Delete, Get Table ACL, batches); the other operations and the dollar sign are assumed.
 */
export function checkTableReference({ name }: TableReference): void {
  if (name.startsWith('$')) return;
  const slash = name.indexOf('/');
  if (slash !== -1) checkTableName(name.slice(0, slash), 'parse');
  checkTableName(name, 'parse');
}

/** Whether the name has only characters that a table or a system table can have. Its length is not checked. */
export function hasTableNameCharacters({ name }: TableReference): boolean {
  return /^[A-Za-z$][A-Za-z0-9$]*$/.test(name);
}

function describeFault(name: string): string {
  const [wrong] = name.match(/[^A-Za-z0-9]/u) ?? [];
  if (wrong !== undefined) return `holds ${quote(wrong)}`;
  return name === '' ? 'is empty' : `begins with the digit ${name[0]}`;
}

function checkTableName(name: string, stage: RefusalStage): void {
  if (!characters.test(name)) {
    const why = `The table name ${quote(name)} ${describeFault(name)}; a name is a letter, then letters and digits.`;
    throw new ServiceError('InvalidResourceName', { stage, why });
  }
  if (name.length >= tableNameCharsMin && name.length <= tableNameCharsMax) return;
  throw new ServiceError('OutOfRangeInput', {
    stage,
    message: 'The specified resource name length is not within the permissible limits.',
    why: `The table name ${quote(name)} has ${name.length} characters; ${tableNameCharsMin} to ${tableNameCharsMax} are allowed.`,
  });
}
