// Where the state of an issuer is: in memory, in a file that only its user can read, or in a text that several nodes share.

import { createPrivateFile, readPrivateFile, replacePrivateFile } from './private-files.ts';

export interface StateStore {
  read(): Promise<string | undefined>;
  /**
   * Replaces the text by the result of `change`, which depends on its argument alone, as it may be called again. Of concurrent
   * changes none is lost. Resolves with the new text; if it rejects, the text is the old one or the new one.
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

/** One process at a time has the folder of the data, so that nobody else changes the file. */
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

/** Texts that belong to a service of several nodes; those of the store fit. */
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
