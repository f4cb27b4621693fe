import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkPostgres, migratePostgres } from '../../../../src/storage/postgres/migrate.ts';
import { openPostgresStore } from '../../../../src/storage/postgres/postgres-store.ts';
import { StoreUnavailable } from '../../../../src/storage/store-unavailable.ts';
import { storeTimes } from '../../../support/manual-time.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { createNodes, type Nodes } from './nodes.ts';

async function refusal(store: string): Promise<{ reason: string; message: string }> {
  const opened = await openPostgresStore({ store, durability: 'process', ...storeTimes() }).then(
    (one) => one.close().then(() => new Error('it opened')),
    (error: unknown) => error,
  );
  if (!(opened instanceof StoreUnavailable)) throw opened;
  expect(opened.message).not.toContain('\n');
  return opened;
}

describe('The address of a database', () => {
  it.each([
    ['mysql://host/db', 'postgres://'],
    ['postgres://user:pass word@host:x/db', '%'],
    ['postgres://host/db?schema=Not-A-Name', 'schema'],
    ['postgres://host/db?sslmode=verify-full&sslrootcert=/no/such/file', '/no/such/file'],
    ['postgres://host/db?sslmode=nonsense', 'sslmode is one of'],
    ['postgres://host/db?sslmode=verify-ca', 'sslrootcert'],
    ['postgres://host/db?sslmode=disable&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
  ])('%s is refused with a remedy', async (url, hint) => {
    const { reason, message } = await refusal(url);
    expect([reason, message]).toEqual(['badAddress', expect.stringContaining(hint)]);
  });

  it('is completed by variables, which are named if they are wrong, and ignored if nothing is encrypted', async () => {
    vi.stubEnv('PGSSLMODE', 'prefer');
    expect((await refusal('postgres://host/db')).message).toContain('PGSSLMODE is one of');
    vi.stubEnv('PGSSLMODE', 'disable');
    vi.stubEnv('PGSSLROOTCERT', '/no/such/file');
    expect((await refusal('postgres://127.0.0.1:1/db')).reason).toBe('unreachable');
    vi.unstubAllEnvs();
  });

  it('of a server that does not exist is refused as unreachable', async () => {
    const { reason, message } = await refusal('postgres://me:secret@127.0.0.1:1/db');
    expect([reason, message]).toEqual(['unreachable', expect.stringContaining('127.0.0.1:1/db')]);
    expect(message).not.toContain('secret');
  });
});

describe.runIf(hasPostgres)('A database', () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await createNodes();
  });
  afterAll(() => nodes.close());
  const urlWith = (change: (url: URL) => void): string => {
    const url = new URL(nodes.url);
    change(url);
    return url.href;
  };
  const schemas = () => nodes.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tz%' ORDER BY nspname");

  it('that refuses the password, or does not exist, is refused in one line without the password', async () => {
    const wrong = await refusal(urlWith((url) => (url.password = 'wrong-secret')));
    expect([wrong.reason, wrong.message]).toEqual(['refused', expect.stringContaining('password')]);
    expect(wrong.message).not.toContain('wrong-secret');
    const missing = await refusal(urlWith((url) => (url.pathname = '/no_such_database')));
    expect([missing.reason, missing.message]).toEqual(['refused', expect.stringContaining('createdb')]);
  });

  it('with a schema that belongs to another program, or is newer, is refused and not changed', async () => {
    await nodes.query('CREATE SCHEMA tz_other; CREATE TABLE tz_other.things (id integer)');
    expect(await refusal(`${nodes.url}?schema=tz_other`)).toMatchObject({ reason: 'foreign' });
    await nodes.query(
      'CREATE SCHEMA tz_meta; CREATE TABLE tz_meta.meta (product text); INSERT INTO tz_meta.meta VALUES (NULL)',
    );
    expect(await refusal(`${nodes.url}?schema=tz_meta`)).toMatchObject({ reason: 'foreign' });
    expect(
      await nodes.query("SELECT table_name FROM information_schema.tables WHERE table_schema LIKE 'tz%'"),
    ).toHaveLength(2);
    await migratePostgres({ url: `${nodes.url}?schema=tz_newer` });
    await nodes.query('UPDATE tz_newer.meta SET version = 999');
    expect(await refusal(`${nodes.url}?schema=tz_newer`)).toMatchObject({
      reason: 'newer',
      message: expect.stringContaining('999'),
    });
    await nodes.query('DROP SCHEMA tz_other, tz_meta, tz_newer CASCADE');
  });

  it('is checked without being changed, and migrated once', async () => {
    const url = `${nodes.url}?schema=tz_fresh`;
    expect(await checkPostgres({ url })).toEqual({ version: 0, isDistributed: false, accounts: 0 });
    expect(await schemas()).toEqual([]);
    const results = await Promise.all(Array.from({ length: 4 }, () => migratePostgres({ url })));
    expect(results.map(({ to }) => to)).toEqual([2, 2, 2, 2]);
    expect(results.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(await migratePostgres({ url })).toEqual({ from: 2, to: 2 });
    expect(await checkPostgres({ url })).toEqual({ version: 2, isDistributed: false, accounts: 0 });
  });

  it('without Citus cannot be distributed, and says so', async () => {
    await expect(migratePostgres({ url: nodes.url, distributed: true })).rejects.toThrow('no Citus');
  });
});
