import type { BearerToken } from './read-token.ts';

/** Tokens that were verified, so that the next request with the same one costs little. The one that was used longest ago goes first. */
export class KnownTokens {
  readonly #tokens = new Map<string, BearerToken>();
  readonly #countMax: number;
  #generation = 0;

  constructor(countMax = 1_000) {
    this.#countMax = countMax;
  }

  /** The token if it was verified with the keys of this generation. */
  find(text: string, generation: number): BearerToken | undefined {
    this.#forgetOlder(generation);
    const token = this.#tokens.get(text);
    if (token === undefined || this.#tokens.size < this.#countMax) return token;
    this.#tokens.delete(text);
    this.#tokens.set(text, token);
    return token;
  }

  /** Keeps a token that was verified with the keys of this generation. */
  add(token: BearerToken, generation: number): void {
    this.#forgetOlder(generation);
    if (generation !== this.#generation) return;
    this.#tokens.set(token.text, token);
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= this.#countMax) break;
      this.#tokens.delete(oldest);
    }
  }

  forget(text: string): void {
    this.#tokens.delete(text);
  }

  #forgetOlder(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#tokens.clear();
  }
}
