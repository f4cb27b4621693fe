// `tanzanite mcp`, started in the way of an editor.

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { runCommand } from '../../support/run-command.ts';
import { openClient } from '../../support/table-client.ts';

const command = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const controlToken = 'control-token-of-tests';
const emulator = await startEmulator({ controlToken });
afterAll(() => emulator.close());
const clients: Client[] = [];
afterAll(() => Promise.all(clients.map((client) => client.close())));

async function connect(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  clients.push(client);
  const args = [command, 'mcp', ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return new McpClient(client);
}

describe('tanzanite mcp', () => {
  it('serves the tools of the emulator at TANZANITE_URL with the token in the variable for it', async () => {
    const env = { TANZANITE_URL: emulator.url, TANZANITE_CONTROL_TOKEN: controlToken };
    const writer = await connect(['--allow-writes'], env);
    await writer.found('seed', { table: 'Pets', entities: [{ PartitionKey: 'p', RowKey: 'r', Name: 'Rex' }] });
    const reader = await connect(['--url', emulator.url, '--control-token', controlToken]);
    expect(await reader.found('query', { table: 'Pets' })).toMatchObject({ entities: [{ Name: 'Rex' }] });
    expect(await reader.call('query', {})).toMatchObject({
      isError: true,
      found: { error: { code: 'InvalidRequest', message: 'The input lacks "table".' } },
    });
    const { tools } = await reader.client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    expect((await writer.client.listTools()).tools.length).toBeGreaterThan(tools.length);
    await expect(reader.client.callTool({ name: 'reset', arguments: {} })).rejects.toThrow(/not found/);
    const { contents } = await reader.client.readResource({ uri: 'tanzanite://rules/table-scan' });
    expect(JSON.stringify(contents)).toContain('PartitionKey');
  });

  it('makes the emulator keep requests as soon as it starts', async () => {
    const own = await startEmulator();
    try {
      const { client } = await connect(['--url', own.url]);
      const tables = openClient(own.url);
      await expect
        .poll(async () => {
          await tables.send({ method: 'GET', path: '/None()' });
          const result = await client.callTool({ name: 'why', arguments: {} });
          return result.structuredContent;
        })
        .toMatchObject({ code: 'TableNotFound' });
      await tables.close();
    } finally {
      await own.close();
    }
  });

  it('answers lists, documents and prompts without an emulator; tools say that it is missing', async () => {
    const own = await startEmulator();
    await own.close();
    const mcp = await connect(['--url', own.url]);
    expect((await mcp.client.listTools()).tools.length).toBe(10);
    expect(await mcp.call('list_tables')).toMatchObject({
      isError: true,
      found: { error: { code: 'NoEmulator', message: expect.stringContaining('No emulator answers at') } },
    });
    const started = await startEmulator({ port: Number(new URL(own.url).port) });
    try {
      expect(await mcp.found('list_tables')).toMatchObject({ account: 'devstoreaccount1' });
    } finally {
      await started.close();
    }
  });

  it('says that the token is missing, and that another server is not an emulator', async () => {
    const none = await connect(['--url', emulator.url]);
    expect(await none.call('list_tables')).toMatchObject({ isError: true, found: { error: { code: 'TokenMissing' } } });
    const server = createServer((_request, response) => response.end('<h1>It works!</h1>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const other = await connect(['--url', `http://127.0.0.1:${port}`]);
    expect(await other.call('list_tables')).toMatchObject({
      isError: true,
      found: { error: { message: expect.stringContaining('is not an emulator of this version') } },
    });
    server.close();
  });

  it('cancels the call at the emulator when the client does', async () => {
    const seen = new EventEmitter();
    const [asked, gone] = [once(seen, 'asked'), once(seen, 'gone')];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (!Buffer.concat(chunks).includes('list_tables')) return void response.end('{}');
        response.on('close', () => seen.emit('gone'));
        seen.emit('asked');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const { client } = await connect(['--url', `http://127.0.0.1:${port}`]);
    const cancelled = new AbortController();
    const call = client.callTool({ name: 'list_tables', arguments: {} }, { signal: cancelled.signal });
    await asked;
    cancelled.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await gone;
    server.close();
  });

  it('ends with its input, even in the middle of a message, and prints nothing', async () => {
    const child = spawn(process.execPath, [command, 'mcp', '--url', emulator.url]);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stdin.end('{"jsonrpc":"2.0","id":1,"meth');
    const [code] = await once(child, 'close');
    expect([code, output]).toEqual([0, '']);
  });

  it('ends with its input, even while the emulator works on a call, and cancels that call', async () => {
    const seen = new EventEmitter();
    const [asked, gone] = [once(seen, 'asked'), once(seen, 'gone')];
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => chunk.includes('list_tables') && seen.emit('asked'));
      response.on('close', () => seen.emit('gone'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const child = spawn(process.execPath, [command, 'mcp', '--url', `http://127.0.0.1:${port}`]);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    for (const message of [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'list_tables', arguments: {} } },
    ])
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    await asked;
    const closed = once(child, 'close');
    child.stdin.end();
    const [code] = await closed;
    await gone;
    expect(code).toBe(0);
    server.close();
  });

  it('ends when its output is not read', async () => {
    const child = spawn(process.execPath, [command, 'mcp', '--url', emulator.url]);
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const again = setInterval(() => child.stdin.write(`${ping}\n`), 50);
    const [code] = await once(child, 'close');
    clearInterval(again);
    expect(code).toBe(0);
  });

  it('answers invalid messages with an error of the protocol, or not at all, and continues', async () => {
    const child = spawn(process.execPath, [command, 'mcp', '--url', emulator.url]);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stdin.write('nonsense\n\n[]\n{"jsonrpc":"1.0"}\n');
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`);
    await expect.poll(() => output).toContain('"id":7');
    child.stdin.end();
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    for (const line of output.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  it.each([
    [['--url', 'nowhere'], /--url nowhere is not an address/],
    [['--allow-write'], /unknown flag --allow-write: did you mean --allow-writes\?/],
    [['word'], /too many|takes/],
  ])('refuses %j with one line', async (words, line) => {
    const { code, stdout, stderr } = await runCommand(['mcp', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
