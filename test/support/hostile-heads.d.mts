export interface HostileHead {
  readonly name: string;
  /** A complete request without a body, in latin1. */
  readonly text: string;
}

export function ordinaryHead(at: { readonly host: string }): string;
export const separators: readonly string[];
export function hostileHeads(at: { readonly host: string; readonly units?: readonly string[] }): HostileHead[];
/** Heads with unsigned bearer tokens, of the maximum size and larger. */
export function tokenHeads(at: { readonly host: string }): HostileHead[];
