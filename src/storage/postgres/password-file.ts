/// <reference path="./pgpass.d.ts" />
import pg from 'pg';
import findPassword from 'pgpass';

type Password = string | null | (() => Promise<string | undefined>);

/**
 * Takes a password that neither the address nor PGPASSWORD gives from the password file. The driver would do so by itself, and print
 * at each start that its next version does not.
 */
export class PasswordFileClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { host, port, user = '', database = '' } = this;
    const client = this as { password: Password };
    client.password ??= () => new Promise((resolve) => findPassword({ host, port, user, database }, resolve));
  }
}
