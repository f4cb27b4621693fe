export interface Signer {
  readonly account: string;
  readonly key: string;
}

export function signRequest(
  signer: Signer,
  request: { readonly url: string; readonly nowMs: number },
): Promise<{ readonly 'x-ms-date': string; readonly Authorization: string }>;
export function signAccountSas(signer: Signer, options: { readonly expiresMs: number }): Promise<string>;
