/// <reference path="./pgpass.d.ts" />
import pg from 'pg';
import findPassword from 'pgpass';

type Password = string | null | (() => Promise<string | undefined>);

/**
 * Reads the password from the password file if neither the address nor PGPASSWORD gives one. The driver can read this
 * file itself, but would print a deprecation warning at each start.
 */
export class PasswordFileClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { host, port, user = '', database = '' } = this;
    const client = this as { password: Password };
    client.password ??= () => new Promise((resolve) => findPassword({ host, port, user, database }, resolve));
  }
}
