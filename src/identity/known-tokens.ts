import type { BearerToken } from './read-token.ts';
import type { RoleAssignment } from './role-assignments.ts';

/** An accepted token, with the roles that its issuer gives the holder. */
export interface KnownToken {
  readonly token: BearerToken;
  /** Undefined if the issuer does not give roles. Then only the file of role assignments, or the default, decides. */
  readonly given: readonly RoleAssignment[] | undefined;
}

/**
 * Caches verified tokens, so that further requests with the same token cost little. When the cache is full, the least
 * recently used token is dropped first.
 */
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
    // The order matters only when the cache is full.
    if (known === undefined || this.#tokens.size < this.#countMax) return known;
    this.#tokens.delete(text);
    this.#tokens.set(text, known);
    return known;
  }

  /**
   * Adds a token that was verified with the keys of this generation. If a newer generation of keys is in use, does
   * nothing, because the newer generation may lack the key of the token.
   */
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
