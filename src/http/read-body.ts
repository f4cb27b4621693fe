import type { IncomingMessage } from 'node:http';
import { bodyBytesMax } from '../model/limits.ts';
import { ServiceError } from '../model/service-error.ts';
import { ClientDisconnected } from '../service/client-disconnected.ts';

const empty = Buffer.alloc(0);

/**
 * Reads a request's body as bytes, whatever its Content-Type says. Never holds more than the limit; what comes beyond is
 * left to whoever answers. Throws MissingContentLengthHeader, RequestBodyTooLarge, and ClientGone where it breaks off.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    // Evidence: documented (Common REST API error codes); when it is looked at is assumed.
    return Promise.reject(new ServiceError('MissingContentLengthHeader', { stage: 'parse' }));
  }
  if (headers['content-length'] === '0') return Promise.resolve(empty);
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  // A stream that has ended so says nothing any more: it would be waited for without end.
  if (request.destroyed) return Promise.reject(new ClientDisconnected());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(tooLarge());
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Of a request Node tells no other error than that its connection is gone.
    request.on('error', () => reject(new ClientDisconnected()));
  });
}

function tooLarge(): ServiceError {
  return new ServiceError('RequestBodyTooLarge', { stage: 'parse' });
}
