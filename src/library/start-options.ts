import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestReport } from '../model/request-report.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';

/**
 * Options of `startEmulator()`: the settings of the emulator (docs/settings.md), a log and a listener. All are
 * optional.
 */
export interface StartOptions extends EmulatorOptions {
  /**
   * Receives the emulator's messages: warnings about capacity, and internal errors. A log is an object with the methods
   * `info`, `warn` and `error`, for example a pino logger or a logger like `console`. Each method is called with fields
   * and a message. Without a log, nothing is logged.
   */
  readonly log?: EmulatorLog;
  /**
   * Called with a report of each request after the response is handed to the socket. The report contains the operation,
   * the keys, the status, the reason for a refusal, and the plan of a query. The callback must be quick. Errors that
   * the callback throws go to `log`.
   */
  readonly onRequest?: (request: RequestReport) => void;
}
