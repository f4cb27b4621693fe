import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestReport } from '../model/request-report.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';

/** Options of `startEmulator()`: the settings of the emulator (docs/settings.md), a log and a listener. All are optional. */
export interface StartOptions extends EmulatorOptions {
  /**
   * Receives the emulator's messages: warnings about capacity, and internal errors. A log is an object with the methods
   * `info`, `warn` and `error`, such as a pino or console-like logger. Each method is called with fields and a message.
   * Without a log, nothing is logged.
   */
  readonly log?: EmulatorLog;
  /**
   * Called with a report of each request after its response is handed to the socket. The report contains the operation, the
   * keys, the status, the reason for a refusal, and the plan of a query. The callback must be quick. Its errors go to
   * `log`.
   */
  readonly onRequest?: (request: RequestReport) => void;
}
