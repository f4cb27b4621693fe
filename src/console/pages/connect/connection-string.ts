/** The published key of the development account. Source: docs, Use the Azurite emulator. */
const developmentKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** `http://127.0.0.1:10002/devstoreaccount1`, with the host and port that the browser uses. */
export const endpointOf = (account: string): string => `${addressForClients()}/${account}`;

/** Replaces `localhost`: several SDKs take it for Cosmos DB if the port is not 10002. */
function addressForClients(): string {
  const { protocol, host, hostname, port } = window.location;
  return `${protocol}//${hostname === 'localhost' ? `127.0.0.1${port === '' ? '' : `:${port}`}` : host}`;
}

export interface ConnectionString {
  readonly text: string;
  /** Whether the text can be used as it is. Otherwise dots replace the key. */
  readonly isWhole: boolean;
}

export function connectionStringOf(account: string, developmentAccounts: readonly string[]): ConnectionString {
  const isWhole = developmentAccounts.includes(account);
  const parts = [
    `DefaultEndpointsProtocol=${window.location.protocol.slice(0, -1)}`,
    `AccountName=${account}`,
    `AccountKey=${isWhole ? developmentKey : '…'}`,
    `TableEndpoint=${endpointOf(account)}`,
  ];
  return { text: `${parts.join(';')};`, isWhole };
}
