import type { TokenGrant } from './access-token.ts';

/** Describes an issued token, without the token itself. */
export interface GivenToken {
  /** ISO 8601, the time of the service. */
  readonly at: string;
  readonly expiresAt: string;
  /** The name of the principal. */
  readonly name: string;
  readonly clientId: string;
  readonly audience: string;
  readonly grant: TokenGrant;
  readonly kid: string;
  /** The claim `uti`. */
  readonly id: string;
}

const tokensMax = 200;

/** The latest tokens issued by this process. */
export class TokenJournal {
  readonly #tokens: GivenToken[] = [];
  #count = 0;

  add(token: GivenToken): void {
    this.#count += 1;
    this.#tokens.push(token);
    if (this.#tokens.length > tokensMax) this.#tokens.shift();
  }

  /** Number of tokens issued since the start. */
  get count(): number {
    return this.#count;
  }

  /** The latest tokens, the newest first. */
  latest(): readonly GivenToken[] {
    return this.#tokens.toReversed();
  }
}
