import type { ErrorCode } from '../model/error-catalogue.ts';
import { cutMiddle } from '../model/printable-text.ts';
import { ServiceError, type ServiceErrorOptions } from '../model/service-error.ts';

/** Returns the reasons, one sentence an item. They never contain a key or a signature. */
export type Explain = () => readonly string[];

/**
 * A refusal of the caller with an explanation that the service does not give. It is meant for the developer who runs the
 * emulator: it is no part of the message, and computed only when it is read.
 */
export class AuthenticationRefused extends ServiceError {
  readonly #explain: Explain;

  constructor(code: ErrorCode, explain: Explain, options: ServiceErrorOptions = { stage: 'frontEnd' }) {
    super(code, options);
    this.name = 'AuthenticationRefused';
    this.#explain = explain;
  }

  get explanation(): readonly string[] {
    return this.#explain();
  }
}

/** The service's one answer to everything that is wrong with a signature or with what it covers. */
export function authenticationFailed(explain: Explain): AuthenticationRefused {
  return new AuthenticationRefused('AuthenticationFailed', explain);
}

/** Of a text in an explanation: a client chooses how long its address is, and the explanation may travel in a header. */
const quotedCharsMax = 512;

/** A text in quotes, as JSON has it; the middle of a long one is left out. */
export const quote = (text: string): string => JSON.stringify(cutMiddle(text, quotedCharsMax));
