// All nodes over one database are one token issuer. Each node accepts the tokens that any node made, and knows the
// principals that any node made.

import { afterAll, describe, expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/index.ts';
import { ask } from '../support/control-plane.ts';
import { createDatabase, hasPostgres, type PostgresDatabase } from '../support/postgres.ts';
import { partsOf } from '../support/tokens.ts';

const database = hasPostgres ? await createDatabase() : undefined;
const join = (): Promise<Emulator> => startEmulator({ store: (database as PostgresDatabase).url, identity: true });
const nodes = hasPostgres ? await Promise.all([join(), join()]) : [];

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await database?.drop();
});

async function statusOf({ url }: Emulator, token: string, table?: string): Promise<number> {
  const answer = await fetch(`${url}/devstoreaccount1/Tables`, {
    method: table === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${token}`, 'x-ms-version': '2020-12-06', 'Content-Type': 'application/json' },
    ...(table === undefined ? {} : { body: JSON.stringify({ TableName: table }) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

describe.runIf(hasPostgres)('The issuer of two nodes over one database', () => {
  const [one, other] = nodes as [Emulator, Emulator];

  it('has one set of keys and one secret, even if both nodes make the first request at the same time', async () => {
    const environments = await Promise.all([one, other].map((node) => node.identity.environment()));
    const [first, second] = environments.map(({ AZURE_CLIENT_SECRET, IDENTITY_HEADER }) => [
      AZURE_CLIENT_SECRET,
      IDENTITY_HEADER,
    ]);
    expect(first).toEqual(second);
    expect(await statusOf(other, await one.identity.token())).toBe(200);
  });

  it('accepts tokens of a key that another node has just made, and keeps the keys of two rotations', async () => {
    const rotated = await Promise.all([one.identity.rotateKeys(), other.identity.rotateKeys()]);
    const tokens = await Promise.all([one.identity.token(), other.identity.token()]);
    for (const node of [one, other]) for (const token of tokens) expect(await statusOf(node, token)).toBe(200);
    const { text } = await ask(one.url, { method: 'GET', path: '/adfs/discovery/v2.0/keys' });
    for (const { kid } of rotated) expect(text).toContain(kid);
    expect(rotated.map(({ kid }) => kid)).toContain(partsOf(tokens[0] ?? '').header['kid']);
  });

  it('never gives a principal more rights than its roles, at any node', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [maker, taker] = round % 2 === 0 ? [one, other] : [other, one];
      const reader = await maker.identity.principal({ roles: ['Storage Table Data Reader'] });
      const token = await reader.token();
      expect(await statusOf(taker, token, `never${round}`)).toBe(403);
      await expect.poll(() => statusOf(taker, token)).toBe(200);
      await reader.remove();
      await expect.poll(() => statusOf(taker, token)).toBe(403);
    }
  });
});
