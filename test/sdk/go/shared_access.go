package main

import (
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const refusedPermission = "403 AuthorizationPermissionMismatch"

// partOf returns the value of a part of the connection string.
func partOf(name string) string {
	for _, part := range strings.Split(connectionString, ";") {
		if value, found := strings.CutPrefix(part, name+"="); found {
			return value
		}
	}
	panic("no " + name)
}

func signer() *aztables.SharedKeyCredential {
	return must(aztables.NewSharedKeyCredential(partOf("AccountName"), partOf("AccountKey")))
}

// holder is a client of the table that has only a token.
func holder(token string) *aztables.Client {
	address := partOf("TableEndpoint") + "/go" + run + "?" + token
	return must(aztables.NewClientWithNoCredential(address, nil))
}

func serviceHolder(token string) *aztables.ServiceClient {
	return must(aztables.NewServiceClientWithNoCredential(partOf("TableEndpoint")+"/?"+token, nil))
}

func tableToken(permissions aztables.SASPermissions, hours int) string {
	return must(aztables.SASSignatureValues{
		TableName:         "go" + run,
		Permissions:       permissions.String(),
		Protocol:          aztables.SASProtocolHTTPSandHTTP,
		ExpiryTime:        time.Now().UTC().Add(time.Duration(hours) * time.Hour),
		StartPartitionKey: permissions.StartPartitionKey,
		EndPartitionKey:   permissions.EndPartitionKey,
	}.Sign(signer()))
}

func accountToken(resources aztables.AccountSASResourceTypes, protocol aztables.SASProtocol) string {
	permissions := aztables.AccountSASPermissions{Read: true, List: true}
	token := must(aztables.AccountSASSignatureValues{
		Protocol:      protocol,
		Permissions:   permissions.String(),
		Services:      "t",
		ResourceTypes: resources.String(),
		ExpiryTime:    time.Now().UTC().Add(time.Hour),
	}.Sign(signer()))
	return token.Encode()
}

// answersTo returns the responses to a get, an insert and a delete.
func answersTo(client *aztables.Client, partition string) []string {
	return []string{
		answerOf(client.GetEntity(ctx, partition, "1", nil)),
		answerOf(client.AddEntity(ctx, entity(key{partition, randomName()}, properties{}), nil)),
		answerOf(client.DeleteEntity(ctx, partition, "1", nil)),
	}
}

func listingOf(client *aztables.ServiceClient) string {
	return answerOf(client.NewListTablesPager(nil).NextPage(ctx))
}

func checkSharedAccess() {
	everything := aztables.SASPermissions{Read: true, Add: true, Update: true, Delete: true}

	check("sas-table", func() {
		reader := holder(tableToken(aztables.SASPermissions{Read: true}, 1))
		equal(answersTo(reader, insertRows("1")), []string{"done", refusedPermission, refusedPermission})
		equal(answersTo(holder(tableToken(everything, 1)), insertRows("1")), []string{"done", "done", "done"})
	})

	check("sas-range", func() {
		inside, outside := insertRows("1"), insertRows("1")
		ranged := everything
		ranged.StartPartitionKey, ranged.EndPartitionKey = inside, inside
		token := tableToken(ranged, 1)
		// The SDK (v1.4.0) signs the range but leaves it out of the query: such a token is refused everywhere. The second client adds it.
		unknown := "403 AuthenticationFailed"
		equal(answersTo(holder(token), inside), []string{unknown, unknown, unknown})
		client := holder(token + "&spk=" + inside + "&epk=" + inside)
		failure := "403 AuthorizationFailure"
		equal(answersTo(client, outside), []string{"404 ResourceNotFound", failure, failure})
		equal(answersTo(client, inside), []string{"done", "done", "done"})
	})

	check("sas-expired", func() {
		failure := "403 AuthenticationFailed"
		equal(answersTo(holder(tableToken(everything, -1)), insertRows("1")), []string{failure, failure, failure})
	})

	check("sas-account", func() {
		tables := accountToken(aztables.AccountSASResourceTypes{Container: true}, aztables.SASProtocolHTTPSandHTTP)
		equal(listingOf(serviceHolder(tables)), "done")
		failure := "403 AuthorizationResourceTypeMismatch"
		equal(answersTo(serviceHolder(tables).NewClient("go"+run), insertRows("1")), []string{failure, failure, failure})
		entities := accountToken(aztables.AccountSASResourceTypes{Object: true}, aztables.SASProtocolHTTPSandHTTP)
		equal(listingOf(serviceHolder(entities)), failure)
		reader := serviceHolder(entities).NewClient("go" + run)
		equal(answersTo(reader, insertRows("1")), []string{"done", refusedPermission, refusedPermission})
	})

	check("sas-https", func() {
		token := accountToken(aztables.AccountSASResourceTypes{Container: true}, aztables.SASProtocolHTTPS)
		equal(listingOf(serviceHolder(token)), "403 AuthorizationProtocolMismatch")
	})

	check("sas-policy", func() {
		// The SDK writes nanoseconds. The service refuses them, because it accepts only seven digits of a fraction.
		id, expiry, permission := "readers", time.Now().UTC().Add(time.Hour).Truncate(time.Second), "r"
		policy := &aztables.AccessPolicy{Expiry: &expiry, Permission: &permission}
		readers := []*aztables.SignedIdentifier{{ID: &id, AccessPolicy: policy}}
		must(table.SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: readers}))
		reader := holder(must(aztables.SASSignatureValues{TableName: "go" + run, Identifier: id}.Sign(signer())))
		partition := insertRows("1")
		equal(answersTo(reader, partition), []string{"done", refusedPermission, refusedPermission})
		must(table.SetAccessPolicy(ctx, nil))
		equal(answerOf(reader.GetEntity(ctx, partition, "1", nil)), "403 AuthenticationFailed")
	})
}
