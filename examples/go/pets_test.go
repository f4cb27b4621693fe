package pets

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"tanzanite"
)

var ctx = context.Background()

// open makes a client of the table Pets, without retries, so that a test sees every response.
func open(t *testing.T, account *tanzanite.Account) *aztables.Client {
	t.Helper()
	options := &aztables.ClientOptions{ClientOptions: policy.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}}}
	service, err := aztables.NewServiceClientFromConnectionString(account.ConnectionString, options)
	if err != nil {
		t.Fatal(err)
	}
	return service.NewClient("Pets")
}

func pet(t *testing.T, name string) []byte {
	t.Helper()
	text, err := json.Marshal(aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "dog", RowKey: name}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAPetIsKept(t *testing.T) {
	t.Parallel()
	pets := open(t, tanzanite.Start(t))
	if _, err := pets.CreateTable(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := pets.AddEntity(ctx, pet(t, "rex"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := pets.GetEntity(ctx, "dog", "rex", nil); err != nil {
		t.Fatal(err)
	}
}

func TestNoOtherTestsPetsAreSeen(t *testing.T) {
	t.Parallel()
	pets := open(t, tanzanite.Start(t))
	_, err := pets.GetEntity(ctx, "dog", "rex", nil)
	var refused *azcore.ResponseError
	if !errors.As(err, &refused) || refused.ErrorCode != "TableNotFound" {
		t.Fatalf("the error is %v", err)
	}
}

func TestSeededPetsAreThere(t *testing.T) {
	t.Parallel()
	pets := open(t, tanzanite.Start(t, tanzanite.Seed("testdata/seed")))
	got, err := pets.GetEntity(ctx, "dog", "tess", nil)
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Age int32 }
	if err := json.Unmarshal(got.Value, &found); err != nil || found.Age != 7 {
		t.Errorf("found %s", got.Value)
	}
}

// The write is carried out, but its response is lost. A program that tries again finds its own entity in the table.
func TestAnInsertWhoseResponseIsLostIsDone(t *testing.T) {
	t.Parallel()
	pets := open(t, tanzanite.Start(t, tanzanite.Seed("testdata/seed"), tanzanite.Fault(
		`{"match":{"operation":"InsertEntity"},"when":{"first":1},"fault":{"kind":"timeout","at":"afterCommit"}}`)))
	if _, err := pets.AddEntity(ctx, pet(t, "luna"), nil); err == nil {
		t.Fatal("the insert did not fail")
	}
	if _, err := pets.GetEntity(ctx, "dog", "luna", nil); err != nil {
		t.Fatal(err)
	}
}
