export interface HostileHead {
  readonly name: string;
  /** A complete request without a body, as latin1 text. */
  readonly text: string;
}

export function ordinaryHead(at: { readonly host: string }): string;
export const separators: readonly string[];
export function hostileHeads(at: { readonly host: string; readonly units?: readonly string[] }): HostileHead[];
/** Heads with unsigned bearer tokens, of the maximum size and above it. */
export function tokenHeads(at: { readonly host: string }): HostileHead[];
