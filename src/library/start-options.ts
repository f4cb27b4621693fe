import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestReport } from '../model/request-report.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';

/** Options of `startEmulator()`: the settings of the emulator (docs/settings.md), a log and a listener. All are optional. */
export interface StartOptions extends EmulatorOptions {
  /**
   * Gets the emulator's messages: warnings about capacity, and internal errors. An object with `info`, `warn` and `error`, each
   * called with fields and a message, such as a pino or console-like logger. Without it nothing is logged.
   */
  readonly log?: EmulatorLog;
  /**
   * Called with a report of each request after its response is handed to the socket: operation, keys, status, why it was refused,
   * the plan of a query. It must be quick. Its errors go to `log`.
   */
  readonly onRequest?: (request: RequestReport) => void;
}
