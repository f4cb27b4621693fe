// The environment variables with which identity libraries find the issuer.

import { adfsTenant } from './identifiers.ts';

export interface VariableSources {
  /** `http://127.0.0.1:10002`, or the same with https. */
  readonly url: string;
  readonly clientId: string;
  readonly secret: string | null;
  readonly identityHeader: string;
  /** The path of the managed identity endpoint below `url`. */
  readonly identityEndpointPath: string;
  /** Paths of files. */
  readonly certificateFile?: string | undefined;
  readonly federatedTokenFile?: string | undefined;
}

/**
 * Returns the variables by name. The address of the authority always begins with https, because the libraries refuse
 * http. The address of the managed identity endpoint has the same scheme as `url`. If this scheme is http, clients can
 * use the endpoint without trusting a certificate.
 */
export function identityVariables(sources: VariableSources): Readonly<Record<string, string>> {
  const { url, clientId, secret, identityHeader, identityEndpointPath, certificateFile, federatedTokenFile } = sources;
  return {
    AZURE_AUTHORITY_HOST: url.replace(/^http:/, 'https:'),
    AZURE_TENANT_ID: adfsTenant,
    AZURE_CLIENT_ID: clientId,
    ...(secret === null ? {} : { AZURE_CLIENT_SECRET: secret }),
    ...(certificateFile === undefined ? {} : { AZURE_CLIENT_CERTIFICATE_PATH: certificateFile }),
    ...(federatedTokenFile === undefined ? {} : { AZURE_FEDERATED_TOKEN_FILE: federatedTokenFile }),
    IDENTITY_ENDPOINT: `${url}${identityEndpointPath}`,
    IDENTITY_HEADER: identityHeader,
  };
}
