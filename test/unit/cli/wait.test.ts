import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';

/** A server that returns the answers in order, and then repeats the last one. */
async function serverAnswering(answers: readonly [status: number, body: string][]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const [status, body] = answers[Math.min(asked, answers.length - 1)] ?? [500, ''];
    asked += 1;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const closing = '{"error":{"code":"Closing","message":"The emulator is closing."}}';

describe('wait', () => {
  it('exits immediately with 0 and one line if an emulator is ready', async () => {
    const { server, origin } = await startBuiltCommand(['--tablePort', '0', '--inMemoryPersistence']);
    const { code, stdout, stderr } = await runCommand(['wait', '--url', origin]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^ready: ${origin}, after \\d+\\.\\d s\n$`));
    expect(server.stdout).not.toContain('_emulator');
    await server.end('SIGKILL');
  });

  it('waits while the emulator is not ready', async () => {
    const { url, asked } = await serverAnswering([
      [503, closing],
      [404, '<html>'],
      [503, closing],
      [200, '{"status":"ready"}'],
    ]);
    const { code, stdout } = await runCommand(['wait'], { env: { TANZANITE_URL: url } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ready: .*, after \d+\.\d s\n$/);
    expect(asked()).toBe(4);
  });

  it('waits for an emulator that starts after it', async () => {
    const unready = createTcpServer().listen(0, '127.0.0.1');
    await once(unready, 'listening');
    const { port } = unready.address() as AddressInfo;
    const waiting = runCommand(['wait', '--url', `http://127.0.0.1:${port}`]);
    const [socket]: Socket[] = await once(unready, 'connection');
    socket?.destroy();
    unready.close();
    await once(unready, 'close');
    const { server } = await startBuiltCommand(['--tablePort', String(port), '--inMemoryPersistence']);
    expect(await waiting).toMatchObject({ code: 0, stderr: '' });
    await server.end('SIGKILL');
  });

  it('exits with 1 and one line with the last reason when the time has passed', async () => {
    const { url, asked } = await serverAnswering([[503, closing]]);
    const { code, stdout, stderr } = await runCommand(['wait', '--timeout', '1', '--url', url]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `tanzanite: not ready after 1 s: the emulator at ${url} answers 503 Closing: The emulator is closing.\n`,
    );
    expect(asked()).toBeGreaterThan(1);
  });

  it('sends only one request with --timeout 0', async () => {
    const { url } = await serverAnswering([
      [503, closing],
      [200, '{"status":"ready"}'],
    ]);
    expect((await runCommand(['wait', '--timeout', '0', '--url', url])).code).toBe(1);
    expect((await runCommand(['wait', '--timeout', '0', '--url', url])).code).toBe(0);
  });

  it.each(['-1', 'x', '1.5', '86401'])('is refused with code 2 for --timeout %s', async (text) => {
    const { code, stderr } = await runCommand(['wait', '--timeout', text]);
    expect(code).toBe(2);
    expect(stderr).toBe(`tanzanite: --timeout must be a whole number from 0 to 86400, not ${text}.\n`);
  });
});
