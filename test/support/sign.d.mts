/** The key of `devstoreaccount1`. */
export const developmentKey: string;

/** The HMAC-SHA256 of a text in base64. `key` is in base64 too; by default it is the development account's. */
export function hmac(text: string, key?: string): string;

export interface SignedRequest {
  readonly method: string;
  /** The target on the request line, including the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Signer {
  readonly account: string;
  readonly key: string;
  readonly scheme: 'SharedKey' | 'SharedKeyLite';
}

/** The value of the Authorization header. */
export function authorization(request: SignedRequest, signer: Signer): string;
