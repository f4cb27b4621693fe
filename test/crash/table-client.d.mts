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

export class TableClient {
  constructor(url: string, connections?: number);
  send(call: TableCall): Promise<TableAnswer>;
  /** Succeeds also where the table is there already. */
  createTable(name: string): Promise<void>;
  readAll(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}
