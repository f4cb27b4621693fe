export interface TableCall {
  readonly method: string;
  /** The path below the account, percent-encoded. */
  readonly path: string;
  /** The query, including its question mark. */
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
  /** One part for each call. If a call was refused, only its part, with its index. */
  readonly parts: readonly {
    readonly status: number;
    readonly etag: string | undefined;
    readonly index: number | undefined;
  }[];
}

export class JsonClient {
  constructor(url: string, connections?: number);
  send(call: TableCall): Promise<TableAnswer>;
  /** Sends the calls as one entity group transaction. They cannot have queries. */
  sendTransaction(calls: readonly Omit<TableCall, 'query'>[]): Promise<TransactionAnswer>;
  /** Creates a table. Also succeeds if the table exists already. */
  createTable(name: string): Promise<void>;
  readAll(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}
