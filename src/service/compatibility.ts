import type { VersionPolicy } from '../protocol/service-version.ts';

/** Where the user lets the emulator depart from the service. */
export interface Compatibility {
  readonly versions: VersionPolicy;
  /** Accepts requests that the service is documented to refuse, if their meaning is clear; docs/differences.md lists them. */
  readonly isLoose: boolean;
  /** Carries out what a page of another origin makes a browser send without a preflight; the service does. */
  readonly allowsForeignPages: boolean;
  /** Sends Retry-After with 503, which the service does not; 0 sends none. */
  readonly retryAfterSeconds: number;
}
