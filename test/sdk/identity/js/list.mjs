// Lists tables with one credential of @azure/identity: node list.mjs CREDENTIAL ENDPOINT

import { TableServiceClient } from '@azure/data-tables';
import {
  ClientCertificateCredential,
  ClientSecretCredential,
  DefaultAzureCredential,
  ManagedIdentityCredential,
} from '@azure/identity';

const [, , name, endpoint] = process.argv;
const {
  AZURE_TENANT_ID: tenant,
  AZURE_CLIENT_ID: client,
  AZURE_CLIENT_SECRET: secret,
  AZURE_CLIENT_CERTIFICATE_PATH: certificate,
  TENANT_GUID: guid,
} = process.env;

const credentials = {
  default: () => new DefaultAzureCredential(),
  'managed identity': () => new ManagedIdentityCredential(),
  secret: () => new ClientSecretCredential(tenant, client, secret),
  'secret without discovery': () =>
    new ClientSecretCredential(guid, client, secret, { disableInstanceDiscovery: true }),
  certificate: () => new ClientCertificateCredential(tenant, client, certificate),
  'certificate without discovery': () =>
    new ClientCertificateCredential(guid, client, certificate, { disableInstanceDiscovery: true }),
  // This credential reads the environment variables of a workload identity.
  'workload identity': () => new ManagedIdentityCredential({ clientId: client }),
};

const service = new TableServiceClient(endpoint, credentials[name]());
for await (const table of service.listTables()) console.log(table.name);
