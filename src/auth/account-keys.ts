export interface AccountKeys {
  readonly name: string;
  /** One or two keys, base64. */
  readonly keys: readonly string[];
}
