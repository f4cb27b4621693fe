/**
 * Texts that belong to the service, not to a process, of an engine that several processes share. Each name has one text, or
 * none. They stay when every process has ended.
 */
export interface SharedTexts {
  /** Rejects with StoreUnavailable, as `update` does, while the data cannot be used. */
  read(name: string): Promise<string | undefined>;
  /**
   * Replaces a text by the result of `change`, which must depend on its argument alone: it may be called again. Reads and
   * writes in one transaction: of concurrent changes, in any processes, none is lost. Resolves with the new text. If `change`
   * throws, nothing changes and the promise rejects with its error.
   */
  update(name: string, change: (current: string | undefined) => string): Promise<string>;
  /**
   * Calls the listener with the name after another process has changed a text. Without a name, any of them may have changed:
   * while the engine cannot be notified, it is called so again and again.
   */
  onChange(listener: (name: string | undefined) => void): void;
}
