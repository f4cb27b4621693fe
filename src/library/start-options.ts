import type { EmulatorLog } from '../model/emulator-log.ts';
import type { RequestReport } from '../model/request-report.ts';
import type { EmulatorOptions } from '../settings/emulator-options.ts';

/** Options of `startEmulator()`: the settings of the emulator (docs/settings.md), and what watches it. All are optional. */
export interface StartOptions extends EmulatorOptions {
  /**
   * Gets what the emulator has to say beside its responses: warnings about capacity, and errors that are its own fault. An
   * object with `info`, `warn` and `error`, each called with fields and a message, as pino and console-like loggers are.
   * Without it nothing is logged.
   */
  readonly log?: EmulatorLog;
  /**
   * Called with a report of each request once its response is handed to the socket: operation, keys, status, why it was
   * refused, the plan of a query. It must be quick; what it throws goes to `log`.
   */
  readonly onRequest?: (request: RequestReport) => void;
}
