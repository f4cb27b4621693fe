// One request and its response in a recording: an entry of an HTTP archive (HAR 1.2). A recording that the emulator
// wrote has one entry per line. An archive that a browser or a proxy wrote has all entries in one JSON document.

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** Text, or bytes in base64. */
export interface RecordedBody {
  readonly mimeType: string;
  readonly text?: string;
  readonly encoding?: 'base64';
}

/**
 * The members of an entry that are read when the request is repeated. Members whose names begin with an underscore are
 * extensions of the emulator.
 */
export interface Exchange {
  /** ISO 8601, by the emulator's clock. */
  readonly startedDateTime: string;
  readonly request: {
    readonly method: string;
    /** Absolute, as sent except for signatures. */
    readonly url: string;
    readonly headers: readonly NamedValue[];
    readonly postData?: RecordedBody;
  };
  readonly response: {
    /** 0 if the client got none. */
    readonly status: number;
    readonly headers: readonly NamedValue[];
    readonly content: RecordedBody;
  };
  /** The fault that the emulator staged in place of the service's response. */
  readonly _fault?: string;
}

/**
 * A change of data that no request caused: a reset, a seed or a restored snapshot. If `table` is absent, all tables of
 * the account changed.
 */
export interface DataChange {
  readonly _dataChange: { readonly account: string; readonly table?: string };
}

/** Precedes the entries of each run: the `log` of an archive without its entries. */
export interface RecordingHead {
  readonly version: '1.2';
  readonly creator: { readonly name: string; readonly version: string };
  /** Version of Node. */
  readonly _node?: string;
  /** `linux x64` */
  readonly _platform?: string;
  /** Settings that are not the default. Of texts, such as paths, it says only that they are given. */
  readonly _settings?: Readonly<Record<string, string | number | boolean>>;
}

export const harVersion = '1.2';

/** The first value of a header, whose name is in lower case. */
export function headerIn(headers: readonly NamedValue[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}

/** The bytes of a body. */
export function bodyBytes({ text = '', encoding }: Pick<RecordedBody, 'text' | 'encoding'>): Buffer {
  return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
}
