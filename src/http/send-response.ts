// Writes responses to sockets: in one piece if that is possible, else as fast as the client reads.

import type { ServerResponse } from 'node:http';
import type { BufferPool } from '../model/buffer-pool.ts';
import type { MachineTime } from '../model/time.ts';
import type { Cut, Delivery, HttpResponse } from '../service/http-message.ts';
import type { InFlight } from '../service/in-flight.ts';
import type { HttpDate } from './http-date.ts';
import { watchWriting } from './watch-writing.ts';

/** A longer body is written in slices of this length, so that it can be seen whether the client reads. */
const sliceBytesMax = 64 * 1024;

export interface SendTools {
  readonly time: MachineTime;
  readonly inFlight: InFlight;
  readonly buffers: BufferPool;
  /** By model time, which Node does not know. */
  readonly date: HttpDate;
}

/**
 * Sends a delivery. Its request leaves `inFlight` once the operating system has taken all of it, or the connection is closed.
 * Throws, before the request has left, if Node refuses a header.
 */
export function send(delivery: Delivery, out: ServerResponse, tools: SendTools): void {
  const { socket } = out;
  const isWritable = socket?.writable ?? false;
  if (!('kind' in delivery) && isWritable) {
    sendResponse(delivery, out, tools);
    return;
  }
  if ('kind' in delivery && isWritable) {
    if (delivery.kind === 'cut') sendBeginning(delivery, out, tools);
    else socket?.destroy();
  }
  tools.inFlight.leave();
}

function sendResponse(response: HttpResponse, out: ServerResponse, tools: SendTools): void {
  const { body } = response;
  writeHead(response, out, tools);
  if (body === undefined || body.length <= sliceBytesMax) out.end(body, 'latin1');
  else writeSlices(body, out);
  // Usually the operating system takes everything at once; then nothing needs to be watched.
  if (out.writableEnded && out.socket?.writableLength === 0) leave(body, tools);
  else leaveWhenFlushed(out, body, tools);
}

/** Sends the head and the first bytes of the body, and destroys the connection. */
function sendBeginning({ response, afterBytes }: Cut, out: ServerResponse, tools: SendTools): void {
  const { socket } = out;
  writeHead(response, out, tools);
  out.flushHeaders();
  if (response.body && afterBytes > 0) out.write(sliceOf(response.body, 0, afterBytes), 'latin1');
  socket?.destroySoon();
}

function writeHead({ status, reason, headers }: HttpResponse, out: ServerResponse, { date }: SendTools): void {
  // Node takes names and values alternating.
  const flat: string[] = [];
  for (const header of headers) {
    // HTTP/1.0 has no chunks: the body goes as it is, and ends with the connection.
    if (header[0] !== 'Transfer-Encoding' || out.useChunkedEncodingByDefault) flat.push(header[0], header[1]);
  }
  out.sendDate = false;
  flat.push('Date', date.now());
  if (reason === undefined) out.writeHead(status, flat);
  else out.writeHead(status, reason, flat);
}

function writeSlices(body: string | Buffer, out: ServerResponse): void {
  let at = 0;
  const write = (): void => {
    while (at + sliceBytesMax < body.length) {
      const slice = sliceOf(body, at, at + sliceBytesMax);
      at += sliceBytesMax;
      if (out.write(slice, 'latin1')) continue;
      out.once('drain', write);
      return;
    }
    out.end(sliceOf(body, at, body.length), 'latin1');
  };
  write();
}

function sliceOf(body: string | Buffer, from: number, to: number): string | Buffer {
  return typeof body === 'string' ? body.slice(from, to) : body.subarray(from, to);
}

function leaveWhenFlushed(out: ServerResponse, body: HttpResponse['body'], tools: SendTools): void {
  const { socket } = out;
  const { inFlight, time } = tools;
  const bytes = typeof body === 'object' ? body.buffer.byteLength : (body?.length ?? 0);
  inFlight.hold(bytes);
  const cancel = socket ? watchWriting(socket, time) : undefined;
  out.once('close', () => {
    cancel?.();
    inFlight.release(bytes);
    leave(body, tools);
  });
}

/** Nothing reads the body any more. */
function leave(body: HttpResponse['body'], { inFlight, buffers }: SendTools): void {
  inFlight.leave();
  if (typeof body === 'object') buffers.giveBack(body);
}
