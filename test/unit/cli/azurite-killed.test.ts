// When `tanzanite azurite` is killed, or its input ends, no process remains and the data is intact.
import { cpSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JsonClient } from '../../support/json-client.mjs';
import { ServerProcess } from '../../support/server-process.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fakeAzurite = fileURLToPath(new URL('../../support/fake-azurite', import.meta.url));
const anyPorts = ['--blobPort', '0', '--queuePort', '0', '--tablePort', '0', '--location', 'kept'];
const readyLines = /is successfully listening at (http:\/\/\S+)/g;

interface Started {
  readonly server: ServerProcess;
  readonly kept: string;
  readonly origins: () => readonly string[];
}

function start(words: readonly string[] = [], stdin: 'ignore' | 'pipe' = 'ignore'): Started {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const cwd = realpathSync(folder.path);
  mkdirSync(join(cwd, 'node_modules'));
  cpSync(fakeAzurite, join(cwd, 'node_modules/azurite'), { recursive: true });
  const server = new ServerProcess(['azurite', ...anyPorts, ...words], { cwd, stdin });
  return {
    server,
    kept: join(cwd, 'kept'),
    origins: () => [...server.stdout.matchAll(readyLines)].map(([, origin]) => origin ?? ''),
  };
}

/** `end` and `ended` resolve when the last of the servers, which share one standard error, has ended. */
async function expectAllGone({ origins }: Started): Promise<void> {
  for (const origin of origins()) await expect(fetch(origin)).rejects.toThrow();
}

const dataOf = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('__'));

describe('tanzanite azurite', () => {
  it('leaves no server when it is killed: each stops gracefully', async () => {
    const started = start();
    const { server, kept, origins } = started;
    const client = new JsonClient(await server.ready());
    await client.createTable('Pets');
    await client.close();
    expect(origins()).toHaveLength(3);
    expect(await server.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await expectAllGone(started);
    expect(server.stdout).toMatch(/Azurite Table service successfully closed\n$/);
    expect(dataOf(kept).toSorted()).toEqual(['__azurite_db_blob__.json', '__azurite_db_queue__.json']);
  });

  it.each([
    ['is starting', /(Azurite) (?:Blob|Queue) service is starting/],
    ['serves blobs', /(Azurite) Blob service is successfully listening/],
    ['serves blobs and queues', /(Azurite) (?:Blob|Queue) service is successfully [\s\S]*service is successfully/],
    ['ends', /(Azurite) \w+ service is closing/],
  ])('leaves no server when it is killed while it %s', async (name, line) => {
    const started = start();
    if (name === 'ends') {
      await started.server.ready();
      started.server.kill('SIGTERM');
    }
    await started.server.ready(line);
    await started.server.end('SIGKILL');
    await expectAllGone(started);
  });

  it('stops all servers gracefully, with code 0, when its input ends', async () => {
    const started = start(['--until-stdin-ends'], 'pipe');
    await started.server.ready();
    started.server.endInput();
    expect(await started.server.ended()).toEqual({ code: 0, signal: null });
    expect(dataOf(started.kept)).toHaveLength(2);
    await expectAllGone(started);
  });

  it('first becomes ready, and then ends with code 0, if its input has ended before', async () => {
    const started = start(['--until-stdin-ends']);
    await started.server.ready();
    expect(await started.server.ended()).toEqual({ code: 0, signal: null });
    expect(started.origins()).toHaveLength(3);
    await expectAllGone(started);
  });

  it('does not end with its input without the flag', async () => {
    const { server } = start([], 'pipe');
    const url = await server.ready();
    server.endInput();
    expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
