/** An account and the address of its tables, such as `http://127.0.0.1:10002/devstoreaccount1`. */
export interface AddressedAccount {
  readonly name: string;
  /** Base64. */
  readonly key: string;
  readonly url: string;
  /** The address of the secondary, such as `http://127.0.0.1:10002/devstoreaccount1-secondary`. */
  readonly secondaryUrl?: string | undefined;
}

/** A connection string with the account's key, as the Azure SDKs take it. */
export function keyConnectionString({ name, key, url, secondaryUrl }: AddressedAccount): string {
  const protocol = url.split(':', 1)[0];
  const endpoints = `${endpoint(url)}${secondaryEndpoint(secondaryUrl)}`;
  return `DefaultEndpointsProtocol=${protocol};AccountName=${name};AccountKey=${key};${endpoints}`;
}

/** A connection string with a shared access signature, as the Azure SDKs take it. */
export function sasConnectionString(
  { url, secondaryUrl }: Pick<AddressedAccount, 'url' | 'secondaryUrl'>,
  sas: string,
): string {
  return `${endpoint(url)}${secondaryEndpoint(secondaryUrl)}SharedAccessSignature=${sas}`;
}

const endpoint = (url: string): string => `TableEndpoint=${url};`;

/** The .NET clients use the secondary, for reads and for statistics, only if the connection string names it. */
const secondaryEndpoint = (url: string | undefined): string =>
  url === undefined ? '' : `TableSecondaryEndpoint=${url};`;
