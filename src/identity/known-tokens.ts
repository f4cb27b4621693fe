import type { BearerToken } from './read-token.ts';
import type { RoleAssignment } from './role-assignments.ts';

/** A token that was accepted, with what its issuer says of its holder's roles. */
export interface KnownToken {
  readonly token: BearerToken;
  /** Undefined where the issuer says nothing: then files, or the default, decide alone. */
  readonly given: readonly RoleAssignment[] | undefined;
}

/** Tokens that were verified, so that the next request with the same one costs little. The one that was used longest ago goes first. */
export class KnownTokens {
  readonly #tokens = new Map<string, KnownToken>();
  readonly #countMax: number;
  #generation = 0;

  constructor(countMax = 1_000) {
    this.#countMax = countMax;
  }

  /** The token if it was verified with the keys of this generation. */
  find(text: string, generation: number): KnownToken | undefined {
    this.#forgetOlder(generation);
    const known = this.#tokens.get(text);
    // The order matters once there are as many as are kept.
    if (known === undefined || this.#tokens.size < this.#countMax) return known;
    this.#tokens.delete(text);
    this.#tokens.set(text, known);
    return known;
  }

  /** Keeps a token that was verified with the keys of this generation; not if there is a newer one, as its key may be gone. */
  add(known: KnownToken, generation: number): void {
    this.#forgetOlder(generation);
    if (generation !== this.#generation) return;
    this.#tokens.set(known.token.text, known);
    if (this.#tokens.size <= this.#countMax) return;
    for (const oldest of this.#tokens.keys()) {
      this.#tokens.delete(oldest);
      break;
    }
  }

  #forgetOlder(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#tokens.clear();
  }
}
