import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prettyFactory } from 'pino-pretty';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLog, personalLines } from '../../../src/cli/log.ts';
import { systemMachineTime } from '../../../src/model/time.ts';
import type { ServerProcess } from '../../support/server-process.mjs';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { openClient } from '../../support/table-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pretty = prettyFactory({ ...personalLines, colorize: false });
const line = (fields: object): string => pretty({ level: 30, time: 0, ...fields }).replace(/^\[[\d:.]+\] /, '');

describe('The log as text', () => {
  it("colours the level, and leaves the message in the terminal's own colour", () => {
    const coloured = prettyFactory({ ...personalLines, colorize: true });
    const levels = [20, 30, 40, 50].map((level) => coloured({ level, time: 0, msg: 'm' }).replace(/^\[[\d:.]+\] /, ''));
    expect(levels).toEqual([
      '\u001b[34mDEBUG\u001b[39m: \u001b[0mm\u001b[0m\n',
      '\u001b[32mINFO\u001b[39m: \u001b[0mm\u001b[0m\n',
      '\u001b[33mWARN\u001b[39m: \u001b[0mm\u001b[0m\n',
      '\u001b[31mERROR\u001b[39m: \u001b[0mm\u001b[0m\n',
    ]);
  });

  it('keeps the stack of an error', () => {
    const err = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at here' };
    const text = line({ level: 50, requestId: 'r', msg: 'request failed', err });
    expect(text).toMatch(/^ERROR: request failed \{"requestId":"r"\}\n/);
    expect(text).toMatch(/Error: boom\n +at here/);
  });

  describe('of the command', () => {
    let server: ServerProcess;
    let origin: string;
    beforeAll(async () => {
      const flags = ['--tablePort', '0', '--inMemoryPersistence', '--log-format', 'pretty', '--account-target', '1'];
      ({ server, origin } = await startBuiltCommand(flags));
    });
    afterAll(() => server?.end('SIGKILL'));

    it('has no other lines', async () => {
      const client = openClient(origin);
      for (let at = 0; at < 5; at++) await client.send({ method: 'GET', path: '/Tables' });
      await client.close();
      await vi.waitFor(() => expect(server.stdout).toContain('Capacity'), { timeout: 60_000 });
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${origin}/_emulator/reset`, { method: 'POST', headers, body: '{}' });
      await vi.waitFor(() => expect(server.stdout).toContain('Control'), { timeout: 60_000 });
      const [, ...lines] = server.stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(7);
      for (const written of lines.slice(0, 5))
        expect(written).toMatch(/^\d\d:\d\d:\d\d 200 QueryTables (?:<1|\d+) ms(?: {2}beyond the account target)?$/);
      expect(lines[5]).toMatch(
        /^\d\d:\d\d:\d\d warn Capacity {2}production would have refused \d requests?: \w+ is over .+\(\d\)$/,
      );
      expect(lines[6]).toMatch(/^\d\d:\d\d:\d\d 200 Control POST \/_emulator\/reset (?:<1|\d+) ms$/);
    });
  });
});

describe('A log line', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  let files = 0;

  /** Logs a message with these fields, and returns the line that is written to a file. */
  async function written(fields: object, message: string): Promise<Record<string, unknown> & { readonly msg: string }> {
    const debugFile = join(folder.path, 'new', `log-${files++}`);
    const log = await createLog({
      isPretty: false,
      isJsonOnly: true,
      level: 'info',
      debugFile,
      time: systemMachineTime,
    });
    log.error(fields, message);
    await log.flush();
    const lines = readFileSync(debugFile, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(unsafe);
    return JSON.parse(lines[0] ?? '') as Record<string, unknown> & { readonly msg: string };
  }

  const unsafe = /[\p{Cc}\p{Cf}\p{Cs}]/u;
  const hostile = '\u009b2J\u202etxt.exe\u007f\ud800';
  const shown = '\\u009b2J\\u202etxt.exe\\u007f\\ud800';

  it('shows control characters and bidirectional marks as numbers, in its message and every field', async () => {
    const fields = { clientRequestId: hostile, why: [hostile], places: [{ table: hostile }], requests: 3 };
    expect(await written(fields, `GET /${hostile} 200`)).toMatchObject({
      clientRequestId: shown,
      why: [shown],
      places: [{ table: shown }],
      requests: 3,
      msg: `GET /${shown} 200`,
    });
  });

  it('cuts long texts in the middle', async () => {
    const long = 'p'.repeat(60_000);
    const line = await written({ why: [`The text to sign is ${long}.`, long] }, `GET /${long} 403`);
    expect(JSON.stringify(line).length).toBeLessThan(4_000);
    expect(line.msg).toMatch(/^GET \/p+… 5\d{4} characters left out …p+ 403$/);
  });

  it('has the stack of an error, line by line, with its message escaped', async () => {
    const { err } = await written({ err: new Error(hostile) }, 'request failed');
    expect(err).toMatchObject({ type: 'Error', message: shown });
    const [head, ...frames] = (err as { stack: string }).stack.split('\n');
    expect(head).toBe(`Error: ${shown}`);
    expect(frames[0]).toMatch(/^ +at .*log\.test\.ts/);
  });
});

describe.each([['pretty'], ['json']])('The log of the command (%s)', (format) => {
  it('escapes and shortens what clients send in ids and addresses', async () => {
    const flags = ['--tablePort', '0', '--inMemoryPersistence', '--log-format', format];
    const { server, origin } = await startBuiltCommand(flags);
    const client = openClient(origin);
    const headers = { Authorization: 'SharedKeyLite devstoreaccount1:AAAA', 'x-ms-client-request-id': '\u009b2J' };
    await client.send({ method: 'GET', path: `/${'p'.repeat(60_000)}%E2%80%AE`, headers });
    await client.close();
    expect((await server.end('SIGTERM')).code).toBe(0);
    const line = server.stdout.split('\n').find((text) => text.includes('pppp')) ?? '';
    if (format === 'json') expect(line).toContain('u009b2J');
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(line.length).toBeLessThan(6_000);
  });
});
