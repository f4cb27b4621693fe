export interface TableCall {
  readonly method: string;
  /** Below the account, percent-encoded. */
  readonly path: string;
  /** With its question mark. */
  readonly query?: string;
  readonly ifMatch?: string;
  readonly body?: unknown;
}

export interface TableAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface TransactionAnswer {
  readonly status: number;
  readonly text: string;
  /** One for each call, or only that of the refused call, with its index. */
  readonly parts: readonly {
    readonly status: number;
    readonly etag: string | undefined;
    readonly index: number | undefined;
  }[];
}

export class JsonClient {
  constructor(url: string, connections?: number);
  send(call: TableCall): Promise<TableAnswer>;
  /** Sends the calls, without queries, as one entity group transaction. */
  sendTransaction(calls: readonly Omit<TableCall, 'query'>[]): Promise<TransactionAnswer>;
  /** Also succeeds if the table exists already. */
  createTable(name: string): Promise<void>;
  readAll(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}
