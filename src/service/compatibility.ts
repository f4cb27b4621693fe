import type { VersionPolicy } from '../protocol/service-version.ts';

/** Differences from Azure that the user can choose. */
export interface Compatibility {
  readonly versions: VersionPolicy;
  /** Accepts requests with a clear meaning that Azure is documented to refuse. docs/differences.md lists them. */
  readonly isLoose: boolean;
  /** Carries out writes that a web page of another origin sends without a preflight. Azure carries them out too. */
  readonly allowsForeignPages: boolean;
  /** Seconds in the header Retry-After of a 503. Azure does not send this header. 0: not sent. */
  readonly retryAfterSeconds: number;
}
