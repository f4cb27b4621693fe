package suite

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// A test suite for go test. The variable SUITE chooses what it does: pass, fail, findings or hang.
func TestSuite(t *testing.T) {
	mode, ctx := os.Getenv("SUITE"), context.Background()
	service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("MY_TABLES"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = service.CreateTable(ctx, "Suites", nil); err != nil {
		t.Fatal(err)
	}
	table := service.NewClient("Suites")
	if _, err = table.AddEntity(ctx, []byte(`{"PartitionKey":"a","RowKey":"1","age":3}`), nil); err != nil {
		t.Fatal(err)
	}
	found, err := table.GetEntity(ctx, "a", "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(found.Value), `"age":3`) || mode == "fail" {
		t.Fatalf("read %s", found.Value)
	}
	if mode == "findings" {
		filter := "RowKey eq '1' or RowKey eq '2'"
		pages := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter})
		if _, err = pages.NextPage(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if mode == "hang" {
		fmt.Println("hanging")
		time.Sleep(10 * time.Minute)
	}
}
