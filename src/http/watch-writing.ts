import type { Socket } from 'node:net';
import type { Cancel, MachineTime } from '../model/time.ts';

/** A client that takes no bytes for this long is disconnected. */
const stallMsMax = 60_000;
const checkMs = 10_000;

/**
 * Destroys a socket if the operating system takes none of its waiting bytes for `stallMsMax`. Returns a function that
 * ends the watch.
 */
export function watchWriting(socket: Socket, time: MachineTime): Cancel {
  let writtenBytes = writtenOf(socket);
  let progressAtMs = time.monotonicMs();
  let cancel = time.after(checkMs, check);
  function check(): void {
    const nowMs = time.monotonicMs();
    const bytes = writtenOf(socket);
    if (bytes !== writtenBytes || socket.writableLength === 0) {
      writtenBytes = bytes;
      progressAtMs = nowMs;
    } else if (nowMs - progressAtMs >= stallMsMax) {
      socket.destroy();
      return;
    }
    cancel = time.after(checkMs, check);
  }
  return () => cancel();
}

/** Bytes that the operating system has taken; `bytesWritten` also counts bytes that wait in the process. */
function writtenOf({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
