// Passwords and TLS, by the names of variables and files that other PostgreSQL programs use.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStore } from '../../../../src/storage/postgres/postgres-store.ts';
import { storeTimes } from '../../../support/manual-time.ts';
import { findPostgres, PostgresServer } from '../../../support/postgres-server.mjs';
import { hasOpenssl } from '../../../support/secure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const isPossible = findPostgres() !== undefined && hasOpenssl;
if (!isPossible) console.warn('skipped: there is no PostgreSQL or no openssl on this machine');

const makeCertificate =
  'cat >/dev/null; openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=database ' +
  '-addext subjectAltName=DNS:localhost -keyout server.key -out server.crt 2>/dev/null';

describe.runIf(isPossible)('The connection to a database with TLS', () => {
  const folder = temporaryFolder();
  const certificate = join(folder.path, 'server.crt');
  let server: PostgresServer;
  let client: pg.Client;

  beforeAll(async () => {
    server = await PostgresServer.create();
    client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    // The key must belong to the user that runs the server.
    await client.query(`COPY (SELECT 1) TO PROGRAM '${makeCertificate}'`);
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    const { rows } = await client.query("SELECT pg_read_file('server.crt') AS text");
    writeFileSync(certificate, rows[0].text);
    await vi.waitUntil(async () => (await client.query('SHOW ssl')).rows[0].ssl === 'on', { timeout: 10_000 });
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(async () => {
    await client?.end();
    await server?.remove();
    folder.remove();
  });

  const address = (query: string, { host = '127.0.0.1', hasPassword = true } = {}): string => {
    const url = new URL(server.url());
    url.hostname = host;
    if (!hasPassword) url.password = '';
    return `${url.href}${query}`;
  };

  /** Whether the connections of a store are encrypted. If it cannot connect, the reason. */
  async function encryption(url: string): Promise<boolean | string> {
    try {
      const store = await openPostgresStore({ store: url, durability: 'process', ...storeTimes() });
      const { rows } = await client.query(
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tanzanite'",
      );
      await store.close();
      expect(rows).toHaveLength(1);
      return rows[0].ssl;
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('is encrypted as sslmode requires, in the address or in PGSSLMODE', async () => {
    expect(await encryption(address(''))).toBe(false);
    expect(await encryption(address('?sslmode=require'))).toBe(true);
    vi.stubEnv('PGSSLMODE', 'require');
    expect(await encryption(address(''))).toBe(true);
    expect(await encryption(address('?sslmode=disable'))).toBe(false);
  });

  it('checks the certificate, and with verify-full the name in it', async () => {
    expect(await encryption(address('?sslmode=verify-full'))).toMatch(/self-signed certificate.*check.*sslmode/);
    const file = `&sslrootcert=${certificate}`;
    expect(await encryption(address(`?sslmode=verify-ca${file}`))).toBe(true);
    expect(await encryption(address(`?sslmode=verify-full${file}`, { host: 'localhost' }))).toBe(true);
    expect(await encryption(address(`?sslmode=verify-full${file}`))).toMatch(/127\.0\.0\.1 is not in the cert/);
    vi.stubEnv('PGSSLROOTCERT', certificate);
    expect(await encryption(address('?sslmode=verify-ca'))).toBe(true);
    expect(await encryption(address('?sslmode=verify-full&sslrootcert=system'))).toMatch(/self-signed certificate/);
  });

  it('reads the password from PGPASSWORD, or from the password file', async () => {
    const url = address('', { hasPassword: false });
    const { password, port } = new URL(server.url());
    const file = join(folder.path, 'passwords');
    vi.stubEnv('PGPASSFILE', file);
    expect(await encryption(url)).toMatch(/needs a password\. Give it in the URL, PGPASSWORD or the password file/);
    writeFileSync(file, `127.0.0.1:${port}:*:tanzanite:${password}\n`, { mode: 0o600 });
    const warned = vi.spyOn(process, 'emitWarning');
    expect(await encryption(url)).toBe(false);
    expect(warned).not.toHaveBeenCalled();
    vi.stubEnv('PGPASSWORD', password);
    writeFileSync(file, '');
    expect(await encryption(url)).toBe(false);
  });
});
