// Bodies that arrive over TLS while the previous response is still being sent.

import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createTls, hasOpenssl } from '../../support/secure-service.ts';
import { served } from '../../support/shared-port.ts';
import { largeResponse, requestText, startServer } from '../../support/table-server.ts';

/** A size that is larger than a socket's buffer, so that Node stops reading while the response is sent. */
const largeBytes = 32 * 1_048_576;
/** The size of several TLS records, which are decrypted together. */
const bodyBytes = 65_000;

const ways = { 'a certificate of the user': () => ({ tls: createTls() }), 'a shared port': () => ({ shared: served }) };

describe.skipIf(!hasOpenssl)(
  'A body that arrives over TLS while a response is being sent (needs the openssl command)',
  () => {
    it.each(Object.entries(ways))('is read when its turn has come, with %s', async (_way, options) => {
      const seams = {
        beforeRun: ({ operation }: { operation: string }) =>
          operation === 'QueryTables' ? largeResponse(largeBytes) : undefined,
      };
      const { port, service } = await startServer({ seams: { current: [seams] } }, options());
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      socket.pause();
      socket.write(requestText('/acct/Tables'));
      await expect.poll(() => service.inFlight.waitingBytes).toBe(largeBytes);
      const body = '{"TableName":"pets"}'.padEnd(bodyBytes);
      socket.write(requestText('/acct/Tables', { method: 'POST', headers: 'Connection: close\r\n', body }));
      // Waits until all of it was sent.
      await expect.poll(() => socket.writableLength).toBe(0);
      let received = '';
      socket.setEncoding('latin1').on('data', (text: string) => (received += text));
      socket.resume();
      await once(socket, 'end');
      expect([...received.matchAll(/HTTP\/1\.1 \d{3} [A-Za-z ]*/g)].map(([line]) => line)).toEqual([
        'HTTP/1.1 200 OK',
        'HTTP/1.1 201 Created',
      ]);
    });
  },
);
