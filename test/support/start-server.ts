// Starts a server for tests of an SDK: the built command, on a free port and with a new location. If
// TANZANITE_TEST_ENDPOINT is set, the tests use the server at that address instead. With
// TANZANITE_TEST_ENGINE=postgres, the server keeps its data in a separate database. This file does not depend on the
// SDKs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, distributeOverCitus, hasPostgres } from './postgres.ts';
import { developmentKey } from './sign.mjs';
import { startBuiltCommand } from './start-built-command.ts';

export interface RunningServer {
  readonly connectionString: string;
  /** The table endpoint, including the account: `http://127.0.0.1:10002/devstoreaccount1`. */
  readonly url: string;
  /**
   * Stops the server. Rejects if a response had a status of 500 or more, because a client that retries would hide this
   * response from the test.
   */
  stop(): Promise<void>;
}

const account = 'devstoreaccount1';

export async function startServer(): Promise<RunningServer> {
  const given = process.env.TANZANITE_TEST_ENDPOINT;
  if (given) {
    return describeServer(given, async () => {});
  }
  const place = await createPlace();
  try {
    const { server, origin } = await startBuiltCommand(['start', '--tablePort', '0', '--silent'], { env: place.env });
    return describeServer(origin, async () => {
      const failures = await failuresAt(origin);
      const end = await server.end('SIGTERM').finally(place.remove);
      if (end.code !== 0) throw new Error(`the server ended with ${end.signal ?? end.code}: ${server.stderr}`);
      if (failures.length > 0) throw new Error(`the server failed: ${failures.join(', ')}`);
    });
  } catch (error) {
    await place.remove();
    throw error;
  }
}

/** The counters of responses with a status of 500 or more, as text. */
async function failuresAt(origin: string): Promise<readonly string[]> {
  const response = await fetch(`${origin}/_emulator/metrics`);
  const counters = await response.text();
  if (!/^tanzanite_requests_total\{/m.test(counters)) throw new Error(`the server has no counters: ${response.status}`);
  return counters.match(/^tanzanite_requests_total\{.*status="5\d\d".*$/gm) ?? [];
}

/** Where the server keeps its data. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

async function createPlace(): Promise<Place> {
  if (process.env['TANZANITE_TEST_ENGINE'] === 'postgres' && hasPostgres) {
    const { url, drop } = await createDatabase();
    await distributeOverCitus(url);
    return { env: { TANZANITE_STORE: url }, remove: drop };
  }
  const location = await mkdtemp(join(tmpdir(), 'tanzanite-sdk-'));
  return { env: { TANZANITE_LOCATION: location }, remove: () => rm(location, { recursive: true, force: true }) };
}

function describeServer(address: string, stop: () => Promise<void>): RunningServer {
  const { origin, pathname } = new URL(address);
  const url = origin + (pathname === '/' ? `/${account}` : pathname.replace(/\/$/, ''));
  const connectionString = [
    'DefaultEndpointsProtocol=http',
    `AccountName=${account}`,
    `AccountKey=${developmentKey}`,
    `TableEndpoint=${url}`,
  ].join(';');
  return { connectionString, url, stop };
}
