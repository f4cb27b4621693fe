// Describes a request for readers outside the emulator. The members of a report are the fields of the request's line in
// the JSON log, and the library passes the report to `onRequest`. A member without a value is left out. This file
// imports nothing, because it is part of the library's declarations.

/** What a request asked for and how it ended. Plain data that can be kept. */
export interface RequestReport {
  /** The operation's name in the documentation of the service; `Unknown` if the request names none. */
  readonly operation: string;
  /** HTTP status; 499 if the client disconnected first, 444 if the emulator closed the connection instead. */
  readonly status: number;
  /** Error code of a refusal. */
  readonly code?: string;
  /** Why the request was refused, one sentence per item, the cause first. */
  readonly why?: readonly string[];
  readonly requestId: string;
  readonly clientRequestId?: string;
  /** The trace that the request belongs to, as its header `traceparent` names it: 32 hexadecimal digits. */
  readonly traceId?: string;
  readonly durationMs: number;
  readonly account: string;
  /** The owner of the bearer token: its object id, else the id of the application. */
  readonly principal?: string;
  readonly table?: string;
  /** Keys of the one entity that was read or written. */
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** The text of `$filter`, decoded. */
  readonly filter?: string;
  /** How a query was carried out: `point`, `range`, `partition scan` or `table scan`. */
  readonly plan?: string;
  /** Entities that a query looked at. */
  readonly visited?: number;
  /** Entities in the page. */
  readonly returned?: number;
  readonly pageEnd?: string;
  readonly batch?: BatchReport;
  /** The fault that was staged for the request. `rule` is the rule's name, or its id if it has no name. */
  readonly fault?: { readonly rule: string; readonly kind: string };
  /** How long the request waited for capacity. */
  readonly waitedMs?: number;
  /** The scalability target that the request exceeded. */
  readonly beyond?: string;
  /** Capacity units (1 KiB of entities) that the request used. */
  readonly units?: number;
  /** Lengths of the request's body and of the response's body. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface BatchReport {
  /** Number of requests in the batch. */
  readonly size: number;
  /** The request for which the batch was refused: its 0-based place, operation and error. */
  readonly refused?: {
    readonly index: number;
    readonly operation: string;
    readonly code: string;
    readonly why?: readonly string[];
  };
  /** What is wrong with the form of the batch, although it was answered like any other batch. */
  readonly warning?: string;
}
