import type { VersionPolicy } from '../protocol/service-version.ts';

/** Where the user wishes the emulator to depart from the service. */
export interface Compatibility {
  readonly versions: VersionPolicy;
  /** Takes what the service is documented to refuse, where the meaning is plain; docs/differences.md lists it. */
  readonly isLoose: boolean;
  /** Asks a client that meets a busy emulator to wait, which the service does not; 0: does not ask. */
  readonly retryAfterSeconds: number;
}

export const strictCompatibility: Compatibility = { versions: 'newer', isLoose: false, retryAfterSeconds: 0 };
