import type { VersionPolicy } from '../protocol/service-version.ts';

/** Where the user wishes the emulator to depart from the service. */
export interface Manners {
  readonly versions: VersionPolicy;
  /** Takes what the service is documented to refuse, where the meaning is plain; docs/differences.md lists it. */
  readonly isLoose: boolean;
}

export const strictManners: Manners = { versions: 'newer', isLoose: false };
