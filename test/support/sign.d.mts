/** The key of `devstoreaccount1`. */
export const developmentKey: string;

/** Base64 of the HMAC-SHA256 of a text; `key` is base64 too, by default the development account's. */
export function hmac(text: string, key?: string): string;

export interface SignedRequest {
  readonly method: string;
  /** As on the request line, query included. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Signer {
  readonly account: string;
  readonly key: string;
  readonly scheme: 'SharedKey' | 'SharedKeyLite';
}

/** The Authorization header. */
export function authorization(request: SignedRequest, signer: Signer): string;
