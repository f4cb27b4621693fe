/**
 * Texts of a service, not of one process, in an engine that several processes share. Each name has one text, or none. They remain
 * after all processes have ended.
 */
export interface SharedTexts {
  /** Like `update`, rejects with StoreUnavailable while the data cannot be used. */
  read(name: string): Promise<string | undefined>;
  /**
   * Replaces a text by the result of `change`, which must depend only on its argument, because it may be called again. Reads and writes
   * in one transaction, so concurrent changes in any processes are not lost. Resolves with the new text. If `change` throws, nothing
   * changes and the promise rejects with its error.
   */
  update(name: string, change: (current: string | undefined) => string): Promise<string>;
  /**
   * Calls the listener with the name after another process has changed a text. Without a name, any text may have changed: while the
   * engine cannot receive notifications, it repeats such calls.
   */
  onChange(listener: (name: string | undefined) => void): void;
}
