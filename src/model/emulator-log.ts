/** Where the emulator's own log goes; pino fits. */
export interface EmulatorLog {
  /** For requests that only read the emulator's own state: `top` and the console send them continuously. */
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Lines dropped so far because the destination did not take them; absent if the log drops none. */
  linesDropped?(): number;
}
