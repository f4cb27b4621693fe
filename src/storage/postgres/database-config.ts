// Turns the URL of a database into the driver's options, and the driver's errors into advice for users. The advice never
// contains a password.

import pg from 'pg';
import { StoreUnavailable } from '../store-unavailable.ts';
import { databaseReason, stateOf } from './failures.ts';

export interface DatabaseConfig {
  readonly config: pg.ClientConfig;
  /** The schema as it is written in SQL. */
  readonly schema: string;
  readonly schemaName: string;
  /** The name of the database in messages: `db.example.com:5432/tables`. */
  readonly title: string;
}

const defaultSchema = 'tanzanite';
const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/;

/** The server cancels statements that take longer. */
export const statementMsMax = 5_000;
/** How long a request waits for a connection. */
export const connectMsMax = 2_500;

/** `allow` and `prefer` would fall back to no encryption, which the driver cannot do. */
const sslModes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'];
/** The driver reads PGSSLMODE differently from libpq, and does not read the other variables. */
const sslEnvironment: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
};

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…&schema=…`. Values that the URL omits come from PGHOST,
 * PGPORT, PGUSER, PGDATABASE, PGPASSWORD or the password file, PGSSLMODE, PGSSLROOTCERT, PGSSLCERT and PGSSLKEY. Other
 * PostgreSQL clients read the same variables. Throws StoreUnavailable.
 */
export function readDatabaseUrl(url: string): DatabaseConfig {
  if (!/^postgres(ql)?:\/\//.test(url)) throw badAddress('It begins with postgres://.');
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const schemaName = parameters.get('schema') ?? defaultSchema;
  if (!schemaPattern.test(schemaName)) {
    throw badAddress('A schema is lower-case letters, digits and _, at most 63 characters.');
  }
  parameters.delete('schema');
  completeSsl(parameters);
  // With this, `sslmode=require` encrypts without checking the certificate, as in other programs.
  if (!parameters.has('uselibpqcompat')) parameters.set('uselibpqcompat', 'true');
  const config = { connectionString: `${address}?${parameters}` };
  return { config, schema: `"${schemaName}"`, schemaName, title: titleOf(config) };
}

function completeSsl(parameters: URLSearchParams): void {
  const modeName = parameters.has('sslmode') ? 'sslmode' : sslEnvironment.sslmode;
  for (const [name, variable] of Object.entries(sslEnvironment)) {
    const value = process.env[variable];
    // An unencrypted connection does not need certificates, even if the environment names some.
    const isWanted = name === 'sslmode' || (parameters.get('sslmode') ?? 'disable') !== 'disable';
    if (isWanted && value && !parameters.has(name)) parameters.set(name, value);
  }
  const mode = parameters.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) throw badAddress(`${modeName} is one of ${sslModes.join(', ')}.`);
  // `system` means the certificates that the machine trusts, as in libpq. If no file is given, the driver uses these
  // certificates.
  if (parameters.get('sslrootcert') === 'system') {
    if (mode !== null && mode !== 'verify-full') throw badAddress(`sslrootcert=system needs ${modeName}=verify-full.`);
    parameters.delete('sslrootcert');
    parameters.set('sslmode', 'verify-full');
  } else if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw badAddress('sslmode=verify-ca needs sslrootcert, the file of the authority that issued the certificate.');
  }
}

function titleOf(config: pg.ClientConfig): string {
  try {
    const { host, port, database } = new pg.Client(config);
    return `${host.startsWith('/') ? host : `${host}:${port}`}/${database ?? ''}`;
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw badAddress(
      isFile ? `${databaseReason(error)}.` : 'Special characters in user and password are written as %3A.',
    );
  }
}

function badAddress(hint: string): StoreUnavailable {
  const form = 'postgres://user:password@host:5432/database?sslmode=verify-full';
  return new StoreUnavailable(
    'badAddress',
    `The address of the database cannot be read: it looks like ${form}. ${hint}`,
  );
}

/** SQLSTATEs of a server that refuses this user or database. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password. Check the user, and the password in the URL, PGPASSWORD or the password file',
  '28000': 'refuses the user. Check the user, sslmode and pg_hba.conf',
  '3D000': 'does not exist. Create it with createdb, or correct the address',
  '42501':
    'does not give this user enough rights. Grant CREATE on the database, or all rights on the schema and its contents',
};

/** Why a store cannot be opened, in one line. */
export function explainOpening(error: unknown, { title }: DatabaseConfig): StoreUnavailable {
  if (error instanceof StoreUnavailable && error.reason !== 'unreachable') return error;
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  const refusal = refusals[stateOf(cause) ?? ''];
  if (refusal !== undefined) return new StoreUnavailable('refused', `The database ${title} ${refusal}.`, { cause });
  const reason = databaseReason(cause);
  // The driver reports these messages if the server requires a password and no password is known.
  if (/password must be a string|no password supplied/.test(reason)) {
    const text = 'needs a password. Give it in the URL, PGPASSWORD or the password file';
    return new StoreUnavailable('refused', `The database ${title} ${text}.`, { cause });
  }
  const text = `The database ${title} cannot be used: ${reason}. Start it, or check host, port and sslmode.`;
  return new StoreUnavailable('unreachable', text, { cause });
}
