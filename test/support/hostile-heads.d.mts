export interface HostileHead {
  readonly name: string;
  /** A whole request without a body, in latin1. */
  readonly text: string;
}

export function ordinaryHead(at: { readonly host: string }): string;
export const separators: readonly string[];
export function hostileHeads(at: { readonly host: string; readonly units?: readonly string[] }): HostileHead[];
/** With bearer tokens that nobody signed, as large as they are read and larger. */
export function tokenHeads(at: { readonly host: string }): HostileHead[];
