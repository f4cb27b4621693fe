// Writes responses as a broken network or a failing server would: cut short, reset, or slowly.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MachineTime } from '../model/time.ts';
import type { Cut, Drip, HttpResponse } from '../service/http-message.ts';
import { watchWriting } from './watch-writing.ts';

/** Time for the client to read what was sent before a reset. */
const resetMs = 20;
/** Time between two pieces of a body that is sent slowly. */
const pieceMs = 50;

interface StagedTools {
  readonly time: MachineTime;
  /** Resets the connection of a socket. */
  readonly reset: (socket: Socket) => void;
  readonly writeHead: (response: HttpResponse) => void;
}

/** Sends the head and the first bytes of the body, then closes or resets the connection. */
export function sendBeginning(
  { response, afterBytes, isReset = false }: Cut,
  out: ServerResponse,
  { time, reset, writeHead }: StagedTools,
): void {
  const { socket } = out;
  if (!socket) return;
  writeHead(response);
  out.flushHeaders();
  if (response.body && afterBytes > 0) out.write(sliceOf(response.body, 0, afterBytes), 'latin1');
  socket.once('close', watchWriting(socket, time));
  if (!isReset) socket.destroySoon();
  // A reset discards data that is under way, so the client gets some time to read it.
  else
    socket.once(
      'close',
      time.after(resetMs, () => reset(socket)),
    );
}

/**
 * Sends the head, then the body at the given pace. If the servers stop and `bytesPerSecond` is above 0, sends the
 * remaining bytes immediately. If the servers stop and `bytesPerSecond` is 0, closes the connection.
 */
export function sendSlowly(
  { response, bytesPerSecond, whenOver, onEnd }: Drip,
  out: ServerResponse,
  { time, writeHead }: Omit<StagedTools, 'reset'>,
): void {
  const { body = '' } = response;
  const startMs = time.monotonicMs();
  let at = 0;
  let cancelPiece = (): void => undefined;
  const sendPiece = (): void => {
    const due = Math.min(body.length, Math.floor(((time.monotonicMs() - startMs) / 1000) * bytesPerSecond));
    if (due > at && !out.writableNeedDrain) {
      out.write(sliceOf(body, at, due), 'latin1');
      at = due;
    }
    if (at === body.length) out.end();
    else cancelPiece = time.after(pieceMs, sendPiece);
  };
  const cancelOver = whenOver(() => {
    cancelPiece();
    if (bytesPerSecond > 0) out.end(sliceOf(body, at, body.length), 'latin1');
    else out.socket?.destroy();
  });
  out.once('close', () => {
    cancelPiece();
    cancelOver();
    onEnd?.();
  });
  writeHead(response);
  out.flushHeaders();
  sendPiece();
}

export function sliceOf(body: string | Buffer, from: number, to: number): string | Buffer {
  return typeof body === 'string' ? body.slice(from, to) : body.subarray(from, to);
}
