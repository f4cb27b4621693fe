/** An account and its keys. */
export interface AccountKeys {
  readonly name: string;
  /** One or two keys, in base64. */
  readonly keys: readonly string[];
}
