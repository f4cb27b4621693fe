/** Where the emulator's own log goes; pino fits. */
export interface EmulatorLog {
  /** Requests that only show something of the emulator itself, as `top` and the console send them all the time. */
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Lines dropped so far because the destination did not take them; absent if the log drops none. */
  linesDropped?(): number;
}
