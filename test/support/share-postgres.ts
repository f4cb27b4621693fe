// Global setup: one PostgreSQL for all test files of a run, or with TANZANITE_TEST_CITUS=1 one Citus. It starts when the
// first test file asks for it.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { CitusCluster } from './citus.mjs';
import { findPostgres, PostgresServer } from './postgres-server.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the URL of the server, which it starts if necessary; `none` without PostgreSQL. */
    readonly postgresStarter: string;
  }
}

interface Shared {
  readonly listener: Promise<Server>;
  started: Promise<PostgresServer | CitusCluster> | undefined;
}

const isCitusWanted = process.env['TANZANITE_TEST_CITUS'] === '1';

/** The projects of one run, whose setups are separate instances of this module, share it. */
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
