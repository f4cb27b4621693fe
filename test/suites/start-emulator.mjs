import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Starts the built command with its data in memory, on a free port, with new accounts. */
export async function startEmulator(accountCount, options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'tanzanite-suites-'));
  const accounts = Array.from({ length: accountCount }, (_, index) => ({
    name: `suite${index}`,
    key: randomBytes(64).toString('base64'),
  }));
  const accountsFile = join(folder, 'accounts.txt');
  writeFileSync(accountsFile, accounts.map(({ name, key }) => `${name}:${key}`).join(';'));
  const flags = ['--tablePort', '0', '--inMemoryPersistence', '--silent', '--accounts', accountsFile];
  const server = spawn(process.execPath, [command, 'start', ...flags, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    accounts,
    port: await portOf(server),
    async stop() {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Starts an emulator, as startProductionEndpoint does, but over HTTP and with the account in the path. This is enough
 * for clients that accept any address.
 */
export async function startPlainEndpoint(accountCount) {
  const { accounts, port, stop } = await startEmulator(accountCount);
  return { accounts, url: `http://127.0.0.1:${port}`, environment: process.env, stop };
}

async function portOf(server) {
  let output = '';
  server.stdout.setEncoding('utf8');
  for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
    output += text;
    const port = /listening at https?:\/\/[^\s/]+:(\d+)/.exec(output)?.[1];
    if (port === undefined) continue;
    server.stdout.resume();
    return Number(port);
  }
  throw new Error(`the emulator ended before it was ready\n${output}`);
}
