// Requests that a fault holds without an answer. They end when the client disconnects, when the rule is removed, or
// when the emulator stops.

import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Emulator, type FaultRule, startEmulator } from '../../../src/index.ts';
import { signedHead } from '../../support/raw-socket.ts';

const hang: FaultRule = { match: { operation: 'QueryTables' }, fault: { kind: 'hang' } };

interface Connection {
  readonly socket: Socket;
  text(): string;
  readonly closed: Promise<void>;
}

function open({ url }: Emulator, requests = 1): Connection {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = signedHead({
    method: 'GET',
    target: '/devstoreaccount1/Tables',
    headers: { Host: `${hostname}:${port}`, Connection: 'keep-alive' },
  });
  for (let request = 0; request < requests; request++) socket.write(head);
  return { socket, text: () => received, closed };
}

async function metric({ url }: Emulator, name: string): Promise<number> {
  const text = await (await fetch(`${url}/_emulator/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const inFlight = (emulator: Emulator): Promise<number> => metric(emulator, 'tanzanite_requests_in_flight');

describe('A request that hangs', () => {
  it('ends when its client disconnects', async () => {
    await using emulator = await startEmulator();
    await emulator.faults.add(hang);
    const { socket } = open(emulator);
    await expect.poll(() => inFlight(emulator)).toBe(1);
    socket.destroy();
    await expect.poll(() => inFlight(emulator)).toBe(0);
  });

  it('ends when its client disconnects, even if it was refused before its body was read', async () => {
    await using emulator = await startEmulator();
    await emulator.faults.add({ fault: { kind: 'hang' } });
    const { socket } = open(emulator, 0);
    const bytes = 2_000_000;
    socket.write(`POST /devstoreaccount1/Tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes));
    await expect.poll(() => inFlight(emulator)).toBe(1);
    socket.destroy();
    await expect.poll(() => inFlight(emulator)).toBe(0);
  });

  it('ends without a response when the emulator stops', async () => {
    const emulator = await startEmulator();
    await emulator.faults.add(hang);
    const { closed, text } = open(emulator);
    await expect.poll(() => inFlight(emulator)).toBe(1);
    await emulator.close();
    await closed;
    expect(text()).toBe('');
  });

  it('ends when its rule is removed, and the emulator continues', async () => {
    await using emulator = await startEmulator();
    const { id } = await emulator.faults.add(hang);
    const { closed, text } = open(emulator);
    await expect.poll(() => inFlight(emulator)).toBe(1);
    await emulator.faults.remove(id);
    await closed;
    expect([text(), await inFlight(emulator)]).toEqual(['', 0]);
    const { socket, text: after } = open(emulator);
    await expect.poll(after).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  it('delays requests pipelined after it, which are dropped with the connection', async () => {
    await using emulator = await startEmulator();
    await emulator.faults.add({ ...hang, when: { nth: 2 } });
    const { socket, text } = open(emulator, 5);
    await expect.poll(async () => (await emulator.faults.list())[0]?.hits).toBe(1);
    await expect.poll(() => text().match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => inFlight(emulator)).toBe(0);
    expect(await emulator.faults.list()).toMatchObject([{ hits: 1, matched: 2 }]);
  });
});

describe('A thousand requests', () => {
  it('can be held at a time; a further one gets 503, and all end when the rules are cleared', {
    timeout: 120_000,
  }, async () => {
    await using emulator = await startEmulator();
    await emulator.faults.add(hang);
    const held = Array.from({ length: 1_000 }, () => open(emulator));
    await expect.poll(async () => (await emulator.faults.list())[0]?.hits, { timeout: 60_000 }).toBe(1_000);
    const further = open(emulator);
    await expect.poll(further.text).toMatch(/^HTTP\/1\.1 503 [\s\S]*ServerBusy/);
    further.socket.destroy();
    await emulator.faults.clear();
    await Promise.all(held.map(({ closed }) => closed));
    await expect.poll(() => inFlight(emulator)).toBe(0);
    expect(held.every(({ text }) => text() === '')).toBe(true);
  });

  it.each<[string, FaultRule['fault']]>([
    ['hang', { kind: 'hang' }],
    ['are delayed', { kind: 'delay', ms: 600_000 }],
    ['come a byte a second', { kind: 'drip', bytesPerSecond: 1 }],
  ])('that %s end when the emulator stops', { timeout: 120_000 }, async (_, fault) => {
    const emulator = await startEmulator();
    await emulator.faults.add({ match: { operation: 'QueryTables' }, fault });
    const held = Array.from({ length: 1_000 }, () => open(emulator));
    await expect.poll(async () => (await emulator.faults.list())[0]?.hits, { timeout: 60_000 }).toBe(1_000);
    // Half of the clients disconnect just before the emulator stops.
    for (const { socket } of held.filter((_one, at) => at % 2 === 0)) socket.destroy();
    await emulator.close();
    await Promise.all(held.map(({ closed }) => closed));
  });
});
