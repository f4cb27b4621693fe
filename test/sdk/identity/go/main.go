// Lists tables with one credential of azidentity: go run . CREDENTIAL ENDPOINT

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func credential(name string) (azcore.TokenCredential, error) {
	tenant, client := os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID")
	switch name {
	case "default":
		return azidentity.NewDefaultAzureCredential(nil)
	case "managed identity":
		return azidentity.NewManagedIdentityCredential(nil)
	case "secret":
		return azidentity.NewClientSecretCredential(tenant, client, os.Getenv("AZURE_CLIENT_SECRET"), nil)
	case "secret without discovery":
		options := azidentity.ClientSecretCredentialOptions{DisableInstanceDiscovery: true}
		return azidentity.NewClientSecretCredential(os.Getenv("TENANT_GUID"), client, os.Getenv("AZURE_CLIENT_SECRET"), &options)
	case "certificate", "certificate without discovery":
		text, err := os.ReadFile(os.Getenv("AZURE_CLIENT_CERTIFICATE_PATH"))
		if err != nil {
			return nil, err
		}
		certificates, key, err := azidentity.ParseCertificates(text, nil)
		if err != nil {
			return nil, err
		}
		if name == "certificate" {
			return azidentity.NewClientCertificateCredential(tenant, client, certificates, key, nil)
		}
		options := azidentity.ClientCertificateCredentialOptions{DisableInstanceDiscovery: true}
		return azidentity.NewClientCertificateCredential(os.Getenv("TENANT_GUID"), client, certificates, key, &options)
	case "workload identity":
		return azidentity.NewWorkloadIdentityCredential(nil)
	}
	return nil, fmt.Errorf("no credential %s", name)
}

func list(name, endpoint string) error {
	cred, err := credential(name)
	if err != nil {
		return err
	}
	service, err := aztables.NewServiceClient(endpoint, cred, nil)
	if err != nil {
		return err
	}
	pager := service.NewListTablesPager(nil)
	for pager.More() {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			return err
		}
		for _, table := range page.Tables {
			fmt.Println(*table.Name)
		}
	}
	return nil
}

func main() {
	if err := list(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
