import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { BodyBudget } from '../../../src/http/body-budget.ts';
import { readBody } from '../../../src/http/read-body.ts';
import { BufferPool } from '../../../src/model/buffer-pool.ts';
import { requestText } from '../../support/table-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function openConnection(): Promise<{ readonly socket: Socket; readonly server: Server }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return { socket, server };
}

it('A small body that arrived in several chunks together with its head is read to its end', async () => {
  const { socket, server } = await openConnection();
  const chunks = ['2\r\nab\r\n', '3\r\ncde\r\n', '1\r\nf\r\n', '0\r\n\r\n'];
  socket.write(`POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  await expect.poll(() => request.complete).toBe(true);
  const read = await readBody(request, { bodies: new BodyBudget(new BufferPool()), isAbandoned: () => false });
  expect(read.toString()).toBe('abcdef');
});

it('A body is not kept in memory by its connection', async () => {
  const { socket, server } = await openConnection();
  const body = 'x'.repeat(1_048_576);
  socket.write(requestText('/', { method: 'POST', body }));
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const readAndForget = async (): Promise<WeakRef<Buffer>> => {
    const read = await readBody(request, { bodies: new BodyBudget(new BufferPool()), isAbandoned: () => false });
    expect(read.toString()).toBe(body);
    return new WeakRef(read);
  };
  const read = await readAndForget();
  response.end();
  await once(socket, 'data');
  await expect
    .poll(() => {
      collectGarbage();
      return read.deref();
    })
    .toBeUndefined();
  expect([request.complete, socket.destroyed]).toEqual([true, false]);
});
