// However the destination of the log fails, requests are answered, data is kept, and a signal ends the process.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeNamedPipe } from '../../support/named-pipe.ts';
import { openClient, type TableClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const command = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
/**
 * The log lines of this many requests exceed the buffers of the pipe and of the emulator. Each request logs at least
 * one kilobyte.
 */
const manyRequests = 1_300;

// Each test sends hundreds of requests, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

let folder: { path: string; remove(): void };
const children: ChildProcess[] = [];
const clients: TableClient[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  folder.remove();
});

type Output = 'pipe' | 'inherit' | number;

function start(flags: readonly string[], stdout: Output = 'pipe', stderr: Output = 'inherit'): ChildProcess {
  const location = ['--location', join(folder.path, 'data')];
  const child = spawn(process.execPath, [command, '--tablePort', '0', ...location, ...flags], {
    stdio: ['ignore', stdout, stderr],
  });
  children.push(child);
  return child;
}

/** Reads up to the ready line and no further. */
async function originOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for (;;) {
    const origin = /listening at (http:\/\/[^\s"]+)/.exec(text)?.[1];
    if (origin !== undefined) return origin;
    await new Promise((resolve) => (stdout as Readable).once('readable', resolve));
    text += String((stdout as Readable).read() ?? '');
  }
}

function clientOf(origin: string): TableClient {
  const client = openClient(origin);
  clients.push(client);
  return client;
}

/** Sends many requests that make long log lines, and inserts an entity. */
async function work(origin: string): Promise<void> {
  const url = `${origin}/devstoreaccount1/pets?x=${'x'.repeat(1_000)}`;
  const headers = { 'x-ms-version': '2019-02-02', 'x-ms-client-request-id': 'i'.repeat(1_000) };
  for (let sent = 0; sent < manyRequests; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(url, { headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }
  const client = clientOf(origin);
  expect((await client.send({ method: 'POST', path: '/Tables', body: '{"TableName":"pets"}' })).status).toBe(201);
  const insert = { method: 'POST', path: '/pets', body: '{"PartitionKey":"p","RowKey":"r"}' };
  expect((await client.send(insert)).status).toBe(201);
}

async function endOf(child: ChildProcess): Promise<unknown> {
  const end = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  child.kill('SIGTERM');
  return end;
}

const orderly = { code: 0, signal: null };

async function expectDataKept(): Promise<void> {
  const client = clientOf(await originOf(start(['--silent'])));
  const path = "/pets(PartitionKey='p',RowKey='r')";
  expect((await client.send({ method: 'GET', path })).status).toBe(200);
}

const linesDropped = async (origin: string): Promise<number> => {
  const text = await (await fetch(`${origin}/_emulator/metrics`)).text();
  return Number(/^tanzanite_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
};

const python: string = 'python3';
const hasPython = spawnSync(python, ['-c', 'import pty']).status === 0;

/**
 * A Python program that runs a command on a terminal, prints the first output of the command, closes the terminal, and
 * prints how the command ends.
 */
const onTerminal = `
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs)
os.close(theirs)
text = b''
while b'\\n' not in text: text += os.read(ours, 4096)
os.close(ours)
print(child.pid, text.decode(), flush=True)
print('ended with', child.wait(), flush=True)
`;

const formats = [['pretty'], ['json']] as const;

describe('Standard output that is a pipe', () => {
  it.each(formats)('without a reader that drains it delays no request and no signal (%s)', async (format) => {
    const child = start(['--log-format', format, '--log-level', 'debug']);
    const origin = await originOf(child);
    await work(origin);
    expect(await linesDropped(origin)).toBeGreaterThan(0);
    expect(await endOf(child)).toEqual(orderly);
    await expectDataKept();
  });

  it('that is drained later contains a line with the number of dropped lines, and the last lines', async () => {
    const child = start([]);
    const origin = await originOf(child);
    await work(origin);
    const dropped = await linesDropped(origin);
    let text = '';
    child.stdout?.on('data', (chunk) => (text += chunk));
    await vi.waitFor(() => expect(text).toContain('lines were dropped here'), { timeout: 60_000 });
    expect(text.match(/lines were dropped here/g)).toHaveLength(1);
    // The line of the request that reads the number may be dropped too.
    expect(text).toMatch(new RegExp(`"msg":"(?:${dropped}|${dropped + 1}) lines were dropped here`));
    const closed = new Promise((resolve) => child.stdout?.once('close', resolve));
    expect(await endOf(child)).toEqual(orderly);
    await closed;
    expect(text).toMatch(/\nAzurite Table service is closing\.\.\.\nAzurite Table service successfully closed\n$/);
  });

  it.each(formats)('whose reader has exited does not end the process (%s)', async (format) => {
    const child = start(['--log-format', format, '--log-level', 'debug']);
    const origin = await originOf(child);
    child.stdout?.destroy();
    await work(origin);
    expect(await endOf(child)).toEqual(orderly);
    await expectDataKept();
  });
});

describe.skipIf(!existsSync('/dev/full'))('A destination that is full', () => {
  /** Finds a free port. The emulator cannot choose it, because its standard output, with the port, is lost. */
  async function freePort(): Promise<number> {
    const probe = start(['--silent']);
    const { port } = new URL(await originOf(probe));
    await endOf(probe);
    return Number(port);
  }

  it.each(formats)('as standard output does not end the process (%s)', async (format) => {
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const child = start(['--tablePort', String(port), '--log-format', format, '--log-level', 'debug'], full);
    closeSync(full);
    const origin = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${origin}/_emulator/ready`)).status).toBe(200), {
      timeout: 60_000,
    });
    await work(origin);
    expect(await linesDropped(origin)).toBeGreaterThan(0);
    expect(await endOf(child)).toEqual(orderly);
    await expectDataKept();
  });

  it('as standard error, where notices go, does not end the process', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start(['--extentMemoryLimit', '64', '--silent'], 'pipe', full);
    closeSync(full);
    expect((await fetch(`${await originOf(child)}/_emulator/ready`)).status).toBe(200);
    expect(await endOf(child)).toEqual(orderly);
  });

  it('as the file of --debug does not end the process', async () => {
    const child = start(['--debug', '/dev/full']);
    const origin = await originOf(child);
    await work(origin);
    expect(await linesDropped(origin)).toBeGreaterThan(0);
    expect(await endOf(child)).toEqual(orderly);
    await expectDataKept();
  });
});

describe.skipIf(process.platform === 'win32')('A named pipe as the file of --debug', () => {
  it('that is not drained delays no request and no signal', async () => {
    const fifo = join(folder.path, 'pipe');
    makeNamedPipe(fifo);
    const reader = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    const child = start(['--debug', fifo]);
    const origin = await originOf(child);
    await work(origin);
    expect(await linesDropped(origin)).toBeGreaterThan(0);
    expect(await endOf(child)).toEqual(orderly);
    closeSync(reader);
  });

  it('without a reader is refused at the start, with code 2 and one line', async () => {
    const fifo = join(folder.path, 'pipe');
    makeNamedPipe(fifo);
    const child = spawn(process.execPath, [command, '--tablePort', '0', '--inMemoryPersistence', '--debug', fifo], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let text = '';
    child.stderr?.on('data', (chunk) => (text += chunk));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(2);
    expect(text).toMatch(/^tanzanite: --debug [^\n]+ cannot be written: ENXIO: [^\n]+\n$/);
  });
});

describe.skipIf(!hasPython)('A closed terminal (needs python3)', () => {
  it.each(formats)('does not end the process, which stops gracefully (%s)', async (format) => {
    const flags = [
      '--tablePort',
      '0',
      '--location',
      join(folder.path, 'data'),
      '--log-format',
      format,
      '--log-level',
      'debug',
    ];
    const child = spawn(python, ['-c', onTerminal, process.execPath, command, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let text = '';
    child.stdout?.on('data', (chunk) => (text += chunk));
    await vi.waitFor(() => expect(text).toMatch(/listening at/), { timeout: 60_000 });
    const origin = /listening at (http:\/\/[^\s"]+)/.exec(text)?.[1] ?? '';
    await work(origin);
    expect(await linesDropped(origin)).toBeGreaterThan(0);
    process.kill(Number.parseInt(text, 10), 'SIGTERM');
    await vi.waitFor(() => expect(text).toContain('ended with'), { timeout: 60_000 });
    expect(text).toMatch(/ended with 0\n$/);
    await expectDataKept();
  });
});
