import type { VersionPolicy } from '../protocol/service-version.ts';

/** Differences from the service that the user can choose. */
export interface Compatibility {
  readonly versions: VersionPolicy;
  /** Accepts requests that the service is documented to refuse, if their meaning is clear; docs/differences.md lists them. */
  readonly isLoose: boolean;
  /** Carries out writes that a page of another origin makes a browser send without a preflight, as the service does. */
  readonly allowsForeignPages: boolean;
  /** Sends Retry-After with 503, which the service does not; 0 sends none. */
  readonly retryAfterSeconds: number;
}
