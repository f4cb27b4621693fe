export interface Quartiles {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

export interface Comparison {
  readonly rate: Quartiles;
  readonly time: Quartiles;
}

/** Sizes of files in bytes, unpacked and compressed. */
export interface Sizes {
  readonly bytes: number;
  readonly compressed: number;
  readonly files: number;
}

export interface Results {
  readonly machine: Readonly<Record<string, unknown>> & { readonly node: string };
  readonly generator: string;
  readonly minutes: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly rows: readonly {
    readonly title: string;
    readonly isSecure?: boolean;
    readonly entities: number;
    readonly targets: { readonly ofCeiling?: number; readonly timesAzurite?: number };
    readonly ofCeiling?: Comparison;
    readonly timesAzurite?: Comparison;
    readonly servers: Readonly<Record<string, { ratePerSecond: number; userUs: number; systemUs: number }>>;
  }[];
  readonly start?: Readonly<Record<string, Quartiles>>;
  readonly library?: Readonly<Record<'start' | 'account' | 'restore', Quartiles>>;
  readonly memory?: Readonly<Record<'afterWrites' | 'idle' | 'table' | 'account', number>>;
  readonly executable?: {
    readonly own: { readonly starts: Readonly<Record<'first' | 'later', Quartiles>>; readonly sizes: Sizes };
    readonly azurite?: { readonly starts: Quartiles; readonly sizes: Sizes };
  };
  readonly notMeasured: readonly { readonly what: string; readonly why: string }[];
}

export function renderReport(results: Results): string;
