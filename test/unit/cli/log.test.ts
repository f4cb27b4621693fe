import { prettyFactory } from 'pino-pretty';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { personalLines } from '../../../src/cli/log.ts';
import { openClient } from '../../conformance/client.ts';
import type { ServerProcess } from '../../crash/server-process.mjs';
import { startBuiltCommand } from './start-built-command.ts';

const pretty = prettyFactory({ ...personalLines, colorize: false });
const line = (fields: object): string => pretty({ level: 30, time: 0, ...fields }).replace(/^\[[\d:.]+\] /, '');

describe('The log for a person', () => {
  it('is the message alone of what was refused for capacity', () => {
    const places = [{ account: 'a', limit: 'range', table: 'orders', rangeFrom: 'm', requests: 3 }];
    const fields = { level: 40, operation: 'Capacity', refused: 0, wouldThrottle: 3, spared: 3, pagesCut: 1, places };
    expect(line({ ...fields, msg: 'production would have refused 3 requests: …' })).toBe(
      'WARN: Capacity: production would have refused 3 requests: …\n',
    );
  });

  it('is one line of a request, with each field once', () => {
    const fields = { requestId: 'r', durationMs: 1.2, account: 'a', plan: 'table scan', visited: 5, pageEnd: 'range' };
    const request = { operation: 'QueryEntities', status: 200, ...fields, msg: 'GET /a/orders() 200' };
    expect(line(request)).toBe(`INFO: QueryEntities: GET /a/orders() 200 ${JSON.stringify(fields)}\n`);
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
      await vi.waitFor(() => expect(server.stdout).toContain('Capacity'), { timeout: 10_000 });
      const [, ...lines] = server.stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(6);
      for (const written of lines.slice(0, 5)) expect(written).toMatch(/INFO: QueryTables: GET \S+Tables 200 \{.+\}$/);
      expect(lines[5]).toMatch(/WARN: Capacity: production would have refused \d requests?: \w+ is over .+\(\d\)$/);
    });
  });
});
