import type { EmulatorLog } from '../model/emulator-log.ts';
import type { ControlRecord } from './control-plane.ts';

/** Paths whose POST changes nothing. */
const readingPaths = /\/_emulator\/(?:explain|signature)(?:$|\?)/;

/**
 * Logs a request to the control plane. Successful requests that only read are logged at debug level, because `top` and
 * the console send several of them per second.
 */
export function logAnswered({ operation, method, url, status, durationMs }: ControlRecord, log: EmulatorLog): void {
  const fields = { operation, status, durationMs: Math.round(durationMs * 1000) / 1000 };
  const message = `${method} ${url} ${status}`;
  if (status >= 400) log.warn(fields, message);
  else if (method === 'GET' || method === 'HEAD' || readingPaths.test(url)) log.debug?.(fields, message);
  else log.info(fields, message);
}
