import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { LingeringClose } from '../../../src/http/lingering-close.ts';
import { answerMalformed } from '../../../src/http/malformed-request.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { openClient } from '../../support/table-server.ts';

const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
await once(listener, 'listening');
afterAll(() => listener.close());

describe('A connection with a malformed request', () => {
  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'The request timed out.'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'The request verb is invalid.'],
    ['HPE_INVALID_URL', '400 Bad Request', 'The request URL is invalid.'],
    ['HPE_HEADER_OVERFLOW', '400 Bad Request', 'The size of the request headers is too long.'],
    ['HPE_INVALID_CONSTANT', '400 Bad Request', 'The request is badly formed.'],
  ])(
    'gets an HTML page for %s and is closed soon afterwards, even if the client keeps it open',
    async (code, status, text) => {
      const time = new ManualTime();
      const client = openClient((listener.address() as AddressInfo).port);
      const [socket]: Socket[] = await once(listener, 'connection');
      if (!socket) throw new Error('no connection');
      const connection = {
        socket,
        carrier: socket,
        number: 1,
        latest: undefined,
        isMalformed: false,
        isRefused: false,
      };
      answerMalformed(Object.assign(new Error(code), { code }), connection, new LingeringClose(time));
      expect(await client.closed).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status}\\r\\n[\\s\\S]*HTTP Error \\d{3}\\. ${text}`),
      );
      expect([connection.isRefused, socket.destroyed]).toEqual([true, false]);
      time.advance(2_000);
      expect(socket.destroyed).toBe(true);
      client.socket.destroy();
    },
  );
});
