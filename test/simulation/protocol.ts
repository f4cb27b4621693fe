// The messages between the parent and the simulated process, one line of JSON each.

import type { Durability } from '../../src/storage/durability.ts';

/** Options for the start of a process. */
export interface ProcessOptions {
  readonly seed: number;
  /** Absent: in memory. */
  readonly location?: string;
  readonly durability: Durability;
  readonly tableDeleteDelayMs: number;
  /** The date of its machine at the start. */
  readonly dateMs: number;
  /** Commands for the simulated disk before the data is opened. */
  readonly disk: readonly string[];
}

export interface SentRequest {
  readonly id: number;
  /** The account, for the table service; absent for the control plane. */
  readonly account?: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the path has a signature already. */
  readonly isSigned: boolean;
}

export type Command =
  /** Requests that are begun together. */
  | {
      readonly kind: 'send';
      readonly seed: number;
      readonly disk: readonly string[];
      readonly requests: readonly SentRequest[];
    }
  /** Sends nothing for a few seconds, so that background work ends. */
  | { readonly kind: 'rest'; readonly seed: number }
  /** Reads everything, without faults. */
  | { readonly kind: 'read'; readonly seed: number; readonly accounts: readonly string[] }
  | { readonly kind: 'step'; readonly ms: number }
  | { readonly kind: 'close'; readonly seed: number };

export type Line =
  | { readonly kind: 'ready' }
  | SentReply
  /** Sent after each command. `unanswered`: requests that wait for something that never happens. */
  | Done
  /** The log of the emulator: what failed. */
  | { readonly kind: 'log'; readonly text: string; readonly isInternal: boolean };

export interface Done {
  readonly kind: 'done';
  readonly unanswered?: readonly number[];
  /** After a rest: rows by account that belong to neither a table nor a snapshot. */
  readonly left?: Readonly<Record<string, number>>;
  /** After `read`, by account; those that were never used are absent. */
  readonly found?: Readonly<Record<string, FoundAccount>>;
}

/** Responses of the service as received, and what else an account holds. */
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
  /** The staged rule, if one struck. */
  readonly staged?: string;
  readonly body: string;
}
