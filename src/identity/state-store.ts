// Stores the state of an issuer: in memory, in a file that only its owner can read, or in a text that several nodes
// share.

import { createPrivateFile, readPrivateFile, replacePrivateFile } from './private-files.ts';

export interface StateStore {
  read(): Promise<string | undefined>;
  /**
   * Replaces the text with the result of `change`. `change` may be called more than once, so its result must depend
   * only on its argument. Concurrent changes are not lost. Resolves with the new text. If the promise rejects, the
   * store may contain the old text or the new text.
   */
  update(change: (current: string | undefined) => string): Promise<string>;
  /** Calls the listener after another process may have changed the text. */
  onChange?(listener: () => void): void;
}

export function memoryStateStore(): StateStore {
  let text: string | undefined;
  return {
    read: async () => text,
    async update(change) {
      text = change(text);
      return text;
    },
  };
}

/** Only one process at a time uses the data folder, so the file has no other writer. */
export function fileStateStore(path: string): StateStore {
  const read = (): string | undefined => readPrivateFile(path)?.toString('utf8');
  return {
    read: async () => read(),
    async update(change) {
      const current = read();
      const next = change(current);
      if (current === undefined) return createPrivateFile(path, next).toString('utf8');
      replacePrivateFile(path, next);
      return next;
    },
  };
}

/** Texts that several nodes of a service share. The store's SharedTexts have these methods. */
export interface SharedStateTexts {
  read(name: string): Promise<string | undefined>;
  update(name: string, change: (current: string | undefined) => string): Promise<string>;
  onChange(listener: (name: string | undefined) => void): void;
}

const textName = 'identity';

export function sharedStateStore(texts: SharedStateTexts): StateStore {
  return {
    read: () => texts.read(textName),
    update: (change) => texts.update(textName, change),
    onChange: (listener) =>
      texts.onChange((name) => {
        if (name === undefined || name === textName) listener();
      }),
  };
}
