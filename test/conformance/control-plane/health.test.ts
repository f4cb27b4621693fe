import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { ask, codeOf } from '../../support/control-plane.ts';
import { startService } from '../../support/service.ts';

const { origin } = await startService();
const path = '/_emulator/health';

describe('Health', () => {
  it('answers only that the emulator is healthy, and its version, uptime, process and folder', async () => {
    const { status, headers, json } = await ask(origin, { method: 'GET', path });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const known = { status: 'healthy', version: manifest.version, uptimeSeconds: expect.any(Number) };
    expect(json).toEqual({ ...known, pid: process.pid, location: null });
    const { uptimeSeconds } = json as { uptimeSeconds: number };
    expect(Number.isInteger(uptimeSeconds)).toBe(true);
    expect(uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(uptimeSeconds).toBeLessThan(600);
  });

  it.each([
    ['a proxy', { 'X-Forwarded-For': '203.0.113.9' }],
    ['a name of another machine that leads to this one', { Host: '127.0.0.1.example' }],
  ])('shows neither process nor folder to %s', async (_, headers) => {
    const { text } = await ask(origin, { method: 'GET', path, headers });
    expect(text).not.toMatch(/pid|location/);
  });

  it('answers HEAD with only the headers', async () => {
    const { status, headers, text } = await ask(origin, { method: 'HEAD', path });
    expect([status, text]).toEqual([200, '']);
    expect(Number(headers['content-length'])).toBeGreaterThan(0);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const answer = await ask(origin, { method, path });
    expect([answer.status, codeOf(answer), answer.headers['allow']]).toEqual([405, 'MethodNotAllowed', 'GET, HEAD']);
  });
});
