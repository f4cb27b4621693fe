// If the caller of a request is not authenticated, the content of the request does not increase the server's work.
// `node test/bench/before-authentication.mjs` measures the time in milliseconds, for more kinds of unauthenticated
// requests.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedServer, startCountedServer } from '../support/counted-server.ts';
import { type HostileHead, hostileHeads, ordinaryHead, separators, tokenHeads } from '../support/hostile-heads.mjs';

/** The limit as a multiple of the work for an ordinary refusal. Most of that work explains a signature. */
const timesMax = 2;

describe('A request whose caller is not authenticated', () => {
  let server: CountedServer;
  beforeAll(async () => {
    server = await startCountedServer([]);
  });
  afterAll(() => server.stop());

  it('causes at most the work of two ordinary refusals, whatever fills its headers, options and address', async () => {
    const { host } = new URL(server.origin);
    expect(await beyondUsual(server, hostileHeads({ host, units: separators }))).toEqual([]);
  });

  it('causes no more work with a bearer token, if tokens are verified', async () => {
    const verifying = await startCountedServer(['--oauth', 'verify']);
    try {
      const heads = tokenHeads({ host: new URL(verifying.origin).host });
      // The first token makes the server load the verifier and make the issuer's keys.
      for (const { text } of heads) await exchange(verifying, text);
      expect(await beyondUsual(verifying, heads)).toEqual([]);
    } finally {
      await verifying.stop();
    }
  });
});

/**
 * Disconnects after the first bytes of the response, because malformed input leaves the connection in an unknown state.
 */
function exchange({ origin }: CountedServer, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}

/** Returns the heads that cause more work than two ordinary refusals. */
async function beyondUsual(server: CountedServer, heads: readonly HostileHead[]): Promise<string[]> {
  const workOf = (text: string): Promise<number> => server.workOf(() => exchange(server, text));
  const { host } = new URL(server.origin);
  const ordinary = ordinaryHead({ host });
  // The first requests load code and open files that later requests use.
  for (let round = 0; round < 5; round++) await exchange(server, ordinary);
  await exchange(server, `GET /_emulator/metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const usual = await workOf(ordinary);
  expect(usual).toBeGreaterThan(1_000);
  const beyond: string[] = [];
  for (const { name, text } of heads) {
    const work = await workOf(text);
    if (work > usual * timesMax) beyond.push(`${name} makes ${Math.round(work / usual)} times the work`);
  }
  return beyond;
}
