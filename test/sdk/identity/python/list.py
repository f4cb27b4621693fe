"""Lists tables with one credential of azure-identity: python list.py CREDENTIAL ENDPOINT"""

import os
import sys

from azure.data.tables import TableServiceClient
from azure.identity import (
    CertificateCredential,
    ClientSecretCredential,
    DefaultAzureCredential,
    ManagedIdentityCredential,
    WorkloadIdentityCredential,
)

name, endpoint = sys.argv[1:]
variables = os.environ


def credential():
    tenant, client = variables["AZURE_TENANT_ID"], variables["AZURE_CLIENT_ID"]
    match name:
        case "default":
            return DefaultAzureCredential()
        case "managed identity":
            return ManagedIdentityCredential()
        case "secret":
            return ClientSecretCredential(tenant, client, variables["AZURE_CLIENT_SECRET"])
        case "secret without discovery":
            guid, secret = variables["TENANT_GUID"], variables["AZURE_CLIENT_SECRET"]
            return ClientSecretCredential(guid, client, secret, disable_instance_discovery=True)
        case "certificate":
            return CertificateCredential(tenant, client, variables["AZURE_CLIENT_CERTIFICATE_PATH"])
        case "certificate without discovery":
            path = variables["AZURE_CLIENT_CERTIFICATE_PATH"]
            return CertificateCredential(variables["TENANT_GUID"], client, path, disable_instance_discovery=True)
        case "workload identity":
            return WorkloadIdentityCredential()
    raise SystemExit(f"no credential {name}")


with TableServiceClient(endpoint, credential=credential()) as service:
    for table in service.list_tables():
        print(table.name)
