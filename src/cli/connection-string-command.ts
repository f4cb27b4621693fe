import { createAnyAccounts, developmentAccount } from '../auth/accounts.ts';
import { keyConnectionString, sasConnectionString } from '../auth/connection-string.ts';
import { permissionLetters, signAccountSas, signTableSas } from '../auth/sign-shared-access.ts';
import { ServiceError } from '../model/service-error.ts';
import { parseTableName } from '../model/table-name.ts';
import type { Environment } from './environment.ts';
import { readAccounts, readAccountsFile } from './read-accounts.ts';
import { exportLine, type Shell } from './shells.ts';
import { UnusableOption } from './unusable-option.ts';

export type SharedAccessKind = 'account' | 'table';

export interface ConnectionStringOptions {
  readonly account: string;
  /** Where the key is. */
  readonly accounts:
    | { readonly kind: 'environment'; readonly environment: Environment }
    | { readonly kind: 'flag'; readonly value: string };
  /** `http://127.0.0.1:10002` */
  readonly url: string;
  readonly isUrlOnly: boolean;
  /** Prints lines for this shell. */
  readonly shell?: Shell;
  /** Signs in place of the key. */
  readonly access?: {
    readonly kind: SharedAccessKind;
    readonly table: string | undefined;
    readonly permissions: string | undefined;
    readonly expires: string | undefined;
  };
}

// The first is what the Azure CLI and the samples of Azure Storage read, the second what Azure's samples for tables read.
const variables = ['AZURE_STORAGE_CONNECTION_STRING', 'AZURE_TABLES_CONNECTION_STRING'];

/** Prints what a client connects with. Throws UnusableOption. */
export function connectionStringCommand(options: ConnectionStringOptions): void {
  const { shell } = options;
  const text = textFor(options);
  const lines = shell === undefined ? [text] : variables.map((name) => exportLine[shell](name, text));
  process.stdout.write(`${lines.join('\n')}\n`);
}

function textFor({ account: name, accounts, url: origin, isUrlOnly, access }: ConnectionStringOptions): string {
  const key = keyOf(name, accounts);
  const url = `${origin}/${name}`;
  if (access === undefined) return keyConnectionString({ name, key, url });
  const { kind, table = '' } = access;
  const signer = { account: name, key };
  const terms = { permissions: readPermissions(kind, access.permissions), expiresMs: readExpiry(access.expires) };
  warnOfPast(terms.expiresMs);
  const sas = kind === 'table' ? signTableSas(readTable(table), terms, signer) : signAccountSas(terms, signer);
  if (!isUrlOnly) return sasConnectionString(url, sas);
  return `${kind === 'table' ? `${url}/${table}` : url}?${sas}`;
}

/** The first key of the account. */
function keyOf(name: string, accounts: ConnectionStringOptions['accounts']): string {
  if (accounts.kind === 'flag' && accounts.value === 'any') return keyOfAny(name);
  const list = accounts.kind === 'flag' ? readAccountsFile(accounts.value) : readAccounts(accounts.environment);
  const [key] = list.find((account) => account.name === name)?.keys ?? [];
  if (key !== undefined) return key;
  const names = list.map((account) => account.name).join(', ');
  throw new UnusableOption(`--account ${name}: there is only ${names}. Say with --accounts where its key is.`);
}

function keyOfAny(name: string): string {
  const { key } = developmentAccount;
  if (createAnyAccounts([key]).keysOf(name)) return key;
  throw new UnusableOption(`--account ${name} is no name of an account: 3 to 24 lower-case letters and digits.`);
}

function readTable(text: string): string {
  try {
    return parseTableName(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UnusableOption(`--table ${text} is no name of a table: 3 to 63 letters and digits, a letter first.`);
  }
}

function readPermissions(kind: SharedAccessKind, text: string = permissionLetters[kind]): string {
  const all: string = permissionLetters[kind];
  if (text !== '' && [...text].every((letter) => all.includes(letter))) return text;
  throw new UnusableOption(
    `--permissions ${text}: a signature for ${kind === 'table' ? 'a table' : 'the account'} takes letters of ${all}.`,
  );
}

const secondsDefault = '3600';
/** A century. */
const secondsMax = 3_155_760_000;
/** A date alone begins at midnight UTC. A time of day needs a zone, lest it depend on that of the machine. */
const isoPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Only a warning: a test may want to see the refusal. */
function warnOfPast(expiresMs: number): void {
  if (expiresMs > Date.now()) return;
  const when = new Date(expiresMs).toISOString();
  process.stderr.write(`tanzanite: --expires: ${when} has passed, so the signature can only be refused.\n`);
}

function readExpiry(text = secondsDefault): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= secondsMax) return Date.now() + Number(text) * 1000;
  const moment = isoPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UnusableOption(
    `--expires ${text} is neither a number of seconds nor a time such as 2030-01-31T12:00:00Z or 2030-01-31.`,
  );
}
