package main

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

var anyETag = azcore.ETagAny

func action(kind aztables.TransactionType, at key, values properties) aztables.TransactionAction {
	return aztables.TransactionAction{ActionType: kind, Entity: entity(at, values)}
}

func submit(actions ...aztables.TransactionAction) string {
	return answerOf(table.SubmitTransaction(ctx, actions, nil))
}

var failedPart = regexp.MustCompile(`HTTP/1\.1 (\d{3}) (?s:.*)"code":"(\w+)".*"value":"(\d+):`)

// failureOf returns status, code and index of the operation that failed. The SDK's error contains them only in its text: its own status
// is 202, that of the batch, and its code is empty.
func failureOf(actions ...aztables.TransactionAction) string {
	_, err := table.SubmitTransaction(ctx, actions, nil)
	if err == nil {
		return "done"
	}
	found := failedPart.FindStringSubmatch(err.Error())
	if found == nil {
		panic(err)
	}
	return fmt.Sprintf("%s %s at %s", found[1], found[2], found[3])
}

// insertRows inserts { a: 1 } with these row keys into a new partition, and returns the partition.
func insertRows(rows ...string) string {
	partition := randomName()
	for _, row := range rows {
		must(table.AddEntity(ctx, entity(key{partition, row}, properties{"a": 1}), nil))
	}
	return partition
}

// rowsOf returns the properties of all entities in a partition, by row key.
func rowsOf(partition string) map[string]map[string]any {
	rows := map[string]map[string]any{}
	filter := fmt.Sprintf("PartitionKey eq '%s'", partition)
	pager := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter})
	for pager.More() {
		for _, body := range must(pager.NextPage(ctx)).Entities {
			var found aztables.EDMEntity
			mustDo(json.Unmarshal(body, &found))
			rows[found.RowKey] = found.Properties
		}
	}
	return rows
}

func checkTransactions() {
	check("transaction-kinds", func() {
		partition := insertRows("gone", "merged", "replaced")
		three := properties{"c": int32(3)}
		remove := action(aztables.TransactionTypeDelete, key{partition, "gone"}, nil)
		remove.IfMatch = &anyETag
		equal(submit(
			action(aztables.TransactionTypeAdd, key{partition, "new"}, three),
			remove,
			action(aztables.TransactionTypeUpdateMerge, key{partition, "merged"}, three),
			action(aztables.TransactionTypeUpdateReplace, key{partition, "replaced"}, three),
			action(aztables.TransactionTypeInsertMerge, key{partition, "upsert merge"}, three),
			action(aztables.TransactionTypeInsertReplace, key{partition, "upsert replace"}, three),
		), "done")
		equal(rowsOf(partition), map[string]map[string]any{
			"merged": {"a": int32(1), "c": int32(3)}, "new": three, "replaced": three,
			"upsert merge": three, "upsert replace": three,
		})
	})
	check("transaction-100", func() {
		partition := randomName()
		actions := []aztables.TransactionAction{}
		for row := range 100 {
			actions = append(actions, action(aztables.TransactionTypeAdd, key{partition, fmt.Sprint(row)}, nil))
		}
		equal(submit(actions...), "done")
		equal(len(rowsOf(partition)), 100)
	})
	check("transaction-fails", func() {
		partition := insertRows("taken")
		fresh := action(aztables.TransactionTypeAdd, key{partition, "new"}, nil)
		taken := action(aztables.TransactionTypeAdd, key{partition, "taken"}, nil)
		equal(failureOf(fresh, taken), "409 EntityAlreadyExists at 1")
		missing := action(aztables.TransactionTypeUpdateMerge, key{partition, "none"}, nil)
		missing.IfMatch = &anyETag
		equal(failureOf(fresh, missing), "404 ResourceNotFound at 1")
		equal(rowsOf(partition), map[string]map[string]any{"taken": {"a": int32(1)}})
	})
}
