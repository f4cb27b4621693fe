/**
 * Texts that belong to a service, in an engine that several processes share. Each name has at most one text. The texts
 * remain after all processes have ended.
 */
export interface SharedTexts {
  /** Resolves with the text of a name. Like `update`, rejects with StoreUnavailable while the data cannot be used. */
  read(name: string): Promise<string | undefined>;
  /**
   * Replaces a text by the result of `change`. The engine may call `change` several times, so its result must depend
   * only on its argument. The engine reads and writes in one transaction, so concurrent changes in other processes are
   * not lost. Resolves with the new text. If `change` throws, nothing changes and the promise rejects with that error.
   */
  update(name: string, change: (current: string | undefined) => string): Promise<string>;
  /**
   * Registers a listener. After another process has changed a text, the listener is called with the name of that text.
   * A call without a name means that any text may have changed. While the engine cannot receive notifications, it
   * repeatedly calls the listener without a name.
   */
  onChange(listener: (name: string | undefined) => void): void;
}
