import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonClient } from '../../support/json-client.mjs';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';

const token = 'a-token-of-some-length';
const range = "PartitionKey eq 'a' and RowKey ge 'b' and Age gt 5";

const explain = (...args: string[]) => runCommand(['explain', ...args]);

describe('explain without a table', () => {
  it('prints the plan as text', async () => {
    expect(await explain(range)).toEqual({
      code: 0,
      stdout: [
        'range: PartitionKey is pinned and RowKey is bounded',
        "  bounds    PartitionKey eq 'a' · RowKey ge 'b'",
        '  filter    Age gt 5   (on each entity visited)',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  it('prints the plan as JSON', async () => {
    const { code, stdout, stderr } = await explain('--json', range);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      kind: 'range',
      reason: 'range: PartitionKey is pinned and RowKey is bounded',
      bounds: ["PartitionKey eq 'a'", "RowKey ge 'b'"],
      residual: 'Age gt 5',
      advice: null,
    });
  });

  it.each([
    ['', 'table scan: no condition pins PartitionKey\n  advice    add a condition'],
    ['Age gt 5', 'keep a second table keyed by Age'],
    ["PartitionKey eq 'a'", 'advice    bound RowKey'],
  ])('advises on %j', async (filter, text) => {
    const { code, stdout } = await explain(filter);
    expect(code).toBe(0);
    expect(stdout).toContain(text);
  });

  it('has the advice in JSON too', async () => {
    const { stdout } = await explain('--json', 'Age gt 5');
    expect(JSON.parse(stdout)).toMatchObject({ advice: expect.stringContaining('keep a second table keyed by Age') });
  });

  it('joins several arguments to one filter, and says if the shell removed its quotes', async () => {
    expect(await explain('Age', 'gt', '5')).toEqual(await explain('Age gt 5'));
    const { code, stderr } = await explain('PartitionKey', 'eq', 'a b');
    expect(code).toBe(2);
    expect(stderr).toContain('Read as: PartitionKey eq a b. Quote the filter, so that the shell keeps the quotes');
  });

  it('says how to name a table if its name comes before the filter', async () => {
    const { code, stderr } = await explain('People', "Name eq 'Ada'");
    expect(code).toBe(2);
    expect(stderr).toContain('Name the table with --table People, not before the filter.');
    expect(stderr).not.toContain('Quote the filter');
  });

  it.each([
    ['Age gt', /^tanzanite: the service refuses this filter: 400 InvalidInput: [^\n]+\n$/],
    ["startswith(Name,'a')", /^tanzanite: the service refuses this filter: 501 NotImplemented: [^\n]+\n$/],
  ])('refuses %s as the service does, with code 2 and one line', async (filter, line) => {
    const { code, stdout, stderr } = await explain(filter);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
  });
});

describe('explain is refused with code 2 and its reason', () => {
  it.each([
    ['no filter', [], 'explain needs a <filter>.'],
    ['an unknown flag', ['--nonsense', 'a'], 'unknown flag --nonsense:'],
    ['a flag of start', ['--location', 'x', 'a'], 'unknown flag --location:'],
  ])('for %s, in one line with a hint', async (_, args, reason) => {
    const { code, stdout, stderr } = await explain(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: [^\n]+ tanzanite explain --help lists the flags\n$/);
    expect(stderr).toContain(reason);
  });

  it.each([
    ['an emulator without a table', ['--url', 'http://a', '--account', 'b', ''], '--url, --account: give a --table'],
    ['a token without a table', ['--control-token', token, ''], '--control-token: give a --table'],
    ['an invalid address', ['--table', 'x', '--url', 'localhost:10002', ''], '--url localhost:10002 is not an address'],
    [
      'a short token',
      ['--table', 'x', '--control-token', 'secret', ''],
      '--control-token must be 16 to 1024 visible ASCII characters',
    ],
  ])('for %s, in one line without the token', async (_, args, reason) => {
    const { code, stdout, stderr } = await explain(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/secret|a-token/);
  });
});

describe('explain with a table', () => {
  const servers: ServerProcess[] = [];
  let open: string;
  let guarded: string;
  let stranger: Server;

  async function start(env: Readonly<Record<string, string>>, ...flags: string[]): Promise<string> {
    const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', ...flags], { env });
    servers.push(server);
    const url = await server.ready();
    const client = new JsonClient(url);
    await client.createTable('People');
    await client.close();
    return url;
  }

  beforeAll(async () => {
    open = await start({});
    guarded = await start({ TANZANITE_CONTROL_TOKEN: token });
    stranger = createServer((_request, response) => response.writeHead(404).end('<html>'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    stranger.close();
    for (const server of servers) await server.end('SIGKILL');
  });

  it('also prints the figures of a running emulator', async () => {
    const { code, stdout, stderr } = await explain('Age gt 5', '--table', 'People', '--url', open);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'table scan: no condition pins PartitionKey',
        '  filter    Age gt 5   (on each entity visited)',
        '  page      0 entities visited for 0 returned',
        "  advice    add a condition PartitionKey eq '…', or keep a second table keyed by Age",
        '',
      ].join('\n'),
    );
  });

  it('prints plan and figures as JSON', async () => {
    const args = ['--table', 'People', '--url', `${open}/devstoreaccount1`, '--account', 'devstoreaccount1'];
    const { stdout } = await explain(range, '--json', ...args);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'range',
      visited: 0,
      returned: 0,
      end: 'range',
      sentence: expect.stringContaining('0 entities visited'),
      advice: null,
    });
  });

  it.each([
    ['the flag', ['--control-token', token], {}],
    ['the environment', [], { TANZANITE_CONTROL_TOKEN: token }],
    ['the flag before the environment', ['--control-token', token], { TANZANITE_CONTROL_TOKEN: `${token}2` }],
  ])('sends the token of %s', async (_, flags, env) => {
    const args = ['explain', '', '--table', 'People', '--url', guarded, ...flags];
    const { code, stderr } = await runCommand(args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('says in one line why there is no answer, and exits with 1', async () => {
    const strange = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const table = ['--table', 'People'];
    const failures = await Promise.all([
      explain('', ...table, '--url', 'http://127.0.0.1:1'),
      explain('', ...table, '--url', strange),
      explain('', '--table', 'absent', '--url', open),
      explain('', ...table, '--account', 'absent', '--url', open),
      explain('', ...table, '--url', guarded),
      explain('', ...table, '--control-token', `${token}2`, '--url', guarded),
    ]);
    for (const { code, stdout, stderr } of failures) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
      expect(stderr).not.toContain(token);
    }
    expect(failures.map(({ stderr }) => stderr)).toEqual([
      expect.stringMatching(/no emulator answers at http:\/\/127\.0\.0\.1:1: .*Start one/),
      expect.stringContaining(`the server at ${strange} is not an emulator of this version`),
      expect.stringContaining('404 TableNotFound'),
      expect.stringContaining('404 AccountNotFound'),
      expect.stringContaining('401 TokenMissing'),
      expect.stringContaining('401 TokenWrong'),
    ]);
  });

  it('refuses a wrong filter before it sends a request', async () => {
    const { code, stderr } = await explain('Age gt', '--table', 'People', '--url', 'http://127.0.0.1:1');
    expect(code).toBe(2);
    expect(stderr).toContain('400 InvalidInput');
  });

  it('writes a line to the log of the emulator, without the token', () => {
    const written = servers.map(({ stdout, stderr }) => stdout + stderr);
    expect(written[0]).toContain('POST /_emulator/explain 404');
    expect(written[1]).toContain('POST /_emulator/explain 401');
    for (const text of written) expect(text).not.toContain(token);
  });
});

describe('a start with a control token', () => {
  it.each([
    ['--control-token', ['--control-token', 'secret'], {}],
    ['TANZANITE_CONTROL_TOKEN', [], { TANZANITE_CONTROL_TOKEN: 'secret with a space' }],
  ])(
    'of %s that is malformed is refused with code 2 and one line that does not repeat it',
    async (source, flags, env) => {
      const { code, stderr } = await runCommand(['--tablePort', '0', '--inMemoryPersistence', ...flags], { env });
      expect(code).toBe(2);
      expect(stderr).toBe(`tanzanite: ${source} must be 16 to 1024 visible ASCII characters, without spaces.\n`);
    },
  );
});

describe('the help', () => {
  it('of the program names explain, and that of start the token, also as a variable', async () => {
    expect((await runCommand(['--help'])).stdout).toMatch(/^ {2}explain <filter> /m);
    const { stdout } = await runCommand(['start', '--help']);
    expect(stdout).toContain('--control-token <token>');
    expect(stdout).toContain('TANZANITE_CONTROL_TOKEN');
  });

  it('of explain contains its flags and examples', async () => {
    const { code, stdout } = await explain('--help');
    expect(code).toBe(0);
    for (const text of ['--json', '--table', '--url', 'http://127.0.0.1:10002', '--account', 'Examples:']) {
      expect(stdout).toContain(text);
    }
  });
});
