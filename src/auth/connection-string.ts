/** An account and the address of its tables, such as `http://127.0.0.1:10002/devstoreaccount1`. */
export interface AddressedAccount {
  readonly name: string;
  /** Base64. */
  readonly key: string;
  readonly url: string;
}

/** A connection string with the account's key, as the Azure SDKs take it. */
export function keyConnectionString({ name, key, url }: AddressedAccount): string {
  const protocol = url.split(':', 1)[0];
  return `DefaultEndpointsProtocol=${protocol};AccountName=${name};AccountKey=${key};TableEndpoint=${url};`;
}

/** A connection string with a shared access signature, as the Azure SDKs take it. */
export function sasConnectionString(url: string, sas: string): string {
  return `TableEndpoint=${url};SharedAccessSignature=${sas}`;
}
