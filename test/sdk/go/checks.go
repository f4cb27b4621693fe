package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

var (
	ctx              = context.Background()
	run              = randomName()
	connectionString = os.Getenv("TABLES_CONNECTION_STRING")
	service          = connect(connectionString)
	table            = service.NewClient("go" + run)
)

type report struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

type properties map[string]any

type key struct{ partition, row string }

func connect(connectionString string) *aztables.ServiceClient {
	return must(aztables.NewServiceClientFromConnectionString(connectionString, nil))
}

// check runs a check and reports it. The check fails by a panic.
func check(name string, body func()) {
	result := report{Check: name, OK: true}
	defer func() {
		if failure := recover(); failure != nil {
			result = report{Check: name, Error: fmt.Sprintf("%v\n%s", failure, debug.Stack())}
		}
		fmt.Println(string(must(json.Marshal(result))))
	}()
	body()
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func mustDo(err error) {
	must(0, err)
}

// equal compares values with their types: int32(5) is not equal to 5.0.
func equal(seen, expected any) {
	if !reflect.DeepEqual(seen, expected) {
		panic(fmt.Sprintf("saw %#v, expected %#v", seen, expected))
	}
}

// answerOf returns "done", or for a refusal a text such as "409 EntityAlreadyExists".
func answerOf[T any](_ T, err error) string {
	var refusal *azcore.ResponseError
	if errors.As(err, &refusal) {
		return fmt.Sprintf("%d %s", refusal.StatusCode, refusal.ErrorCode)
	}
	if err != nil {
		panic(err)
	}
	return "done"
}

func randomName() string {
	bytes := make([]byte, 6)
	must(rand.Read(bytes))
	return hex.EncodeToString(bytes)
}

func newKey() key {
	return key{"go", randomName()}
}

// entity is the JSON of an entity. Unlike EDMEntity, it leaves quotes in keys unchanged.
func entity(at key, values properties) []byte {
	all := properties{"PartitionKey": at.partition, "RowKey": at.row}
	for name, value := range values {
		all[name] = value
	}
	return must(json.Marshal(all))
}

// get reads an entity into the SDK's own types.
func get(at key) aztables.EDMEntity {
	response := must(table.GetEntity(ctx, at.partition, at.row, nil))
	var found aztables.EDMEntity
	mustDo(json.Unmarshal(response.Value, &found))
	return found
}

func getProperties(at key) properties {
	return get(at).Properties
}

func decode(body []byte) properties {
	var found properties
	mustDo(json.Unmarshal(body, &found))
	return found
}
