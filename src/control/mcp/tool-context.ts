import type { ControlTools } from '../control-route.ts';

/** What a tool works with. */
export interface ToolContext {
  readonly tools: ControlTools;
  readonly recent: RecentReader;
  /** Lets other requests have their turn. Rejects once nobody waits for the answer. */
  readonly pause: () => Promise<void>;
  readonly isAbandoned: () => boolean;
}

/** What is kept of requests. */
export interface RecentReader {
  /** ISO 8601: requests before that are not known. */
  readonly sinceAt: string;
  /** The newest first. */
  list(wanted: WantedRequests): readonly object[];
  find(id: string): object | undefined;
  lastRefused(): object | undefined;
  /** Number of requests that were not kept, because they came too fast or there were too many. */
  readonly dropped: number;
}

export interface WantedRequests {
  readonly account?: string | undefined;
  readonly table?: string | undefined;
  readonly refusedOnly?: boolean | undefined;
  readonly limit: number;
}

/** A tool cannot carry out the call. The message gives the reason in one line. */
export class ToolRefusal extends Error {
  readonly code: 'EntityNotFound' | 'RequestNotFound';

  constructor(code: ToolRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Its input fits the schema of the tool. Throws ToolRefusal, ControlError and ServiceError. */
export type ToolWork = (input: never, context: ToolContext) => Promise<object>;
