// Global setup: provides one PostgreSQL server for all test files of a run. With TANZANITE_TEST_CITUS=1, provides one
// Citus cluster instead. The server or cluster starts when the first test file requests it.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { CitusCluster } from './citus.mjs';
import { findPostgres, PostgresServer } from './postgres-server.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * The address of an HTTP server that starts PostgreSQL if necessary, and responds with the URL of PostgreSQL. The
     * address is `none` if PostgreSQL is not installed.
     */
    readonly postgresStarter: string;
  }
}

interface Shared {
  readonly listener: Promise<Server>;
  started: Promise<PostgresServer | CitusCluster> | undefined;
}

const isCitusWanted = process.env['TANZANITE_TEST_CITUS'] === '1';

/** All projects of a run share this value, although each loads its own instance of this module. */
const slot = globalThis as { [name: symbol]: Shared | undefined };
const name = Symbol.for('tanzanite test PostgreSQL');

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (findPostgres() === undefined) {
    provide('postgresStarter', 'none');
    return async () => undefined;
  }
  slot[name] ??= { listener: listen(), started: undefined };
  const { port } = (await slot[name].listener).address() as AddressInfo;
  provide('postgresStarter', `http://127.0.0.1:${port}/`);
  return stop;
}

function listen(): Promise<Server> {
  const server = createServer(async (_, response) => {
    const shared = slot[name];
    if (!shared) return response.writeHead(500).end();
    try {
      shared.started ??= isCitusWanted ? CitusCluster.create() : PostgresServer.create();
      response.end((await shared.started).url());
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.unref();
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function stop(): Promise<void> {
  const shared = slot[name];
  slot[name] = undefined;
  (await shared?.listener)?.close();
  await shared?.started?.then((server) => server.remove()).catch(() => undefined);
}
