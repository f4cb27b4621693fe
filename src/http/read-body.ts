import type { IncomingMessage } from 'node:http';
import { bodyBytesMax } from '../model/limits.ts';
import { ServiceError } from '../model/service-error.ts';
import { ClientDisconnected } from '../service/client-disconnected.ts';
import type { BodyBudget } from './body-budget.ts';

const empty = Buffer.alloc(0);

interface ReadBodyTools {
  /** Where a large body waits for room; the caller releases the room. */
  readonly bodies: BodyBudget;
  readonly isAbandoned: () => boolean;
}

/**
 * Reads the body of a request as bytes, whatever its Content-Type. Never holds more bytes than `bodyBytesMax`. If the
 * body is larger, the caller handles its remaining bytes. Rejects with the ServiceError MissingContentLengthHeader or
 * RequestBodyTooLarge. If the body is incomplete, rejects with ClientDisconnected.
 */
export function readBody(request: IncomingMessage, { bodies, isAbandoned }: ReadBodyTools): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    // Evidence: documented (Common REST API error codes); its place in the order of checks is assumed.
    return Promise.reject(
      new ServiceError('MissingContentLengthHeader', {
        stage: 'parse',
        why: 'There is neither Content-Length nor Transfer-Encoding.',
      }),
    );
  }
  if (headers['content-length'] === '0') return Promise.resolve(empty);
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  const wait = bodies.reserve(request);
  const read = (): Promise<Buffer> => collect(request, { bodies, isAbandoned });
  return wait ? wait.then(read) : read();
}

function collect(request: IncomingMessage, { bodies, isAbandoned }: ReadBodyTools): Promise<Buffer> {
  // A destroyed stream emits neither end nor error: the promise would stay pending.
  if (request.destroyed) return Promise.reject(new ClientDisconnected());
  return new Promise((resolve, reject) => {
    const body = new Collected(bodies.lend(request));
    const take = (chunk: Buffer): void => {
      if (!body.add(chunk)) reject(tooLarge());
    };
    // The only error that Node emits on a request is the loss of its connection.
    const breakOff = (): void => reject(new ClientDisconnected());
    request.on('data', take);
    request.on('error', breakOff);
    request.once('end', () => {
      // An idle connection keeps its last request in memory. The listeners of the request would keep the body too.
      request.off('data', take).off('error', breakOff);
      if (isAbandoned()) breakOff();
      else resolve(body.end());
    });
  });
}

/** A body that comes in pieces. */
class Collected {
  /** Has room for the entire body; undefined if its length is unknown. */
  readonly #buffer: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(buffer: Buffer | undefined) {
    this.#buffer = buffer;
  }

  /** Returns false, and discards everything, once there are more bytes than the limit. */
  add(chunk: Buffer): boolean {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > bodyBytesMax) this.#chunks.length = 0;
    else if (this.#buffer) chunk.copy(this.#buffer, at);
    else this.#chunks.push(chunk);
    return this.#bytes <= bodyBytesMax;
  }

  end(): Buffer {
    if (this.#buffer) return this.#buffer.subarray(0, this.#bytes);
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
  }
}

function tooLarge(): ServiceError {
  // Evidence: assumed (the front end refuses it: x-ms-error-code, and the text as reason phrase).
  const why = `The body is larger than ${bodyBytesMax} bytes.`;
  return new ServiceError('RequestBodyTooLarge', { stage: 'frontEnd', why });
}
