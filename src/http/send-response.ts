// Writes responses to sockets: in one piece if possible, otherwise as fast as the client reads.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BufferPool } from '../model/buffer-pool.ts';
import type { MachineTime } from '../model/time.ts';
import type { Delivery, HttpResponse } from '../service/http-message.ts';
import type { InFlight } from '../service/in-flight.ts';
import type { HttpDate } from './http-date.ts';
import { sendBeginning, sendSlowly, sliceOf } from './send-staged.ts';
import { watchWriting } from './watch-writing.ts';

/** A longer body is written in slices of this length, which shows whether the client reads. */
const sliceBytesMax = 64 * 1024;

export interface SendTools {
  readonly time: MachineTime;
  readonly inFlight: InFlight;
  readonly buffers: BufferPool;
  /** Makes the header `Date` from model time, which Node does not know. */
  readonly date: HttpDate;
  /** Resets the connection of a socket. */
  readonly reset: (socket: Socket) => void;
}

/**
 * Sends a delivery. The request leaves `inFlight` once the operating system has taken the entire delivery, or once the
 * connection is closed. If a fault cuts the response, the request leaves `inFlight` as soon as the beginning is
 * written. If Node refuses a header, `send` throws, and the request stays in `inFlight`.
 */
export function send(delivery: Delivery, out: ServerResponse, tools: SendTools): void {
  const isWritable = out.socket?.writable ?? false;
  if (!isWritable) {
    if ('onEnd' in delivery) delivery.onEnd?.();
    tools.inFlight.leave();
  } else if ('kind' in delivery) sendStaged(delivery, out, tools);
  else sendResponse(delivery, out, tools);
}

type Staged = Extract<Delivery, { readonly kind: string }>;

function sendStaged(delivery: Staged, out: ServerResponse, tools: SendTools): void {
  const { socket } = out;
  const { time, inFlight, reset } = tools;
  const head = (response: HttpResponse): void => writeHead(response, out, tools);
  if (delivery.kind === 'drip') {
    sendSlowly(delivery, out, { time, writeHead: head });
    leaveWhenFlushed(out, delivery.response.body, tools);
    return;
  }
  if (delivery.kind === 'cut') sendBeginning(delivery, out, { time, reset, writeHead: head });
  else if (delivery.kind === 'reset' && socket) reset(socket);
  else socket?.destroy();
  inFlight.leave();
}

function sendResponse(response: HttpResponse, out: ServerResponse, tools: SendTools): void {
  const { body } = response;
  writeHead(response, out, tools);
  if (body === undefined || body.length <= sliceBytesMax) out.end(body, 'latin1');
  else writeSlices(body, out);
  // Usually the operating system takes everything immediately, and nothing needs to be watched.
  if (out.writableEnded && out.socket?.writableLength === 0) leave(body, tools);
  else leaveWhenFlushed(out, body, tools);
}

function writeHead({ status, reason, headers }: HttpResponse, out: ServerResponse, { date }: SendTools): void {
  // Node takes names and values alternating.
  const flat: string[] = [];
  for (const header of headers) {
    // HTTP/1.0 has no chunks: the body is sent as it is, and ends with the connection.
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

/** Called when nothing reads the body any more. */
function leave(body: HttpResponse['body'], { inFlight, buffers }: SendTools): void {
  inFlight.leave();
  if (typeof body === 'object') buffers.giveBack(body);
}
