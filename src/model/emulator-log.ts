/** The log that the emulator writes to. A pino logger can be passed. */
export interface EmulatorLog {
  /** For requests that only read the emulator's own state: `top` and the console send them continuously. */
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /**
   * Returns the number of lines that the log has dropped so far because its destination did not accept them. This
   * method is absent if the log never drops lines.
   */
  linesDropped?(): number;
}
