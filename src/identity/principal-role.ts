/** A role that a principal has: for all accounts, for one account, or for one table of an account. */
export interface PrincipalRole {
  /** Azure's name of the role: `Storage Table Data Reader`. */
  readonly role: string;
  /** If absent, the role is for every account. */
  readonly account?: string;
  /** If absent, the role is for every table of the account. */
  readonly table?: string;
}

const rolesMax = 100;
const textCharsMax = 200;

/** Reads names, or objects with `role`, `account` and `table`. Throws an Error that says what is wrong. */
export function readRoles(given: unknown): readonly PrincipalRole[] {
  if (!Array.isArray(given)) throw new Error('the roles must be a list');
  if (given.length > rolesMax) throw new Error(`a principal has at most ${rolesMax} roles`);
  return given.map(readRole);
}

function readRole(given: unknown): PrincipalRole {
  if (typeof given === 'string') return { role: readText(given, 'a role') };
  if (typeof given !== 'object' || given === null) {
    throw new Error('a role must be a name, or an object with role, account and table');
  }
  const { role, account, table, ...rest } = given as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error('the members of a role are role, account and table');
  if (table !== undefined && account === undefined) throw new Error('a role for a table needs an account');
  return {
    role: readText(role, 'the name of a role'),
    ...(account === undefined ? {} : { account: readName(account, 'the account of a role') }),
    ...(table === undefined ? {} : { table: readName(table, 'the table of a role') }),
  };
}

function readText(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= textCharsMax && !hasControl(value)) return value;
  throw new Error(`${what} must be a text of 1 to ${textCharsMax} characters`);
}

/** Names become parts of a scope, so only some characters are allowed. */
function readName(value: unknown, what: string): string {
  if (typeof value === 'string' && /^\w{1,63}$/.test(value)) return value;
  throw new Error(`${what} must be a name of letters and digits`);
}

const hasControl = (text: string): boolean => /\p{Cc}/u.test(text);
