// The messages between the parent and the simulated process. Each is a line of JSON.

import type { Durability } from '../../src/storage/durability.ts';

/** Options for the start of a process. */
export interface ProcessOptions {
  readonly seed: number;
  /** Where the data is. If absent, it is in memory. */
  readonly location?: string;
  readonly durability: Durability;
  readonly tableDeleteDelayMs: number;
  /** The date of the simulated machine at the start. */
  readonly dateMs: number;
  /** Commands for the simulated disk, before the data is opened. */
  readonly disk: readonly string[];
}

export interface SentRequest {
  readonly id: number;
  /** The account, if the request is for the table service. Absent for the control plane. */
  readonly account?: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the path already contains a signature. */
  readonly isSigned: boolean;
}

export type Command =
  /** Requests that begin at the same time. */
  | {
      readonly kind: 'send';
      readonly seed: number;
      readonly disk: readonly string[];
      readonly requests: readonly SentRequest[];
    }
  /** Sends no requests for a few seconds, so that background work ends. */
  | { readonly kind: 'rest'; readonly seed: number }
  /** Reads all data, without faults. */
  | { readonly kind: 'read'; readonly seed: number; readonly accounts: readonly string[] }
  | { readonly kind: 'step'; readonly ms: number }
  | { readonly kind: 'close'; readonly seed: number };

export type Line =
  | { readonly kind: 'ready' }
  | SentReply
  /** The answer to each command. `unanswered`: requests that wait for something that never happens. */
  | Done
  /** A line of the emulator's log, which says what failed. */
  | { readonly kind: 'log'; readonly text: string; readonly isInternal: boolean };

export interface Done {
  readonly kind: 'done';
  readonly unanswered?: readonly number[];
  /** After a rest, the number of rows in each account that belong to neither a table nor a snapshot. */
  readonly left?: Readonly<Record<string, number>>;
  /** After `read`, the data by account. Accounts that were never used are absent. */
  readonly found?: Readonly<Record<string, FoundAccount>>;
}

/** The service's responses as they were received, and other data of an account. */
export interface FoundAccount {
  readonly tables: readonly { readonly name: string; readonly rows: SentReply; readonly policies: SentReply }[];
  readonly settings: SentReply;
  readonly snapshots: readonly string[];
}

export interface SentReply {
  readonly kind: 'reply';
  readonly id: number;
  readonly status: number;
  readonly etag?: string;
  /** The fault rule that struck the request, if any. */
  readonly staged?: string;
  readonly body: string;
}
