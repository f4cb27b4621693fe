import type { IncomingMessage } from 'node:http';
import { bodyBytesMax } from '../model/limits.ts';
import { ServiceError } from '../model/service-error.ts';

const empty = Buffer.alloc(0);

/** Reads a request's body as bytes, whatever its Content-Type says. Never holds more than the limit. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  if (request.headers['content-length'] === '0') return Promise.resolve(empty);
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function tooLarge(): ServiceError {
  return new ServiceError('RequestBodyTooLarge', { stage: 'parse' });
}
